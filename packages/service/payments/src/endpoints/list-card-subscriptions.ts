import { apiKey, endpoint, filteredReplySchema, listQuerySchema } from "@sealway/http"
import { listSubscriptions } from "../account-updater/manage-subscriptions.ts"
import {
  showSubscription,
  subscriptionSchema,
  subscriptionStatusSchema,
} from "../account-updater/show-subscription.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { ENROLLED_LIST_GRANTS } from "./enrolling-grants.ts"
import { FILTERED_LIST, merchantFilterSchema } from "./list-filters.ts"

export const listCardSubscriptions = endpoint({
  id: "list-card-subscriptions",
  method: "GET",
  path: "/payments/account-updater/subscriptions",
  tag: "Account updater",
  summary: "List the app's subscriptions",
  description: FILTERED_LIST,
  auth: [apiKey("accountUpdater:read")],
  reveals: "nothing",
  request: {
    query: listQuerySchema("card_subscription").extend({
      merchant: merchantFilterSchema,
      status: subscriptionStatusSchema.optional(),
    }),
  },
  status: 200,
  reply: {
    kind: "object",
    schema: filteredReplySchema(subscriptionSchema, "CardSubscriptionList"),
    description: "A page of subscriptions",
  },
  errors: ["invalid-request"],
  grants: ENROLLED_LIST_GRANTS,
  async answer({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const page = await listSubscriptions(dependencies, app, query)
    return { body: { ...page, data: page.data.map(showSubscription) } }
  },
})
