import { BIN_GRANTS, MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { reportRefusal } from "@sealway/vault"
import { showSubscription, subscriptionSchema } from "../account-updater/show-subscription.ts"
import { simulatedUpdateSchema, simulateUpdate } from "../account-updater/simulate-update.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { CARD_DATA_GRANTS } from "./card-data.ts"
import { ENROLLING_GRANTS, ENROLMENT_NEWS_GRANTS } from "./enrolling-grants.ts"
import { subscriptionPathSchema } from "./parameters.ts"

export const simulateAccountUpdate = endpoint({
  id: "simulate-account-update",
  method: "POST",
  path: "/payments/account-updater/subscriptions/{subscription_id}/simulate",
  tag: "Account updater",
  summary: "Simulate an account update",
  description:
    "Changes the card of a sandbox app's subscription as its network would. Omitted values are made up. The subscription follows a new number and ends with a closure.",
  auth: [apiKey("accountUpdater:subscribe")],
  reveals: "card-facts",
  writes: true,
  request: {
    path: subscriptionPathSchema,
    body: { kind: "object", schema: simulatedUpdateSchema, maxBytes: MAX_PAYMENT_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: subscriptionSchema, description: "The subscription" },
  errors: ["not-found", "conflict", "decrypt/forbidden"],
  grants: [
    ...CARD_DATA_GRANTS,
    ...BIN_GRANTS,
    "dynamodb:DeleteItem/payments",
    ...ENROLLING_GRANTS,
    ...ENROLMENT_NEWS_GRANTS,
  ],
  async answer({ principal, caller, path, body }, dependencies: PaymentDependencies) {
    const sender = { principal, caller }
    return { body: showSubscription(await simulateUpdate(dependencies, sender, path.subscription_id, body)) }
  },
  onForbidden: reportRefusal,
})
