import { BIN_GRANTS, MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { reportRefusal } from "@sealway/vault"
import { cardSchema, showCard } from "../cards/show-card.ts"
import { cardUpdateSchema, simulateCard } from "../cards/simulate-card.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { CARD_DATA_GRANTS } from "./card-data.ts"
import { ENROLLING_GRANTS, ENROLMENT_NEWS_GRANTS } from "./enrolling-grants.ts"
import { cardPathSchema } from "./parameters.ts"

export const simulateCardUpdate = endpoint({
  id: "simulate-card-update",
  method: "POST",
  path: "/payments/cards/{card_id}/simulate",
  tag: "Card account updates",
  summary: "Simulate an update of a card",
  description:
    "Changes a card of a sandbox app as its network would. Fields that are not sent get generated values. A new number or a new expiry replaces the card.",
  auth: [apiKey("card:create")],
  reveals: "card-facts",
  writes: true,
  request: {
    path: cardPathSchema,
    body: { kind: "object", schema: cardUpdateSchema, maxBytes: MAX_PAYMENT_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: cardSchema, description: "The card that was changed" },
  errors: ["not-found", "conflict", "decrypt/forbidden"],
  grants: [...CARD_DATA_GRANTS, ...BIN_GRANTS, ...ENROLLING_GRANTS, ...ENROLMENT_NEWS_GRANTS],
  async answer({ principal, caller, path, body }, dependencies: PaymentDependencies) {
    return { body: showCard(await simulateCard(dependencies, { principal, caller }, path.card_id, body)) }
  },
  onForbidden: reportRefusal,
})
