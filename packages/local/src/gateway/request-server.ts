import { announcesBody, createTurnEnd, processTurns, type Work } from "@sealway/kernel"
import type { HttpEvent } from "@sealway/platform"
import { Deadlines, type ReceivedRequest } from "@sealway/platform/ingress"
import { type Admission, type AdmissionRules, admitRequest } from "./admit-request.ts"
import { withCorsHeaders } from "./cors.ts"
import { encodeEventBody } from "./event-body.ts"
import { Exchange } from "./exchange.ts"
import { createLambdaContext } from "./lambda-context.ts"
import type { GatewayLimits } from "./limits.ts"
import { type Load, SMALL_BYTES } from "./load.ts"
import { isPayloadLargerThan, MAX_JSON_BYTES_PER_CODE_UNIT } from "./payload-size.ts"
import { problemResponse, RETRY_AFTER_SECONDS, type Refusal } from "./problems.ts"
import { createProxyEvent } from "./proxy-event.ts"
import { type ProxyResponse, readProxyResultInSteps } from "./proxy-result.ts"
import { receiveBody } from "./receive-body.ts"
import type { RequestHeaders } from "./request-headers.ts"
import { createRequestIds } from "./request-id.ts"
import { createRequestTimeFormat } from "./request-time.ts"
import { bodyBytes, respond, respondEarly } from "./respond.ts"
import { type StorageEndpoint, StoragePass } from "./storage-pass.ts"
import { WorkQueue } from "./work-queue.ts"

export interface RequestServerOptions extends Omit<AdmissionRules, "maxRequestBytes" | "isOfStorage"> {
  /** Null: there is none. */
  readonly storage: StorageEndpoint | null
  readonly limits: GatewayLimits
  readonly load: Load
  /** How long a sender may pause within a body. */
  readonly stalls: Deadlines
  /**
   * Called with what handlers throw, answer wrongly or do not answer in time. Callers learn nothing of it. Must not
   * throw.
   */
  readonly onError: (error: unknown, functionName: string) => void
}

/** A handler did not answer in time. It is not stopped, and a later answer is discarded. */
export class HandlerTimeoutError extends Error {
  override readonly name = "HandlerTimeoutError"
}

type Admitted = Extract<Admission, { kind: "admitted" }>

const NO_BYTES = Buffer.alloc(0)

/** Handles requests whose head Node.js has parsed, up to their answers. */
export class RequestServer {
  readonly #rules: AdmissionRules
  readonly #limits: GatewayLimits
  readonly #storage: StoragePass | null
  readonly #load: Load
  readonly #stalls: Deadlines
  readonly #queue = new WorkQueue()
  readonly #maxEventHeadBytes: number
  readonly #onError: RequestServerOptions["onError"]
  readonly #deadlines: Deadlines
  readonly #nextRequestId = createRequestIds()
  readonly #formatRequestTime = createRequestTimeFormat()
  readonly #atTurnEnd = createTurnEnd()
  /** How long a connection is not read after a request on it was refused because of load. */
  readonly #rests = new Deadlines(RETRY_AFTER_SECONDS * 1000)

  constructor({
    table,
    answerUnknown,
    cors,
    limits,
    load,
    stalls,
    isServedHost,
    storage,
    onError,
  }: RequestServerOptions) {
    const { maxRequestBytes } = limits
    this.#storage =
      storage &&
      new StoragePass({
        ...storage,
        stalls,
        withCors: (exchange, answer) => this.#withCors(exchange, answer),
        respond: (exchange, answer) => this.#respondToEither(exchange, answer),
      })
    const isOfStorage = (path: string) => this.#storage?.covers(path) ?? false
    this.#rules = { table, answerUnknown, cors, isServedHost, maxRequestBytes, isOfStorage }
    this.#limits = limits
    this.#load = load
    this.#stalls = stalls
    // Path and query occur in an event two or three times; the gateway's own fields take a few hundred bytes.
    this.#maxEventHeadBytes = 3 * limits.maxHeaderBytes * MAX_JSON_BYTES_PER_CODE_UNIT + 4096
    this.#onError = onError
    this.#deadlines = new Deadlines(limits.timeoutMs)
  }

  /** Closes the connections to the storage, once no request is in flight. */
  close(): void {
    this.#storage?.close()
  }

  serve(received: ReceivedRequest<{ sourceIp: string }, Refusal>): void {
    const exchange = new Exchange(received, {
      load: this.#load,
      requestId: this.#nextRequestId(),
      onStart: (started) => this.#start(started),
    })
    received.connection.take(exchange)
  }

