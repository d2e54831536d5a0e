import { BIN_GRANTS, expirySchema, MAX_PAYMENT_BYTES, sealableSchema } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { reportRefusal } from "@sealway/vault"
import * as z from "zod"
import { showSubscription, subscriptionSchema } from "../account-updater/show-subscription.ts"
import { subscribe } from "../account-updater/subscribe.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { CARD_DATA_GRANTS } from "./card-data.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"

export const createCardSubscription = endpoint({
  id: "create-card-subscription",
  method: "POST",
  path: "/payments/account-updater/subscriptions",
  tag: "Account updater",
  summary: "Subscribe a merchant to the account updates of a card",
  description:
    "The card's network then reports a new number, a new expiry, a closed account, or that the cardholder must be contacted, as it happens. Each update is published as the event `payments.account-updater.updated`. If the merchant already has a subscription to the number, the answer is that subscription. A failed subscription is requested again.",
  auth: [apiKey("accountUpdater:subscribe")],
  reveals: "card-facts",
  writes: true,
  request: {
    body: {
      kind: "object",
      schema: z
        .strictObject({
          number: sealableSchema.describe("12 to 19 digits that pass the Luhn check, plain or as a token"),
          expiry: expirySchema.exactOptional().describe("May be in the past"),
          merchant: z.string().max(64).describe("Id of the merchant"),
        })
        .meta({ id: "CardSubscriptionInput" }),
      maxBytes: MAX_PAYMENT_BYTES,
    },
  },
  status: 201,
  found: { description: "The existing subscription of the merchant and the number" },
  reply: { kind: "object", schema: subscriptionSchema, description: "The new subscription" },
  errors: ["not-found", "conflict", "decrypt/forbidden"],
  grants: [...CARD_DATA_GRANTS, ...BIN_GRANTS, "dynamodb:DeleteItem/payments", ...ENROLLING_GRANTS],
  async answer({ principal, caller, body }, dependencies: PaymentDependencies) {
    const { subscription, isNew } = await subscribe(dependencies, { principal, caller }, body)
    return { body: showSubscription(subscription), ...(!isNew && { status: 200 as const }) }
  },
  onForbidden: reportRefusal,
})
