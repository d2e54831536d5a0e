import middy from "@middy/core"
import type { HandlerContext, HttpEvent, HttpResult, LambdaHandler } from "@sealway/platform"
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
  handler: LambdaHandler,
  platform: EdgePlatform,
  ...first: readonly EdgeMiddleware[]
): LambdaHandler {
  return middy<HttpEvent, HttpResult, Error, HandlerContext>(handler, OPTIONS)
    .use([...first])
    .use(problems(platform))
    .use(figures(platform))
    .use(deadline())
}
