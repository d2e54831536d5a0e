import { apiKey, endpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { requireRetryWatch } from "../retries/manage-retry-watches.ts"
import { retryWatchSchema, showRetryWatch } from "../retries/show-retry-watch.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"
import { retryWatchPathSchema } from "./retry-parameters.ts"

export const getRetryWatch = endpoint({
  id: "get-retry-watch",
  method: "GET",
  path: "/payments/retry-watches/{retry_watch_id}",
  tag: "Intelligent Retries",
  summary: "Get a retry watch",
  description: "It can be read for 90 days after it began.",
  auth: [apiKey("retryEnrolment:read")],
  reveals: "nothing",
  request: { path: retryWatchPathSchema },
  status: 200,
  reply: { kind: "object", schema: retryWatchSchema, description: "The watch" },
  errors: ["not-found"],
  grants: ENROLLED_READ_GRANTS,
  async answer({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return { body: showRetryWatch(await requireRetryWatch(dependencies, app, path.retry_watch_id)) }
  },
})
