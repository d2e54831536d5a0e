import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import { deleteSubscription } from "../account-updater/manage-subscriptions.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { subscriptionPathSchema } from "./subscription-parameters.ts"

export const deleteCardSubscription = endpoint({
  id: "delete-card-subscription",
  method: "DELETE",
  path: "/payments/account-updater/subscriptions/{subscription_id}",
  tag: "Account updater",
  summary: "Delete a subscription",
  description: "Stops its updates. The request to the network is retried until the network confirms.",
  auth: [apiKey("accountUpdater:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: subscriptionPathSchema },
  status: 204,
  reply: { kind: "none", description: "The subscription is deleted" },
  errors: ["not-found", "conflict"],
  grants: ENROLLING_GRANTS,
  async answer({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    await deleteSubscription(dependencies, app, path.subscription_id, authorOf(caller))
    return { body: null }
  },
})
