import {
  apiKey,
  deletingEndpoint,
  filteredReplySchema,
  listQuerySchema,
  readingEndpoint,
} from "@sealway/http"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { CARD_STATUSES } from "../cards/card.ts"
import { listCards as list, deleteCard as remove, requireCard } from "../cards/manage-cards.ts"
import { cardSchema, listedCardSchema, showCard, showListedCard } from "../cards/show-card.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { ENROLLED_LIST_GRANTS, ENROLLED_READ_GRANTS, ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { FILTERED_LIST, lastFourFilterSchema } from "./list-filters.ts"
import { cardPathSchema } from "./parameters.ts"

export const listCards = readingEndpoint({
  id: "list-cards",
  path: "/payments/cards",
  tag: "Card account updates",
  summary: "List the app's cards",
  description: `${FILTERED_LIST} Cards are listed without their numbers: get a card for its token.`,
  auth: [apiKey("card:read")],
  request: {
    query: listQuerySchema("card").extend({
      status: z.enum(CARD_STATUSES).optional(),
      lastFour: lastFourFilterSchema,
    }),
  },
  schema: filteredReplySchema(listedCardSchema, "CardList"),
  reply: "A page of cards",
  grants: ENROLLED_LIST_GRANTS,
  async read({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const page = await list(dependencies, app, query)
    return { ...page, data: page.data.map(showListedCard) }
  },
})

export const getCard = readingEndpoint({
  id: "get-card",
  path: "/payments/cards/{card_id}",
  tag: "Card account updates",
  summary: "Get a card",
  description: "A replaced card names its replacement.",
  auth: [apiKey("card:read")],
  request: { path: cardPathSchema },
  schema: cardSchema,
  reply: "The card",
  grants: ENROLLED_READ_GRANTS,
  async read({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return showCard(await requireCard(dependencies, app, path.card_id))
  },
})

export const deleteCard = deletingEndpoint({
  id: "delete-card",
  path: "/payments/cards/{card_id}",
  tag: "Card account updates",
  summary: "Delete a card",
  description: "Stops its updates. If it was replaced, the replacement is kept.",
  auth: [apiKey("card:delete")],
  request: { path: cardPathSchema },
  reply: "The card is deleted",
  grants: ENROLLING_GRANTS,
  async remove({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    await remove(dependencies, app, path.card_id, authorOf(caller))
  },
})
