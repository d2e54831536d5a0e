import { apiKey, endpoint } from "@sealway/http"
import { requireSubscription } from "../account-updater/manage-subscriptions.ts"
import { showSubscription, subscriptionSchema } from "../account-updater/show-subscription.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"
import { subscriptionPathSchema } from "./subscription-parameters.ts"

export const getCardSubscription = endpoint({
  id: "get-card-subscription",
  method: "GET",
  path: "/payments/account-updater/subscriptions/{subscription_id}",
  tag: "Account updater",
  summary: "Get a subscription",
  description:
    "A subscription whose account was closed remains, with the status `ended`, until it is deleted.",
  auth: [apiKey("accountUpdater:read")],
  reveals: "nothing",
  request: { path: subscriptionPathSchema },
  status: 200,
  reply: { kind: "object", schema: subscriptionSchema, description: "The subscription" },
  errors: ["not-found"],
  grants: ENROLLED_READ_GRANTS,
  async answer({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return { body: showSubscription(await requireSubscription(dependencies, app, path.subscription_id)) }
  },
})
