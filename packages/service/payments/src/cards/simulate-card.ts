import { expirySchema, sealableSchema } from "@sealway/bins"
import { ConflictError, NotFoundError } from "@sealway/kernel"
import * as z from "zod"
import { type CardDataSender, cardNumberOf, type GivenCardNumber } from "../card-number-of.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { openOwnNumber } from "../own-number.ts"
import { joinAccount, laterExpiry, newNumberLike, requireSandbox, simulateNews } from "../simulation.ts"
import { afterCardStep, type Card } from "./card.ts"
import { CARDS } from "./card-kind.ts"
import { succeedCard } from "./succeed-card.ts"

/** The card changes that can be simulated. */
export const cardUpdateSchema = z
  .discriminatedUnion("updateType", [
    z.strictObject({
      updateType: z.literal("new-account-number"),
      number: sealableSchema.exactOptional().describe("Plain or as a token. Default: a generated number"),
      expiry: expirySchema.exactOptional(),
    }),
    z.strictObject({ updateType: z.literal("new-expiry-date"), expiry: expirySchema.exactOptional() }),
    z.strictObject({ updateType: z.literal("account-closure") }),
  ])
  .meta({ id: "CardUpdate" })

export type CardUpdate = z.infer<typeof cardUpdateSchema>

/**
 * Changes a card of a sandbox app as a network would.
 *
 * @throws ForbiddenError for a production app, NotFoundError, ConflictError when the card is not active
 */
export async function simulateCard(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  id: string,
  update: CardUpdate,
): Promise<Card> {
  const { app } = sender.principal
  requireSandbox(app)
  requireActive(await CARDS.table.find(dependencies, app, id))
  const isNumber = update.updateType === "new-account-number" && update.number !== undefined
  const given = isNumber ? await cardNumberOf(dependencies, sender, "/number", update.number ?? "") : null
  return simulateNews(CARDS, dependencies, sender, id, (card) =>
    afterUpdate(requireActive(card), update, given, sender, dependencies),
  )
}

function requireActive(card: Card | null): Card {
  if (card === null || card.deletedAt !== null) throw new NotFoundError(CARDS.title)
  if (card.details.status === "active") return card
  throw new ConflictError("The card is not active: it was replaced, closed or found invalid.")
}

async function afterUpdate(
  card: Card,
  update: CardUpdate,
  given: GivenCardNumber | null,
  { principal: { app } }: CardDataSender,
  dependencies: PaymentDependencies,
): Promise<Card> {
  const { keyring, draws, wallClock } = dependencies
  if (update.updateType === "account-closure") return afterCardStep(card, "close", wallClock())
  const expiry = update.expiry ?? laterExpiry(card.details.expiry, wallClock())
  if (update.updateType === "new-expiry-date") return succeedCard(card, { expiry }, app, dependencies)
  const number = given?.digits ?? newNumberLike(card.details, draws)
  await joinAccount(dependencies, app, number, await openOwnNumber(keyring, app, card.details.number))
  return succeedCard(card, { number, token: given?.token ?? null, expiry }, app, dependencies)
}
