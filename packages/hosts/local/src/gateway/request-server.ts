import type { HttpEvent } from "@sealway/http"
import { Deadlines, type MemoryBudget, type ReceivedRequest, SMALL_BYTES } from "@sealway/http/ingress"
import {
  type ApiErrorCode,
  announcesBody,
  CancelledError,
  createTurnEnd,
  type MaybePromise,
  type Work,
} from "@sealway/kernel"
import { isLoopback } from "../addresses/host-address.ts"
import { type Admission, type AdmissionRules, admitRequest } from "./admit-request.ts"
import { createBufferCollector } from "./buffer-collector.ts"
import { withCorsHeaders } from "./cors.ts"
import { type BodyForm, bytesBody, textBody } from "./event-body.ts"
import { type Caller, Exchange } from "./exchange.ts"
import { Forwarding, type ForwardTarget } from "./forwarding.ts"
import { LocalContext } from "./lambda-context.ts"
import type { GatewayLimits } from "./limits.ts"
import type { Load } from "./load.ts"
import { isPayloadLargerThan, MAX_JSON_BYTES_PER_CODE_UNIT, mayBeLargerThan } from "./payload-size.ts"
import { problemResponse, RETRY_AFTER_SECONDS, type Refusal } from "./problems.ts"
import { createProxyEvent } from "./proxy-event.ts"
import { type ProxyResponse, readProxyResultInSteps } from "./proxy-result.ts"
import { freeBody, receiveBody } from "./receive-body.ts"
import type { RequestHeaders } from "./request-headers.ts"
import { createRequestIds } from "./request-id.ts"
import { createRequestTimeFormat } from "./request-time.ts"
import { bodyBytes, respond, respondEarly } from "./respond.ts"
import { MAX_AT_STORAGE, type StorageEndpoint, StoragePass } from "./storage-pass.ts"
import { WorkQueue } from "./work-queue.ts"

export interface RequestServerOptions extends Omit<AdmissionRules, "maxRequestBytes" | "isOfStorage"> {
  /** Null: there is none. */
  readonly storage: StorageEndpoint | null
  /** Answers what has no handler here. Null: everything has one. */
  readonly forwardTarget: ForwardTarget | null
  readonly limits: GatewayLimits
  readonly load: Load
  readonly memory: MemoryBudget
  /** How long a sender may pause within a body. */
  readonly stalls: Deadlines
  /**
   * Called with what handlers throw, answer wrongly or do not answer in time. Callers learn nothing of it. Must not
   * throw.
   */
  readonly onError: (error: unknown, functionName: string) => void
  /** Called with each request that is refused before a handler gets it, or without its answer. Must not throw. */
  readonly onRefusal: (refusal: GatewayRefusal) => void
}

/** A request that the gateway itself refused. */
export interface GatewayRefusal {
  readonly requestId: string
  readonly code: ApiErrorCode
  readonly status: number
}

/** A handler did not answer in time. It is cancelled, and a later answer is discarded. */
export class HandlerTimeoutError extends Error {
  override readonly name = "HandlerTimeoutError"
}

type Admitted = Extract<Admission, { kind: "admitted" }>

const NO_BYTES = Buffer.alloc(0)

/** How often a body is in memory before its handler decodes it: as text, it also is in the event, and escaped in steps. */
const BODY_COPIES: Readonly<Record<BodyForm, number>> = { bytes: 1, text: 3 }

/** A body of unknown length is also in memory in chunks, while they are joined. */
const CHUNKED_COPIES = 2

