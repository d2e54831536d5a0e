import { sealableExpirySchema, sealableSchema } from "@sealway/bins"
import { invalidField } from "@sealway/kernel"
import * as z from "zod"
import {
  type CardDataSender,
  expiryFields,
  openCardData,
  requireCardNumber,
  requireExpiry,
} from "../card-number-of.ts"
import type { CardExpiry } from "../cards/card.ts"
import { openRegisteredCard, registeredCardSchema } from "../cards/registered-card.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { refuseToken } from "./network-token-refusal.ts"

/** A card in a request: a registered one, or its details. */
export const cardToTokenizeSchema = z
  .union([
    registeredCardSchema,
    z.strictObject({
      number: sealableSchema.describe("12 to 19 digits that pass the Luhn check, plain or as a token"),
      expiry: sealableExpirySchema,
      cvc: sealableSchema.exactOptional().describe("3 or 4 digits, plain or as a token. Never stored"),
    }),
  ])
  .meta({ id: "CardToTokenize" })

/** A card in the clear: only its network receives it. */
export interface CardToTokenize {
  readonly digits: string
  readonly expiry: CardExpiry
  readonly cvc: string | null
}

/**
 * Opens the card of a request, as far as the policies of its tokens' roles permit. A replaced card is followed to its
 * replacement.
 *
 * @throws NotFoundError when the app has no card with the id
 * @throws ApiError `payments/network-tokens/invalid-card` for a closed or invalid card
 */
export async function cardToTokenize(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  card: z.infer<typeof cardToTokenizeSchema>,
): Promise<CardToTokenize> {
  if (typeof card === "string") {
    const registered = await openRegisteredCard(dependencies, sender, card)
    if (registered === null) throw refuseToken("invalid-card")
    return { ...registered, cvc: null }
  }
  const given = new Map([["/card/number", card.number], ...expiryFields("/card/expiry", card.expiry)])
  if (card.cvc !== undefined) given.set("/card/cvc", card.cvc)
  const opened = await openCardData(dependencies, sender, given)
  const cvc = opened.get("/card/cvc")?.text ?? null
  if (cvc !== null && !/^[0-9]{3,4}$/.test(cvc)) {
    throw invalidField("/card/cvc", "The security code must have 3 or 4 digits.")
  }
  const { digits } = requireCardNumber("/card/number", opened.get("/card/number"))
  return { digits, expiry: requireExpiry("/card/expiry", opened), cvc }
}
