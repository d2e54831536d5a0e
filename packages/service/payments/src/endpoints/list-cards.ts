import { apiKey, endpoint, filteredReplySchema, listQuerySchema } from "@sealway/http"
import * as z from "zod"
import { CARD_STATUSES } from "../cards/card.ts"
import { listCards as list } from "../cards/manage-cards.ts"
import { listedCardSchema, showListedCard } from "../cards/show-card.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { ENROLLED_LIST_GRANTS } from "./enrolling-grants.ts"
import { FILTERED_LIST, lastFourFilterSchema } from "./list-filters.ts"

export const listCards = endpoint({
  id: "list-cards",
  method: "GET",
  path: "/payments/cards",
  tag: "Card account updates",
  summary: "List the app's cards",
  description: `${FILTERED_LIST} Cards are listed without their numbers: get a card for its token.`,
  auth: [apiKey("card:read")],
  reveals: "nothing",
  request: {
    query: listQuerySchema("card").extend({
      status: z.enum(CARD_STATUSES).optional(),
      lastFour: lastFourFilterSchema,
    }),
  },
  status: 200,
  reply: {
    kind: "object",
    schema: filteredReplySchema(listedCardSchema, "CardList"),
    description: "A page of cards",
  },
  errors: ["invalid-request"],
  grants: ENROLLED_LIST_GRANTS,
  async answer({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const page = await list(dependencies, app, query)
    return { body: { ...page, data: page.data.map(showListedCard) } }
  },
})
