import { apiKey, endpoint, filteredReplySchema, listQuerySchema } from "@sealway/platform"
import * as z from "zod"
import { listSubscriptions } from "../account-updater/manage-subscriptions.ts"
import {
  showSubscription,
  subscriptionSchema,
  subscriptionStatusSchema,
} from "../account-updater/show-subscription.ts"
import type { PaymentDependencies } from "../dependencies.ts"

export const listCardSubscriptions = endpoint({
  id: "list-card-subscriptions",
  method: "GET",
  path: "/payments/account-updater/subscriptions",
  tag: "Account updater",
  summary: "List the app's subscriptions",
  description:
    "Newest first. One page reads at most 1,000 subscriptions, so a filtered page can hold few or none although more follow: continue with `continueAfter`.",
  auth: [apiKey("accountUpdater:read")],
  request: {
    path: z.object({}),
    query: listQuerySchema("card_subscription").extend({
      merchant: z
        .stringFormat("merchant", /^[0-9a-z_]{1,64}$/)
        .optional()
        .describe("Id of the merchant. Absent: of all merchants"),
      status: subscriptionStatusSchema.optional(),
    }),
    headers: z.object({}),
    body: { kind: "none" },
  },
  status: 200,
  reply: {
    kind: "object",
    schema: filteredReplySchema(subscriptionSchema, "CardSubscriptionList"),
    description: "A page of subscriptions",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/payments", "dynamodb:Query/config", "kms:Decrypt"],
  async answer({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const { limit, startingAfter, ...filter } = query
    const page = await listSubscriptions(dependencies, app, { limit, startingAfter }, filter)
    return { body: { ...page, data: page.data.map(showSubscription) } }
  },
})
