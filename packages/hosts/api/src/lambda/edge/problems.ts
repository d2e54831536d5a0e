import { EVERY_ANSWER } from "@sealway/http"
import { PROBLEM_CONTENT_TYPE, problemBody } from "@sealway/kernel"
import type { EdgeMiddleware, EdgePlatform } from "./edge-middleware.ts"

const CODE = "internal-server-error"

/**
 * Answers with a problem document when something around a handler fails. Handlers answer their own errors; of what is
 * thrown besides, API Gateway would make an answer without one.
 */
export function problems({ log }: Pick<EdgePlatform, "log">): EdgeMiddleware {
  return {
    onError(request) {
      const { event, error } = request
      log.error("request failed", { requestId: event.requestContext.requestId, code: CODE, error })
      const problem = problemBody(CODE, "The request could not be completed.")
      request.response = {
        statusCode: problem.status,
        headers: { "content-type": PROBLEM_CONTENT_TYPE, ...EVERY_ANSWER },
        body: JSON.stringify(problem),
      }
    },
  }
}
