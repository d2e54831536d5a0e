import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda"

/**
 * A request in API Gateway's payload format 2.0. A gateway in the handler's own process hands on the bytes of a body as
 * they came, in the place of `body`: writing them as text, and that as bytes again, takes longer than most of what is
 * done with them.
 */
export interface HttpEvent extends APIGatewayProxyEventV2 {
  readonly bodyBytes?: Buffer
}

/** An answer in API Gateway's payload format 2.0. A document that answers bytes may be bytes, in the place of `body`. */
export interface HttpResult extends APIGatewayProxyStructuredResultV2 {
  readonly bodyBytes?: Buffer
}
