import { apiKey, endpoint, filteredReplySchema, listQuerySchema } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { listRetryWatches as list } from "../retries/manage-retry-watches.ts"
import { retryWatchSchema, showRetryWatch, watchStatusSchema } from "../retries/show-retry-watch.ts"
import { ENROLLED_LIST_GRANTS } from "./enrolling-grants.ts"
import { FILTERED_LIST, merchantFilterSchema } from "./list-filters.ts"

export const listRetryWatches = endpoint({
  id: "list-retry-watches",
  method: "GET",
  path: "/payments/retry-watches",
  tag: "Intelligent Retries",
  summary: "List the app's retry watches",
  description: FILTERED_LIST,
  auth: [apiKey("retryEnrolment:read")],
  reveals: "nothing",
  request: {
    query: listQuerySchema("retry_watch").extend({
      merchant: merchantFilterSchema,
      status: watchStatusSchema.optional(),
    }),
  },
  status: 200,
  reply: {
    kind: "object",
    schema: filteredReplySchema(retryWatchSchema, "RetryWatchList"),
    description: "A page of watches",
  },
  errors: ["invalid-request"],
  grants: ENROLLED_LIST_GRANTS,
  async answer({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const { data, ...rest } = await list(dependencies, app, query)
    return { body: { data: data.map(showRetryWatch), ...rest } }
  },
})
