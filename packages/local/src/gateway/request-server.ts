import type { IncomingMessage, ServerResponse } from "node:http"
import { createTurnEnd } from "@sealway/platform"
import { type Admission, type AdmissionRules, admitRequest, announcesBody } from "./admit-request.ts"
import type { Connection } from "./connection.ts"
import { withCorsHeaders } from "./cors.ts"
import { Deadlines } from "./deadlines.ts"
import type { Exchange } from "./exchange.ts"
import { createLambdaContext } from "./lambda-context.ts"
import type { GatewayLimits } from "./limits.ts"
import { isPayloadLargerThan, MAX_JSON_BYTES_PER_CODE_UNIT } from "./payload-size.ts"
import { type GatewayProblemCode, problemResponse } from "./problems.ts"
import { createProxyEvent } from "./proxy-event.ts"
import { type ProxyResponse, readProxyResult } from "./proxy-result.ts"
import { receiveBody } from "./receive-body.ts"
import { readRequestHeaders } from "./request-headers.ts"
import { createRequestIds } from "./request-id.ts"
import { createRequestTimeFormat } from "./request-time.ts"
import { respond, respondEarly } from "./respond.ts"

export interface RequestServerOptions extends Omit<AdmissionRules, "maxRequestBytes"> {
  readonly limits: GatewayLimits
  /** Told of what handlers throw, answer wrongly or do not answer in time. Callers never are. Must not throw. */
  readonly onError: (error: unknown, functionName: string) => void
}

/** A handler that did not answer in time. It is not stopped; what it answers later goes nowhere. */
export class HandlerTimeoutError extends Error {
  override readonly name = "HandlerTimeoutError"
}

type Admitted = Extract<Admission, { kind: "admitted" }>

const NO_BYTES = Buffer.alloc(0)

/** Takes requests of which Node.js has parsed the head through to their answers. */
export class RequestServer {
  readonly #rules: AdmissionRules
  readonly #limits: GatewayLimits
  readonly #maxEventHeadBytes: number
  readonly #onError: RequestServerOptions["onError"]
  readonly #deadlines: Deadlines
  readonly #nextRequestId = createRequestIds()
  readonly #formatRequestTime = createRequestTimeFormat()
  readonly #atTurnEnd = createTurnEnd()

  constructor({ table, cors, limits, isServedHost, onError }: RequestServerOptions) {
    this.#rules = { table, cors, isServedHost, maxRequestBytes: limits.maxRequestBytes }
    this.#limits = limits
    // Path and query stand in an event two or three times; what is the gateway's own is a few hundred bytes.
    this.#maxEventHeadBytes = 3 * limits.maxHeaderBytes * MAX_JSON_BYTES_PER_CODE_UNIT + 4096
    this.#onError = onError
    this.#deadlines = new Deadlines(limits.timeoutMs)
  }

  /** @param isContinueExpected whether the sender waits for leave to send the body (RFC 9110, section 10.1.1) */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
    isContinueExpected: boolean,
  ): void {
    const turn = connection.begin(request)
    if (turn === null) return
    const { method = "", url: target = "", httpVersion } = request
    const headers = readRequestHeaders(request.rawHeaders)
    const exchange = { request, response, connection, turn, headers, requestId: this.#nextRequestId() }
    const admission = admitRequest({ method, target, httpVersion, headers }, this.#rules)
    const hasBody = announcesBody(headers)
    if (admission.kind === "admitted") {
      if (isContinueExpected) response.writeContinue()
      if (hasBody) void this.#receive(exchange, admission)
      else void this.#invoke(exchange, admission, NO_BYTES)
      return
    }
    const answer = admission.isForOrigins ? this.#withCors(exchange, admission.answer) : admission.answer
    if (hasBody) respondEarly(exchange, answer)
    else respond(exchange, answer)
  }

  async #receive(exchange: Exchange, admission: Admitted): Promise<void> {
    const { request, turn } = exchange
    const body = await receiveBody(request, this.#limits.maxRequestBytes)
    // Node.js may have given up waiting for the rest, and the connection was refused.
    if (turn.isOver) return
    if (body === null) respondEarly(exchange, this.#withCors(exchange, problemResponse("payload-too-large")))
    else void this.#invoke(exchange, admission, body)
  }

  async #invoke(exchange: Exchange, { target, match }: Admitted, body: Buffer): Promise<void> {
    const { handler, functionName } = match.route
    const { timeoutMs, maxEventBytes, maxResponseBytes } = this.#limits
    const timeEpochMs = Date.now()
    const time = this.#formatRequestTime(timeEpochMs)
    const event = createProxyEvent(exchange, { target, match, body, timeEpochMs, time })
    if (isPayloadLargerThan(maxEventBytes, event, this.#maxEventHeadBytes)) {
      this.#refuse(exchange, "payload-too-large")
      return
    }
    const context = createLambdaContext(functionName, timeEpochMs + timeoutMs)
    const deadline = this.#deadlines.set(() => {
      this.#refuse(exchange, "service-unavailable")
      this.#onError(new HandlerTimeoutError(`No answer within ${timeoutMs} ms`), functionName)
    })
    try {
      const result = await handler(event, context)
      await new Promise<void>(this.#atTurnEnd)
      if (this.#deadlines.cancel(deadline)) {
        respond(exchange, this.#withCors(exchange, readProxyResult(result, maxResponseBytes)))
      }
    } catch (error) {
      this.#deadlines.cancel(deadline)
      if (!exchange.turn.isOver) this.#refuse(exchange, "internal-server-error")
      this.#onError(error, functionName)
    }
  }

  #refuse(exchange: Exchange, code: GatewayProblemCode): void {
    respond(exchange, this.#withCors(exchange, problemResponse(code)))
  }

  #withCors({ headers }: Exchange, answer: ProxyResponse): ProxyResponse {
    const { cors } = this.#rules
    return cors === null ? answer : withCorsHeaders(cors, headers.fields.origin, answer)
  }
}