/** Handles requests whose head Node.js has parsed, up to their answers. */
export class RequestServer {
  readonly #rules: AdmissionRules
  readonly #limits: GatewayLimits
  readonly #storage: StoragePass | null
  readonly #forwarding: Forwarding | null
  readonly #load: Load
  readonly #memory: MemoryBudget
  readonly #stalls: Deadlines
  readonly #queue = new WorkQueue()
  readonly #maxEventHeadBytes: number
  readonly #onError: RequestServerOptions["onError"]
  readonly #onRefusal: RequestServerOptions["onRefusal"]
  readonly #deadlines: Deadlines
  readonly #nextRequestId = createRequestIds()
  readonly #formatRequestTime = createRequestTimeFormat()
  readonly #atTurnEnd = createTurnEnd()
  readonly #collect = createBufferCollector()
  /** How long a connection is not read after a request on it was refused because of load. */
  readonly #rests = new Deadlines(RETRY_AFTER_SECONDS * 1000)

  constructor({
    table,
    answerUnknown,
    cors,
    limits,
    load,
    memory,
    stalls,
    isServedHost,
    storage,
    forwardTarget,
    onError,
    onRefusal,
  }: RequestServerOptions) {
    const { maxRequestBytes } = limits
    this.#storage =
      storage &&
      new StoragePass({
        ...storage,
        stalls,
        graceMs: limits.stallTimeoutMs,
        withCors: (exchange, answer) => this.#withCors(exchange, answer),
        respond: (exchange, answer) => this.#respondToEither(exchange, answer),
      })
    this.#forwarding =
      forwardTarget &&
      new Forwarding({
        target: forwardTarget,
        maxRequests: limits.maxRequestsInFlight + MAX_AT_STORAGE,
        lingerMs: limits.lingerMs,
        refuse: (exchange, refusal) => this.#respondToEither(exchange, problemResponse(refusal)),
      })
    const isOfStorage = (path: string) => this.#storage?.covers(path) ?? false
    this.#rules = { table, answerUnknown, cors, isServedHost, maxRequestBytes, isOfStorage }
    this.#limits = limits
    this.#load = load
    this.#memory = memory
    this.#stalls = stalls
    // Path and query occur in an event two or three times; the gateway's own fields take a few hundred bytes.
    this.#maxEventHeadBytes = 3 * limits.maxHeaderBytes * MAX_JSON_BYTES_PER_CODE_UNIT + 4096
    this.#onError = onError
    this.#onRefusal = onRefusal
    this.#deadlines = new Deadlines(limits.timeoutMs)
  }

  /** Closes the connections to the storage, once no request is in flight. */
  close(): void {
    this.#storage?.close()
  }

  serve(received: ReceivedRequest<Caller, Refusal>): void {
    const exchange = new Exchange(received, {
      memory: this.#memory,
      requestId: this.#nextRequestId(),
      onStart: (started) => this.#start(started),
    })
    received.connection.take(exchange)
  }

