import type { IncomingMessage, ServerResponse } from "node:http"
import type { ClientConnection, ReceivedRequest, Turn } from "@sealway/platform/ingress"
import type { BytesHolder, Load } from "./load.ts"
import type { Refusal } from "./problems.ts"
import { type RequestHeaders, readRequestHeaders } from "./request-headers.ts"

/** A connection of the gateway. */
export type CallerConnection = ClientConnection<{ readonly sourceIp: string }, Refusal>

export interface ExchangeOptions {
  readonly load: Load
  /** Handlers find it in `requestContext.requestId`, callers in the header `apigw-requestid`. */
  readonly requestId: string
  /** Called when it is the request's turn. */
  readonly onStart: (exchange: Exchange) => void
}

/** One request, the answer that it is owed, and the bytes that both hold. */
export class Exchange implements Turn<Refusal>, BytesHolder {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly connection: CallerConnection
  readonly headers: RequestHeaders
  readonly isContinueExpected: boolean
  readonly requestId: string
  heldBytes = 0
  /** True once its answer has started, while the request may still be arriving. */
  isAnswered = false
  /** True once it is answered, or never will be. */
  isOver = false
  readonly #load: Load
  readonly #onStart: (exchange: Exchange) => void

  constructor(
    { request, response, connection, isContinueExpected }: ReceivedRequest<{ sourceIp: string }, Refusal>,
    { load, requestId, onStart }: ExchangeOptions,
  ) {
    this.request = request
    this.response = response
    this.connection = connection
    this.isContinueExpected = isContinueExpected
    this.headers = readRequestHeaders(request.rawHeaders)
    this.requestId = requestId
    this.#load = load
    this.#onStart = onStart
  }

  get isReceiving(): boolean {
    return !this.isAnswered && !this.isOver && !this.request.complete
  }

  start(): void {
    this.#onStart(this)
  }

  fail(): boolean {
    this.isOver = true
    this.#load.release(this)
    return false
  }

  settled(): void {
    this.#load.release(this)
  }

  /** Ends the exchange after its whole response was written. */
  end(): void {
    this.isOver = true
    this.connection.end(this, this.response)
  }
}
