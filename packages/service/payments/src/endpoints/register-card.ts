import { BIN_GRANTS, expirySchema, MAX_PAYMENT_BYTES, sealableSchema } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { reportRefusal } from "@sealway/vault"
import * as z from "zod"
import { registerCard as register } from "../cards/manage-cards.ts"
import { cardSchema, showCard } from "../cards/show-card.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { CARD_DATA_GRANTS } from "./card-data.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"

export const registerCard = endpoint({
  id: "register-card",
  method: "POST",
  path: "/payments/cards",
  tag: "Card account updates",
  summary: "Register a card for account updates",
  description:
    "Stores the encrypted number, and asks the card's network to report when the number or the expiry changes or the account is closed. Each change publishes the event `payments.card.updated`. If the number is already registered, the response is its newest card, with the given expiry.",
  auth: [apiKey("card:create")],
  reveals: "card-facts",
  writes: true,
  request: {
    body: {
      kind: "object",
      schema: z
        .strictObject({
          number: sealableSchema.describe("12 to 19 digits that pass the Luhn check, plain or as a token"),
          expiry: expirySchema.describe("May be in the past"),
          automaticUpdates: z
            .boolean()
            .exactOptional()
            .describe(
              "Whether the network should report changes. Default: unchanged, and true for a new card",
            ),
        })
        .meta({ id: "CardInput" }),
      maxBytes: MAX_PAYMENT_BYTES,
    },
  },
  status: 201,
  found: { description: "The newest card of a number that was already registered" },
  reply: { kind: "object", schema: cardSchema, description: "The new card" },
  errors: ["conflict", "decrypt/forbidden"],
  grants: [...CARD_DATA_GRANTS, ...BIN_GRANTS, ...ENROLLING_GRANTS],
  async answer({ principal, caller, body }, dependencies: PaymentDependencies) {
    const { card, isNew } = await register(dependencies, { principal, caller }, body)
    return { body: showCard(card), ...(!isNew && { status: 200 as const }) }
  },
  onForbidden: reportRefusal,
})
