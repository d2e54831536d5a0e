import type { IncomingHttpHeaders } from "node:http"
import type { EmbeddedLambda } from "../embedded-lambda.ts"

export interface LambdaRequest {
  /** From the path, already validated. Empty when the path names none. */
  readonly functionName: string
  readonly headers: IncomingHttpHeaders
  readonly query: URLSearchParams
  readonly body: Buffer
}

export interface LambdaResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON. */
  readonly body: object | Buffer | null
  /** Called when the body was sent, or never will be. */
  readonly sent?: (() => void) | undefined
}

/**
 * Answers one operation of the AWS Lambda API.
 *
 * @throws LambdaError for every refusal that AWS documents
 */
export type LambdaOperation = (request: LambdaRequest, lambda: EmbeddedLambda) => Promise<LambdaResponse>
