import { MAX_PAYMENT_BYTES, sealableSchema } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { invalidField } from "@sealway/kernel"
import { reportRefusal } from "@sealway/vault"
import * as z from "zod"
import { cardNumberOf } from "../card-number-of.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { CARD_DATA_GRANTS } from "./card-data.ts"

const NUMBER = "/number"

export const createParLookup = endpoint({
  id: "create-par-lookup",
  method: "POST",
  path: "/payments/par-lookups",
  tag: "Payments",
  summary: "Look up a card's payment account reference",
  description:
    "The reference (PAR) is the same for a card, its replacements and its network tokens. The card network assigns it.",
  auth: [apiKey("parLookup:create")],
  reveals: "card-facts",
  request: {
    body: {
      kind: "object",
      schema: z.strictObject({
        number: sealableSchema.describe(
          "The number of a card or a network token: 12 to 19 digits that pass the Luhn check, plain or as a token",
        ),
      }),
      maxBytes: MAX_PAYMENT_BYTES,
    },
  },
  status: 201,
  reply: {
    kind: "object",
    schema: z
      .object({
        id: z.string(),
        paymentAccountReference: z.string().describe("29 upper-case letters and digits"),
      })
      .meta({ id: "ParLookup" }),
    description: "The reference",
  },
  errors: ["decrypt/forbidden"],
  grants: [...CARD_DATA_GRANTS, "dynamodb:GetItem/payments"],
  async answer({ principal, caller, body }, dependencies: PaymentDependencies) {
    const { cardNetworkOf, draws, wallClock } = dependencies
    const { digits } = await cardNumberOf(dependencies, { principal, caller }, NUMBER, body.number)
    const { paymentAccountReference } = await cardNetworkOf(principal.app).par({ number: digits })
    if (paymentAccountReference === null) {
      throw invalidField(NUMBER, "The card network has no payment account reference for this number.")
    }
    return { body: { id: draws.newId("par_lookup", wallClock()), paymentAccountReference } }
  },
  onForbidden: reportRefusal,
})
