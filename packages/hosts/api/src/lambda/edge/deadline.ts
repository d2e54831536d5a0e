import { CancelledError, processTurns, RequestTask } from "@sealway/kernel"
import type { EdgeMiddleware } from "./edge-middleware.ts"

/** How long before Lambda ends an invocation its work is cancelled, so that it can answer, in milliseconds. */
const ANSWER_MS = 200

/**
 * Gives an invocation its task, which is cancelled a little before Lambda would end the process. An environment serves one
 * request at a time.
 */
export function deadline(): EdgeMiddleware {
  let timer: NodeJS.Timeout | undefined
  const stop = () => clearTimeout(timer)
  return {
    before(request) {
      const { context } = request
      const task = new RequestTask({ turns: processTurns })
      const remainingMs = Math.max(0, context.getRemainingTimeInMillis() - ANSWER_MS)
      timer = setTimeout(() => task.cancel(new CancelledError("deadline")), remainingMs).unref()
      request.context = { ...context, task }
    },
    after: stop,
    onError: stop,
  }
}
