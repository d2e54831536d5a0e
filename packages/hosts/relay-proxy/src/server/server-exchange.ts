import type { IncomingMessage, ServerResponse } from "node:http"
import type { ReceivedRequest, Turn } from "@sealway/http/ingress"
import { announcesBody, headerLines, headerOf, type RawHeaders } from "@sealway/kernel"
import type { Log } from "@sealway/ports"
import { RelayError } from "@sealway/relay-engine"
import type { Body, InboundRequest, OutboundReply, RelayHandler } from "../exchange.ts"
import { forwardResponseHeaders } from "../hop-by-hop.ts"
import type { RelayLimits } from "../limits.ts"
import { type AdmittedRequest, admitRequest } from "./admit-request.ts"
import type { ConnectionContext, RelayConnection } from "./connection-context.ts"
import { problemReply } from "./problem-reply.ts"
import { collectBody, RequestBody } from "./request-body.ts"
import { writeReply } from "./write-reply.ts"

export interface ServerExchangeOptions {
  readonly limits: RelayLimits
  readonly log: Pick<Log, "error">
  readonly nextId: () => string
  /** From `createTurnEnd`. */
  readonly atTurnEnd: (task: () => void) => void
  /** Answers requests that are for a forward proxy itself. */
  readonly onOriginForm: RelayHandler
}

const NO_HEADERS: RawHeaders = []
const UNEXPECTED = "An unexpected error occurred."

/** One request whose head the HTTP parser has read, and its answer. */
export class ServerExchange implements Turn<RelayError> {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #connection: RelayConnection
  readonly #isContinueExpected: boolean
  readonly #options: ServerExchangeOptions
  #body: RequestBody | null = null
  #isHandled = false
  #release: () => void = () => {}

  constructor(
    { request, response, connection, isContinueExpected }: ReceivedRequest<ConnectionContext, RelayError>,
    options: ServerExchangeOptions,
  ) {
    this.#request = request
    this.#response = response
    this.#connection = connection
    this.#isContinueExpected = isContinueExpected
    this.#options = options
  }

  get isReceiving(): boolean {
    // A request is not complete while its head is being checked, even without a body.
    return !this.#request.complete && announcesBody(this.#request.rawHeaders)
  }

  start(): void {
    const { method = "", url: target = "", httpVersion, rawHeaders } = this.#request
    const { limits } = this.#options
    try {
      const admitted = admitRequest(
        { method, target, httpVersion, rawHeaders },
        this.#connection.context,
        limits,
      )
      this.#receive(admitted)
    } catch (error) {
      this.#refuse(error)
    }
  }

  fail(error: RelayError): boolean {
    if (this.#body !== null) this.#body.destroy(error)
    else if (!this.#isHandled) this.#refuse(error)
    return true
  }

  settled(): void {
    this.#release()
  }

  #receive(admitted: AdmittedRequest): void {
    const { limits } = this.#options
    const { body, contentLength, refusal, isForProxy } = admitted
    if (refusal !== null) this.#doubtFraming()
    if (refusal !== null && isForProxy) throw refusal
    if (body === "none") {
      this.#handleAtTurnEnd(admitted, null)
    } else if (contentLength !== null && contentLength <= limits.maxBufferedBytes) {
      this.#askForBody()
      collectBody(this.#request, (content) => this.#handleAtTurnEnd(admitted, content))
    } else {
      this.#body = new RequestBody(this.#request, {
        maxBytes: contentLength ?? limits.maxChunkedBytes,
        onRead: () => this.#askForBody(),
      })
      this.#handle(admitted, this.#body)
    }
  }

