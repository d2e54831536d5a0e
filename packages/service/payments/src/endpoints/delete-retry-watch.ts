import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { deleteRetryWatch as remove } from "../retries/manage-retry-watches.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { retryWatchPathSchema } from "./retry-parameters.ts"

export const deleteRetryWatch = endpoint({
  id: "delete-retry-watch",
  method: "DELETE",
  path: "/payments/retry-watches/{retry_watch_id}",
  tag: "Intelligent Retries",
  summary: "End a retry watch",
  description: "Deletes it at its network too: the request to the network is retried until it is answered.",
  auth: [apiKey("retryEnrolment:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: retryWatchPathSchema },
  status: 204,
  reply: { kind: "none", description: "The watch is ended" },
  errors: ["not-found", "conflict"],
  grants: ENROLLING_GRANTS,
  async answer({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    await remove(dependencies, app, path.retry_watch_id, authorOf(caller))
    return { body: null }
  },
})
