import { apiKey, endpoint } from "@sealway/http"
import { requireCard } from "../cards/manage-cards.ts"
import { cardSchema, showCard } from "../cards/show-card.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { cardPathSchema } from "./card-parameters.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"

export const getCard = endpoint({
  id: "get-card",
  method: "GET",
  path: "/payments/cards/{card_id}",
  tag: "Card account updates",
  summary: "Get a card",
  description: "A replaced card names its replacement.",
  auth: [apiKey("card:read")],
  reveals: "nothing",
  request: { path: cardPathSchema },
  status: 200,
  reply: { kind: "object", schema: cardSchema, description: "The card" },
  errors: ["not-found"],
  grants: ENROLLED_READ_GRANTS,
  async answer({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return { body: showCard(await requireCard(dependencies, app, path.card_id)) }
  },
})
