import {
  apiKey,
  deletingEndpoint,
  filteredReplySchema,
  listQuerySchema,
  readingEndpoint,
} from "@sealway/http"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import {
  listRetryWatches as list,
  deleteRetryWatch as remove,
  requireRetryWatch,
} from "../retries/manage-retry-watches.ts"
import { retryWatchSchema, showRetryWatch, watchStatusSchema } from "../retries/show-retry-watch.ts"
import { ENROLLED_LIST_GRANTS, ENROLLED_READ_GRANTS, ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { FILTERED_LIST, merchantFilterSchema } from "./list-filters.ts"
import { retryWatchPathSchema } from "./parameters.ts"

export const listRetryWatches = readingEndpoint({
  id: "list-retry-watches",
  path: "/payments/retry-watches",
  tag: "Intelligent Retries",
  summary: "List the app's retry watches",
  description: FILTERED_LIST,
  auth: [apiKey("retryEnrolment:read")],
  request: {
    query: listQuerySchema("retry_watch").extend({
      merchant: merchantFilterSchema,
      status: watchStatusSchema.optional(),
    }),
  },
  schema: filteredReplySchema(retryWatchSchema, "RetryWatchList"),
  reply: "A page of watches",
  grants: ENROLLED_LIST_GRANTS,
  async read({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const { data, ...rest } = await list(dependencies, app, query)
    return { data: data.map(showRetryWatch), ...rest }
  },
})

export const getRetryWatch = readingEndpoint({
  id: "get-retry-watch",
  path: "/payments/retry-watches/{retry_watch_id}",
  tag: "Intelligent Retries",
  summary: "Get a retry watch",
  description: "It can be read for 90 days after it began.",
  auth: [apiKey("retryEnrolment:read")],
  request: { path: retryWatchPathSchema },
  schema: retryWatchSchema,
  reply: "The watch",
  grants: ENROLLED_READ_GRANTS,
  async read({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return showRetryWatch(await requireRetryWatch(dependencies, app, path.retry_watch_id))
  },
})

export const deleteRetryWatch = deletingEndpoint({
  id: "delete-retry-watch",
  path: "/payments/retry-watches/{retry_watch_id}",
  tag: "Intelligent Retries",
  summary: "End a retry watch",
  description: "Deletes it at its network too: the request to the network is retried until it is answered.",
  auth: [apiKey("retryEnrolment:delete")],
  request: { path: retryWatchPathSchema },
  reply: "The watch is ended",
  grants: ENROLLING_GRANTS,
  async remove({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    await remove(dependencies, app, path.retry_watch_id, authorOf(caller))
  },
})