  /**
   * Where a refused request with a `Transfer-Encoding` ends is ambiguous to others (RFC 9112 section 6.3), and what
   * follows one with `Upgrade` may be another protocol.
   */
  #doubtFraming(): void {
    const { rawHeaders } = this.#request
    const isDoubtful = ["transfer-encoding", "upgrade"].some(
      (name) => headerOf(rawHeaders, name) !== undefined,
    )
    if (isDoubtful) this.#connection.close()
  }

  #askForBody(): void {
    if (this.#isContinueExpected && !this.#response.headersSent) this.#response.writeContinue()
  }

  /** Handled together with everything that arrived in this turn: code and caches are then warm for the next one. */
  #handleAtTurnEnd(admitted: AdmittedRequest, body: Buffer | null): void {
    this.#options.atTurnEnd(() => {
      if (!this.#isHandled) this.#handle(admitted, body)
    })
  }

  #handle(admitted: AdmittedRequest, body: Body): void {
    this.#isHandled = true
    const { isForProxy, host, port, target, contentLength, refusal } = admitted
    const { log, nextId, atTurnEnd, onOriginForm } = this.#options
    const { mode, scheme, ip, tunnel, handler } = this.#connection.context
    const { method = "", rawHeaders } = this.#request
    const id = nextId()
    const request: InboundRequest = {
      id,
      mode,
      method,
      target,
      scheme,
      host,
      port,
      rawHeaders,
      body,
      contentLength,
      refusal,
      trailers: () => this.#request.rawTrailers,
      ip,
      signal: this.#connection.signal,
      credentials: tunnel?.credentials ?? null,
      onInformation: (status, headers) => this.#inform(status, headers),
    }
    const answer = isForProxy ? onOriginForm : handler
    answer(request).then(
      (reply) => {
        // A stream must always have a reader, because it could fail meanwhile.
        if (reply.body !== null && !Buffer.isBuffer(reply.body)) this.#answer(reply)
        else atTurnEnd(() => this.#answer(reply))
      },
      (error: unknown) => {
        log.error("A relay's handler failed", { requestId: id, error })
        this.#refuse(error)
      },
    )
  }

  #refuse(error: unknown): void {
    this.#isHandled = true
    this.#doubtFraming()
    const { mode } = this.#connection.context
    this.#answer(
      error instanceof RelayError
        ? problemReply(error.code, error.message, { mode, retryAfterSeconds: error.retryAfterSeconds })
        : problemReply("internal-server-error", UNEXPECTED, { mode }),
    )
  }

  #answer(reply: OutboundReply): void {
    const { limits, log } = this.#options
    const connection = this.#connection
    const response = this.#response
    this.#release = reply.release ?? this.#release
    // A client that disconnected gets no answer, and nobody waits for the rest of it.
    const leave = () => {
      if (reply.body !== null && !Buffer.isBuffer(reply.body)) reply.body.destroy()
      this.#release()
    }
    if (connection.isGone || response.headersSent) {
      leave()
      return
    }
    this.#body?.destroy()
    const isEarly = this.isReceiving
    if (isEarly) {
      connection.close()
      response.once("close", () => this.#release())
    }
    const target = {
      request: this.#request,
      response,
      isLast: connection.isLast(this),
      isEarly,
      lingerMs: limits.lingerMs,
      begin: () => connection.watch(this),
      limitReading: () => connection.limitReading(response),
      progress: () => connection.progress(),
      end: () => connection.end(this, response),
      breakOff: () => connection.destroy(),
    }
    try {
      writeReply(reply, target)
    } catch (error) {
      log.error("A response could not be written", { error })
      leave()
      if (response.headersSent) connection.destroy()
      else writeReply(problemReply("proxy-error", "The destination's response is not valid HTTP."), target)
    }
  }

  /** Forwards a destination's 1xx answers. A client that does not read them misses them. */
  #inform(status: number, rawHeaders: RawHeaders): void {
    const { socket } = this.#response
    const { httpVersion } = this.#request
    if (socket === null || this.#response.headersSent || socket.writableLength > 0 || httpVersion !== "1.1")
      return
    const headers = status === 100 ? NO_HEADERS : forwardResponseHeaders(rawHeaders)
    socket.write(`HTTP/1.1 ${status} \r\n${headerLines(headers)}\r\n`, "latin1")
  }
}
