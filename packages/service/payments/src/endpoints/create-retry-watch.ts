import { BIN_GRANTS, MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { reportRefusal } from "@sealway/vault"
import type { PaymentDependencies } from "../dependencies.ts"
import { createRetryWatch as create, retryWatchInputSchema } from "../retries/manage-retry-watches.ts"
import { retryWatchSchema, showRetryWatch } from "../retries/show-retry-watch.ts"
import { CARD_DATA_GRANTS } from "./card-data.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"

export const createRetryWatch = endpoint({
  id: "create-retry-watch",
  method: "POST",
  path: "/payments/retry-watches",
  tag: "Intelligent Retries",
  summary: "Watch a card whose payment was declined",
  description:
    "The event `payments.intelligent-retries.signal` reports when a retry may succeed, or that none will. A watch ends with its first signal, or after 30 days. The merchant's enrolment must be active, and the card must be a Mastercard. Once the network watches the card, only its last four digits are stored.",
  auth: [apiKey("retryEnrolment:create")],
  reveals: "card-facts",
  writes: true,
  request: { body: { kind: "object", schema: retryWatchInputSchema, maxBytes: MAX_PAYMENT_BYTES } },
  status: 201,
  reply: { kind: "object", schema: retryWatchSchema, description: "The watch" },
  errors: ["not-found", "decrypt/forbidden", "payments/retries/merchant-not-ready"],
  grants: [...CARD_DATA_GRANTS, ...BIN_GRANTS, "dynamodb:DeleteItem/payments", ...ENROLLING_GRANTS],
  async answer({ principal, caller, body }, dependencies: PaymentDependencies) {
    return { body: showRetryWatch(await create(dependencies, { principal, caller }, body)) }
  },
  onForbidden: reportRefusal,
})
