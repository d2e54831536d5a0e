import type { HandlerContext, HttpEvent, HttpResult } from "@sealway/http"
import type { MaybePromise } from "@sealway/kernel"
import type { APIGatewayProxyResultV2 } from "aws-lambda"

/** A function as Lambda calls it, for API Gateway's payload format 2.0. */
export type LambdaHandler = (
  event: HttpEvent,
  context: HandlerContext,
) => MaybePromise<APIGatewayProxyResultV2 | HttpResult>

/** One route of the API, and its handler. */
export interface Route {
  /** An HTTP method in capitals, or `ANY`. */
  readonly method: string
  /** In API Gateway's syntax: `/{team_id}/apps/{app_id}`; `{proxy+}`, only at the end, matches the whole rest. */
  readonly path: string
  readonly functionName: string
  readonly handler: LambdaHandler
}

/** A route of a gateway. Its handler is null when another process answers its requests, see `ForwardTarget`. */
export type GatewayRoute = Omit<Route, "handler"> & { readonly handler: LambdaHandler | null }
