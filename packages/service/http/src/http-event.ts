import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda"

/**
 * A request in API Gateway's payload format 2.0. A gateway in the handler's own process passes the bytes of a body on
 * unchanged instead of `body`: converting them to text and back takes longer than most of the work on them.
 */
export interface HttpEvent extends APIGatewayProxyEventV2 {
  readonly bodyBytes?: Buffer
}

/** An answer in API Gateway's payload format 2.0. A document may be bytes instead of `body`. */
export interface HttpResult extends APIGatewayProxyStructuredResultV2 {
  readonly bodyBytes?: Buffer
}