  #start(exchange: Exchange): void {
    const { request, response, headers, isContinueExpected } = exchange
    const { method = "", url: target = "", httpVersion, rawHeaders } = request
    const admission = admitRequest({ method, target, httpVersion, headers }, this.#rules)
    const hasBody = announcesBody(rawHeaders)
    if (admission.kind === "admitted") {
      if (!hasBody) this.#enter(exchange, admission, NO_BYTES)
      else if (this.#isTooLargeForNow(admission, headers)) this.#refuseEarly(exchange, "overloaded")
      else {
        if (isContinueExpected) response.writeContinue()
        void this.#receive(exchange, admission)
      }
      return
    }
    if (admission.kind === "storage") {
      this.#storage?.serve(exchange, target)
      return
    }
    const answer = admission.isForOrigins ? this.#withCors(exchange, admission.answer) : admission.answer
    if (hasBody) respondEarly(exchange, answer, this.#limits.lingerMs)
    else respond(exchange, answer)
  }

  /** Whether a body need not be sent, since it would not fit. A small one has usually arrived already. */
  #isTooLargeForNow({ match }: Admitted, { fields }: RequestHeaders): boolean {
    const bytes = Number(fields["content-length"] ?? 0)
    return bytes > SMALL_BYTES && !this.#load.hasRoom(match.route.functionName, bytes)
  }

  async #receive(exchange: Exchange, admission: Admitted): Promise<void> {
    const body = await receiveBody(exchange.request, {
      maxBytes: this.#limits.maxRequestBytes,
      take: (bytes) => this.#load.take(exchange, bytes),
      stalls: this.#stalls,
    })
    // Node.js may have stopped waiting for the rest, and refused the connection.
    if (Buffer.isBuffer(body) && !exchange.isOver) {
      this.#enter(exchange, admission, body)
      return
    }
    this.#load.release(exchange)
    if (!Buffer.isBuffer(body) && body !== "gone" && !exchange.isOver) this.#refuseEarly(exchange, body)
  }

  /** Counts a completely received request as in flight, or refuses it. */
  #enter(exchange: Exchange, admission: Admitted, body: Buffer): void {
    const { functionName } = admission.match.route
    if (!this.#load.hasRoom(functionName, 0)) {
      this.#refuse(exchange, "overloaded")
      return
    }
    this.#load.begin(functionName)
    const { length: bytes } = body
    const leave = () => {
      this.#load.end(functionName)
      this.#load.release(exchange)
      this.#queue.end({ functionName, bytes })
    }
    const start = () => {
      // Its sender may have left while it waited.
      if (exchange.connection.isGone) leave()
      else void this.#invoke(exchange, admission, body, leave)
    }
    this.#queue.run({ functionName, bytes, start })
  }

  /** @param leave called once, when the handler has answered, failed or timed out */
  async #invoke(exchange: Exchange, admitted: Admitted, body: Buffer, leave: () => void): Promise<void> {
    const { handler, functionName } = admitted.match.route
    const { timeoutMs, maxResponseBytes } = this.#limits
    const timeEpochMs = Date.now()
    const deadline = this.#deadlines.set(() => {
      leave()
      this.#refuse(exchange, "timed-out")
      this.#onError(new HandlerTimeoutError(`No response within ${timeoutMs} ms`), functionName)
    })
    /** Returns false when the time was already over. */
    const settle = () => {
      const isInTime = this.#deadlines.cancel(deadline)
      if (isInTime) leave()
      return isInTime
    }
    try {
      const event = await processTurns.run(this.#createEventInSteps(exchange, admitted, body, timeEpochMs))
      if (event === null) {
        settle()
        this.#refuse(exchange, "too-large")
        return
      }
      const result = await handler(event, createLambdaContext(functionName, timeEpochMs + timeoutMs))
      await new Promise<void>(this.#atTurnEnd)
      const answer = await processTurns.run(readProxyResultInSteps(result, maxResponseBytes))
      if (settle()) this.#respond(exchange, answer)
    } catch (error) {
      settle()
      if (!exchange.isOver) this.#refuse(exchange, "failed")
      this.#onError(error, functionName)
    }
  }

  /** Returns null for a request whose event would be too large. */
  *#createEventInSteps(
    exchange: Exchange,
    { target, match }: Admitted,
    body: Buffer,
    timeEpochMs: number,
  ): Work<HttpEvent | null> {
    const { bodyForm, maxEventBytes } = this.#limits
    const eventBody = yield* encodeEventBody(body, exchange.headers.fields["content-type"], bodyForm)
    const time = this.#formatRequestTime(timeEpochMs)
    const event = createProxyEvent(exchange, { target, match, eventBody, timeEpochMs, time })
    return (yield* isPayloadLargerThan(maxEventBytes, event, this.#maxEventHeadBytes)) ? null : event
  }

  #respond(exchange: Exchange, answer: ProxyResponse): void {
    if (this.#load.takeAnswer(exchange, bodyBytes(answer)))
      respond(exchange, this.#withCors(exchange, answer))
    else this.#refuse(exchange, "answer-overloaded")
  }

  /** Answers a request whose body may still be arriving. */
  #respondToEither(exchange: Exchange, answer: ProxyResponse): void {
    const forOrigins = this.#withCors(exchange, answer)
    if (exchange.request.complete || !announcesBody(exchange.request.rawHeaders))
      respond(exchange, forOrigins)
    else respondEarly(exchange, forOrigins, this.#limits.lingerMs)
  }

  #refuse(exchange: Exchange, refusal: Refusal): void {
    this.#load.release(exchange)
    respond(exchange, this.#withCors(exchange, problemResponse(refusal)))
    if (refusal === "overloaded") {
      exchange.response.once("close", () => exchange.connection.rest(this.#rests))
    }
  }

  #refuseEarly(exchange: Exchange, refusal: Refusal): void {
    respondEarly(exchange, this.#withCors(exchange, problemResponse(refusal)), this.#limits.lingerMs)
  }

  #withCors({ headers }: Exchange, answer: ProxyResponse): ProxyResponse {
    const { cors } = this.#rules
    return cors === null ? answer : withCorsHeaders(cors, headers.fields.origin, answer)
  }
}