  #start(exchange: Exchange): void {
    const { request, response, headers, isContinueExpected } = exchange
    const { method = "", url: target = "", httpVersion, rawHeaders } = request
    const isLocal = isLoopback(exchange.connection.context.sourceIp)
    const admission = admitRequest({ method, target, httpVersion, headers, isLocal }, this.#rules)
    const hasBody = announcesBody(rawHeaders)
    if (admission.kind === "admitted") {
      if (!hasBody) this.#enter(exchange, admission, NO_BYTES)
      else if (this.#isTooLargeForNow(admission, headers)) this.#refuseEarly(exchange, "overloaded")
      else {
        if (isContinueExpected) response.writeContinue()
        this.#receive(exchange, admission)
      }
      return
    }
    if (admission.kind === "storage") {
      this.#storage?.serve(exchange, target)
      return
    }
    if (admission.kind === "forwarded") {
      this.#forwarding?.serve(exchange)
      return
    }
    const answer = admission.isForOrigins ? this.#withCors(exchange, admission.answer) : admission.answer
    this.#note(exchange, answer)
    if (hasBody) respondEarly(exchange, answer, this.#limits.lingerMs, this.#collect)
    else respond(exchange, answer)
  }

  /** Whether a body need not be sent, since it would not fit. A small one has usually arrived already. */
  #isTooLargeForNow({ match }: Admitted, { fields }: RequestHeaders): boolean {
    const bytes = Number(fields["content-length"] ?? 0)
    if (bytes <= SMALL_BYTES) return false
    return !this.#load.hasRoom(match.route.functionName, true) || !this.#memory.hasRoomFor(this.#held(bytes))
  }

  /** Returns how much memory a body takes until its handler decodes it. */
  #held(bytes: number): number {
    return bytes * BODY_COPIES[this.#limits.bodyForm]
  }

  #receive(exchange: Exchange, admission: Admitted): void {
    const stated = exchange.headers.fields["content-length"]
    const statedBytes = stated === undefined ? null : Number(stated)
    const copies = statedBytes === null ? CHUNKED_COPIES : 1
    const options = {
      statedBytes,
      maxBytes: this.#limits.maxRequestBytes,
      take: (bytes: number) => exchange.receive(copies * this.#held(bytes)),
      collect: this.#collect,
      stalls: this.#stalls,
    }
    receiveBody(exchange.request, options, (body) => {
      // Node.js may have stopped waiting for the rest, and refused the connection.
      if (Buffer.isBuffer(body) && !exchange.isOver) {
        this.#enter(exchange, admission, body)
        return
      }
      exchange.release()
      if (Buffer.isBuffer(body)) freeBody(body)
      else if (body !== "gone" && !exchange.isOver) this.#refuseEarly(exchange, body)
    })
  }

  /** Counts a completely received request as in flight, or refuses it. */
  #enter(exchange: Exchange, admission: Admitted, body: Buffer): void {
    const { functionName } = admission.match.route
    const { length: bytes } = body
    const isLarge = bytes > SMALL_BYTES
    if (!this.#load.hasRoom(functionName, isLarge)) {
      freeBody(body)
      this.#refuse(exchange, "overloaded")
      return
    }
    this.#load.begin(functionName, isLarge)
    exchange.beginWork()
    const leave = (answerBytes: number) => {
      this.#load.end(functionName, isLarge)
      this.#queue.end({ functionName, bytes })
      return exchange.endWork(answerBytes)
    }
    const start = () => {
      if (!exchange.connection.isGone) this.#invoke(exchange, admission, body, leave)
      else {
        // Its sender has left while it waited.
        leave(0)
        freeBody(body)
      }
    }
    // All that arrived in this turn are handled one after another: between reading two requests, handlers would find
    // nothing of theirs in the processor's caches, and take half as long again.
    this.#atTurnEnd(() => this.#queue.run({ functionName, bytes, start }))
  }

