import {
  apiKey,
  deletingEndpoint,
  filteredReplySchema,
  listQuerySchema,
  readingEndpoint,
} from "@sealway/http"
import { authorOf } from "@sealway/records"
import {
  deleteSubscription,
  listSubscriptions,
  requireSubscription,
} from "../account-updater/manage-subscriptions.ts"
import {
  showSubscription,
  subscriptionSchema,
  subscriptionStatusSchema,
} from "../account-updater/show-subscription.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { ENROLLED_LIST_GRANTS, ENROLLED_READ_GRANTS, ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { FILTERED_LIST, merchantFilterSchema } from "./list-filters.ts"
import { subscriptionPathSchema } from "./parameters.ts"

export const listCardSubscriptions = readingEndpoint({
  id: "list-card-subscriptions",
  path: "/payments/account-updater/subscriptions",
  tag: "Account updater",
  summary: "List the app's subscriptions",
  description: FILTERED_LIST,
  auth: [apiKey("accountUpdater:read")],
  request: {
    query: listQuerySchema("card_subscription").extend({
      merchant: merchantFilterSchema,
      status: subscriptionStatusSchema.optional(),
    }),
  },
  schema: filteredReplySchema(subscriptionSchema, "CardSubscriptionList"),
  reply: "A page of subscriptions",
  grants: ENROLLED_LIST_GRANTS,
  async read({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const page = await listSubscriptions(dependencies, app, query)
    return { ...page, data: page.data.map(showSubscription) }
  },
})

export const getCardSubscription = readingEndpoint({
  id: "get-card-subscription",
  path: "/payments/account-updater/subscriptions/{subscription_id}",
  tag: "Account updater",
  summary: "Get a subscription",
  description:
    "A subscription whose account was closed remains, with the status `ended`, until it is deleted.",
  auth: [apiKey("accountUpdater:read")],
  request: { path: subscriptionPathSchema },
  schema: subscriptionSchema,
  reply: "The subscription",
  grants: ENROLLED_READ_GRANTS,
  async read({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return showSubscription(await requireSubscription(dependencies, app, path.subscription_id))
  },
})

export const deleteCardSubscription = deletingEndpoint({
  id: "delete-card-subscription",
  path: "/payments/account-updater/subscriptions/{subscription_id}",
  tag: "Account updater",
  summary: "Delete a subscription",
  description: "Stops its updates. The request to the network is retried until the network confirms.",
  auth: [apiKey("accountUpdater:delete")],
  request: { path: subscriptionPathSchema },
  reply: "The subscription is deleted",
  grants: ENROLLING_GRANTS,
  async remove({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    await deleteSubscription(dependencies, app, path.subscription_id, authorOf(caller))
  },
})
