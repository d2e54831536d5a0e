import middy from "@middy/core"
import type { EndpointHandler, HandlerContext, HttpEvent, HttpResult, LambdaHandler } from "@sealway/http"
import { deadline } from "./deadline.ts"
import type { EdgeMiddleware, EdgePlatform } from "./edge-middleware.ts"
import { figures } from "./figures.ts"
import { problems } from "./problems.ts"

/** The deadline is a middleware of ours: middy's own would throw, and never answer. */
const OPTIONS = { timeoutEarlyInMillis: 0 }

/**
 * Puts around a handler what only a Lambda function needs. On one machine, the gateway calls the handler directly, and does
 * these things once for all requests.
 *
 * @param first what looks at an event before all else, and may answer it
 */
export function atLambdaEdge(
  handler: EndpointHandler,
  platform: EdgePlatform,
  ...first: readonly EdgeMiddleware[]
): LambdaHandler {
  const inPromise: LambdaHandler = async (event, context) => handler(event, context)
  return middy<HttpEvent, HttpResult, Error, HandlerContext>(inPromise, OPTIONS)
    .use([...first])
    .use(problems(platform))
    .use(figures(platform))
    .use(deadline())
}
