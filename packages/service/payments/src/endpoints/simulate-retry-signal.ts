import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { retryWatchSchema, showRetryWatch } from "../retries/show-retry-watch.ts"
import { retrySignalInputSchema, simulateSignal } from "../retries/signal-retry-watch.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { retryWatchPathSchema } from "./parameters.ts"

export const simulateRetrySignal = endpoint({
  id: "simulate-retry-signal",
  method: "POST",
  path: "/payments/retry-watches/{retry_watch_id}/simulate",
  tag: "Intelligent Retries",
  summary: "Simulate the signal of a retry watch",
  description: "Sends a signal to a watch of a sandbox app as its network would.",
  auth: [apiKey("retryEnrolment:create")],
  reveals: "nothing",
  writes: true,
  request: {
    path: retryWatchPathSchema,
    body: { kind: "object", schema: retrySignalInputSchema, maxBytes: MAX_PAYMENT_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: retryWatchSchema, description: "The watch" },
  errors: ["not-found", "conflict"],
  grants: ENROLLING_GRANTS,
  async answer({ principal, caller, path, body }, dependencies: PaymentDependencies) {
    const id = path.retry_watch_id
    return { body: showRetryWatch(await simulateSignal(dependencies, { principal, caller }, id, body)) }
  },
})
