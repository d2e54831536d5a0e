import type { IncomingMessage, ServerResponse } from "node:http"
import type { Connection, Turn } from "./connection.ts"
import type { RequestHeaders } from "./request-headers.ts"

/** One request, and the answer it is owed. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly connection: Connection
  readonly turn: Turn
  readonly headers: RequestHeaders
  /** Handlers find it in `requestContext.requestId`, callers in the header `apigw-requestid`. */
  readonly requestId: string
}
