import type { HttpEvent, HttpResult } from "@sealway/platform"
import type { APIGatewayProxyResultV2, Context } from "aws-lambda"

/** A function as Lambda calls it, for API Gateway's payload format 2.0. */
export type LambdaHandler = (
  event: HttpEvent,
  context: Context,
) => Promise<APIGatewayProxyResultV2 | HttpResult>

/** One route of the API, and the function that answers it. */
export interface Route {
  /** An HTTP method in capitals, or `ANY`. */
  readonly method: string
  /** In API Gateway's syntax: `/{team_id}/apps/{app_id}`; `{proxy+}`, only at the end, takes all that follows. */
  readonly path: string
  readonly functionName: string
  readonly handler: LambdaHandler
}