  /** @param leave called once, when the handler has ended, with the size of the answer that is sent */
  #invoke(
    exchange: Exchange,
    admitted: Admitted,
    body: Buffer,
    leave: (answerBytes: number) => boolean,
  ): void {
    const { functionName } = admitted.match.route
    const deadline = this.#deadlines.set(() => {
      exchange.task.cancel(new CancelledError("deadline"))
      this.#refuse(exchange, "timed-out")
      this.#onError(new HandlerTimeoutError(`No response within ${this.#limits.timeoutMs} ms`), functionName)
    })
    this.#handle(exchange, admitted, body, (outcome) => {
      const isInTime = this.#deadlines.cancel(deadline)
      const answer = isInTime && typeof outcome === "object" ? outcome : null
      const fits = leave(answer === null ? 0 : bodyBytes(answer))
      if (!isInTime || exchange.isOver) return
      if (answer === null) this.#refuse(exchange, outcome === "too-large" ? outcome : "failed")
      else if (fits) this.#send(exchange, answer, functionName)
      else this.#refuse(exchange, "answer-overloaded")
    })
  }

  /** Has the handler answer, and calls back once: at the end of the turn, with an answer. */
  #handle(
    exchange: Exchange,
    admitted: Admitted,
    body: Buffer,
    done: (outcome: ProxyResponse | "too-large" | "failed") => void,
  ): void {
    const { task } = exchange
    const { handler, match } = admitted
    const { functionName } = match.route
    const { timeoutMs, maxResponseBytes } = this.#limits
    const timeEpochMs = Date.now()
    const fail = (error: unknown) => {
      if (error !== task.cancelled) this.#onError(error, functionName)
      done("failed")
    }
    const createEvent = () => task.run(this.#createEventInSteps(exchange, admitted, body, timeEpochMs))
    const call = (event: HttpEvent | null) => {
      if (event === null) {
        done("too-large")
        return
      }
      const { sender } = exchange.connection.context
      const context = new LocalContext(functionName, timeEpochMs + timeoutMs, task, sender)
      continueWith(() => handler(event, context), read, fail)
    }
    const read = (result: unknown) =>
      this.#atTurnEnd(() =>
        continueWith(() => task.run(readProxyResultInSteps(result, maxResponseBytes)), done, fail),
      )
    continueWith(createEvent, call, fail)
  }

  /** Returns null for a request whose event would be too large. */
  *#createEventInSteps(
    exchange: Exchange,
    { target, match }: Admitted,
    body: Buffer,
    timeEpochMs: number,
  ): Work<HttpEvent | null> {
    const { bodyForm, maxEventBytes } = this.#limits
    const eventBody =
      bodyForm === "bytes" ? bytesBody(body) : yield* textBody(body, exchange.headers.fields["content-type"])
    const time = this.#formatRequestTime(timeEpochMs)
    const event = createProxyEvent(exchange, { target, match, eventBody, timeEpochMs, time })
    const isNearLimit = mayBeLargerThan(maxEventBytes, event, this.#maxEventHeadBytes)
    return isNearLimit && (yield* isPayloadLargerThan(maxEventBytes, event)) ? null : event
  }

  /** Sends what a handler has answered, unless HTTP cannot carry it. */
  #send(exchange: Exchange, answer: ProxyResponse, functionName: string): void {
    try {
      respond(exchange, this.#withCors(exchange, answer))
    } catch (error) {
      this.#refuse(exchange, "failed")
      this.#onError(error, functionName)
    }
  }

  /** Answers a request whose body may still be arriving. */
  #respondToEither(exchange: Exchange, answer: ProxyResponse): void {
    const forOrigins = this.#withCors(exchange, answer)
    this.#note(exchange, answer)
    if (exchange.request.complete || !announcesBody(exchange.request.rawHeaders))
      respond(exchange, forOrigins)
    else respondEarly(exchange, forOrigins, this.#limits.lingerMs, this.#collect)
  }

  #refuse(exchange: Exchange, refusal: Refusal): void {
    exchange.release()
    const answer = problemResponse(refusal)
    this.#note(exchange, answer)
    respond(exchange, this.#withCors(exchange, answer))
    if (refusal === "overloaded") {
      exchange.response.once("close", () => exchange.connection.rest(this.#rests))
    }
  }

  #refuseEarly(exchange: Exchange, refusal: Refusal): void {
    const answer = problemResponse(refusal)
    this.#note(exchange, answer)
    respondEarly(exchange, this.#withCors(exchange, answer), this.#limits.lingerMs, this.#collect)
  }

  #note({ requestId }: Exchange, { refusal: code, statusCode: status }: ProxyResponse): void {
    if (code !== undefined) this.#onRefusal({ requestId, code, status })
  }

  #withCors({ headers }: Exchange, answer: ProxyResponse): ProxyResponse {
    const { cors } = this.#rules
    return cors === null ? answer : withCorsHeaders(cors, headers.fields.origin, answer)
  }
}

/** Does something, and calls `next` with what it returns or `fail` with what it throws: at once if nothing is waited for. */
function continueWith<Value>(
  work: () => MaybePromise<Value>,
  next: (value: Value) => void,
  fail: (error: unknown) => void,
): void {
  let value: MaybePromise<Value>
  try {
    value = work()
  } catch (error) {
    fail(error)
    return
  }
  if (value instanceof Promise) value.then(next, fail)
  else next(value)
}
