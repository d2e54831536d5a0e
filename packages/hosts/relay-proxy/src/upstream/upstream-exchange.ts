import { joinChunks, type RawHeaders, statedLength } from "@sealway/kernel"
import { RelayError } from "@sealway/relay-engine"
import type { Dispatcher } from "undici"
import type { UpstreamReply, UpstreamRequest } from "../exchange.ts"
import { HeldBody } from "../held-body.ts"
import { ReplyBody } from "./reply-body.ts"
import { toRelayError } from "./upstream-error.ts"

export interface UpstreamExchangeOptions {
  readonly request: UpstreamRequest
  readonly timeoutMs: number
  /** A body of known size is collected up to this size, rather than streamed. */
  readonly maxBufferedBytes: number
  /** Whether it may be sent once more, so that its body is kept until an answer begins. */
  readonly isRepeatable: boolean
  readonly resolve: (reply: UpstreamReply) => void
  /**
   * `isUnanswered`: not a byte of an answer has arrived.
   *
   * @returns whether the request is sent once more
   */
  readonly reject: (error: unknown, isUnanswered: boolean) => boolean
  /** Called once, when undici has released the request: later than its failure, if it was waiting for a connection. */
  readonly release: () => void
}

const NO_TRAILERS: RawHeaders = []
const SWITCHING_PROTOCOLS = 101

/** One request to a destination, from its dispatch by undici to the last byte of its answer. */
export class UpstreamExchange implements Dispatcher.DispatchHandler {
  readonly #options: UpstreamExchangeOptions
  readonly #deadline: NodeJS.Timeout
  readonly #abort = () => this.#fail(new RelayError("bad-request", "The client closed the connection."))
  #controller: Dispatcher.DispatchController | null = null
  /** Set when it failed before undici started it. */
  #failure: Error | null = null
  #isSent = false
  #isStarted = false
  #isOver = false
  #isRepeated = false
  #isSettled = false
  #status = 0
  #statusMessage = ""
  #rawHeaders: RawHeaders = []
  /** Apart, because an answer that is being read leads to it, and must not lead to the request. */
  readonly #trailers: { raw: RawHeaders } = { raw: NO_TRAILERS }
  /** Received parts of the body while it is undecided whether it is streamed. */
  #chunks: Buffer[] = []
  /** Whether to wait for the whole body. */
  #isCollected = false
  #body: ReplyBody | null = null

  constructor(options: UpstreamExchangeOptions) {
    this.#options = options
    this.#deadline = setTimeout(() => this.#expire(), options.timeoutMs)
    options.request.signal.addEventListener("abort", this.#abort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#failure !== null) controller.abort(this.#failure)
  }

  onRequestSent(): void {
    this.#isSent = true
    this.#letGoOnceSent()
  }

  onResponseStarted(): void {
    this.#isStarted = true
    this.#letGoOnceSent()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusMessage = "",
  ): void {
    const rawHeaders = toText(controller.rawHeaders)
    // If forwarded, a proxy in front of the client would take everything that follows for another protocol.
    if (status === SWITCHING_PROTOCOLS) {
      this.#fail(
        new RelayError("proxy-error", "The destination switched protocols without being asked.", {
          stage: "destination",
        }),
      )
      return
    }
    // RFC 9110 section 15: a status has three digits, the first of them from 1 to 5.
    if (status < 100) {
      this.#fail(
        new RelayError("proxy-error", "The destination's response is not HTTP.", { stage: "destination" }),
      )
      return
    }
    if (status < 200) {
      this.#options.request.onInformation?.(status, rawHeaders)
      return
    }
    this.#status = status
    this.#statusMessage = statusMessage
    this.#rawHeaders = rawHeaders
    if (this.#options.request.method === "HEAD" || status === 204 || status === 304) {
      this.#settle(null)
      return
    }
    const length = statedLength(rawHeaders)
    this.#isCollected = length !== null && length <= this.#options.maxBufferedBytes
    // A small body often arrives with its headers, and is then complete by the end of this turn.
    if (!this.#isCollected) process.nextTick(() => this.#stream())
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body !== null) this.#body.add(chunk)
    else this.#chunks.push(chunk)
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.#options.release()
    if (!this.#isOver) {
      this.#trailers.raw = toText(controller.rawTrailers)
      this.#end()
      this.#letGo()
      if (this.#body !== null) this.#body.end()
      else if (!this.#isSettled) this.#settle(joinChunks(this.#chunks))
    }
    this.#options.request.onReleased()
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#options.release()
    this.#giveUp(this.#failure ?? error)
    if (!this.#isRepeated) this.#options.request.onReleased()
  }

  #letGoOnceSent(): void {
    if (this.#isSent && (this.#isStarted || !this.#options.isRepeatable)) this.#letGo()
  }

  #letGo(): void {
    const { body } = this.#options.request
    if (body instanceof HeldBody) body.letGo()
  }

  #stream(): void {
    const controller = this.#controller
    if (this.#isSettled || this.#isOver || controller === null) return
    const body = new ReplyBody(controller, (error) =>
      this.#fail(error ?? new RelayError("bad-request", "The response was abandoned.")),
    )
    this.#body = body
    for (const chunk of this.#chunks) body.add(chunk)
    this.#chunks = []
    this.#settle(body)
  }

  #settle(body: UpstreamReply["body"]): void {
    this.#isSettled = true
    const trailers = this.#trailers
    this.#options.resolve({
      status: this.#status,
      statusMessage: this.#statusMessage,
      rawHeaders: this.#rawHeaders,
      body,
      trailers: () => trailers.raw,
    })
  }

  #expire(): void {
    this.#fail(
      new RelayError("request-timeout", "The destination took too long to respond.", {
        stage: this.#status === 0 ? "destination" : "response",
      }),
    )
  }

  /** Ends it from this side. */
  #fail(error: Error): void {
    if (this.#isOver) return
    this.#failure = error
    // undici cannot cancel it while it waits for a connection, so it is aborted when its turn comes.
    this.#controller?.abort(error)
    this.#giveUp(error)
  }

  #giveUp(error: Error): void {
    if (this.#isOver) return
    this.#end()
    if (this.#body !== null) {
      this.#body.destroy(toRelayError(error, "response"))
    } else if (!this.#isSettled) {
      this.#isSettled = true
      this.#chunks = []
      this.#isRepeated = this.#options.reject(error, !this.#isStarted)
    }
    if (!this.#isRepeated) this.#letGo()
  }

  #end(): void {
    this.#isOver = true
    clearTimeout(this.#deadline)
    this.#options.request.signal.removeEventListener("abort", this.#abort)
  }
}

function toText(rawHeaders: Dispatcher.DispatchController["rawHeaders"]): RawHeaders {
  if (!Array.isArray(rawHeaders)) return NO_TRAILERS
  const text: string[] = []
  for (const part of rawHeaders) text.push(typeof part === "string" ? part : part.toString("latin1"))
  return text
}
