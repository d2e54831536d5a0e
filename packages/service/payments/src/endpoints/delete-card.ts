import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import { deleteCard as remove } from "../cards/manage-cards.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { cardPathSchema } from "./card-parameters.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"

export const deleteCard = endpoint({
  id: "delete-card",
  method: "DELETE",
  path: "/payments/cards/{card_id}",
  tag: "Card account updates",
  summary: "Delete a card",
  description: "Stops its updates. If it was replaced, the replacement is kept.",
  auth: [apiKey("card:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: cardPathSchema },
  status: 204,
  reply: { kind: "none", description: "The card is deleted" },
  errors: ["not-found", "conflict"],
  grants: ENROLLING_GRANTS,
  async answer({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    await remove(dependencies, app, path.card_id, authorOf(caller))
    return { body: null }
  },
})
