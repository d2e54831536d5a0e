import { type ClientRequest, type IncomingMessage, request as send } from "node:http"
import type { Duplex } from "node:stream"
import { discardBody } from "@sealway/http/ingress"
import { announcesBody, headerOf, headersWithout, type RawHeaders } from "@sealway/kernel"
import { createBufferCollector } from "./buffer-collector.ts"
import type { Exchange } from "./exchange.ts"
import type { Refusal } from "./problems.ts"
import { writePaced } from "./write-paced.ts"

/** The process that answers the requests which this one does not. */
export interface ForwardTarget {
  /** Opens a connection for one request of a caller. */
  connect(sourceIp: string): Duplex
}

export interface ForwardingOptions {
  readonly target: ForwardTarget
  /** How many complete requests at a time. Further ones are refused. Others are as few as connections of clients. */
  readonly maxRequests: number
  /** See `EdgeLimits`. */
  readonly lingerMs: number
  readonly refuse: (exchange: Exchange, refusal: Refusal) => void
}

/** Headers of one connection: each side has its own. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
])

/** Node.js decides anew whether an answer is sent in chunks. */
const CODING = "transfer-encoding"

/** Methods whose requests Node.js sends in chunks unless something says that they have no body. */
const BODY_EXPECTED: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"])

/**
 * Passes requests to another process, and its answers back, as streams: nothing of a body is held in memory. Each request
 * has a connection of its own, so a client that leaves cancels its request there too.
 */
export class Forwarding {
  readonly #options: ForwardingOptions
  readonly #collect = createBufferCollector()
  /** Those whose clients have sent them to their ends. */
  readonly #complete = new Set<ClientRequest>()

  constructor(options: ForwardingOptions) {
    this.#options = options
  }

  serve(exchange: Exchange): void {
    const { request, response, connection, task, isContinueExpected } = exchange
    const { refuse } = this.#options
    const hasBody = announcesBody(request.rawHeaders)
    const passed = this.#begin(exchange)
    if (passed === null) return
    const leave = () => passed.destroy()
    task.signal.addEventListener("abort", leave)
    response.once("close", leave)
    const forward = (chunk: Buffer) => {
      this.#collect(chunk.length)
      writePaced(chunk, request, passed)
    }
    const complete = () => {
      // It may have been answered before its end.
      if (!passed.destroyed) this.#complete.add(passed)
      passed.end()
    }
    const sendBody = () => void request.on("data", forward).once("end", complete)
    passed.on("error", (error: NodeJS.ErrnoException) => {
      request.off("data", forward)
      if (exchange.isOver) return
      if (response.headersSent) connection.destroy()
      else refuse(exchange, mayRepeat(request, error) ? "overloaded" : "failed")
    })
    passed.once("response", (answer) => {
      request.off("data", forward)
      if (!exchange.isOver) this.#answer(exchange, answer)
    })
    if (!hasBody) complete()
    else if (!isContinueExpected) sendBody()
    else {
      // The other process decides by the head whether it wants the body.
      passed.flushHeaders()
      passed.once("continue", () => {
        response.writeContinue()
        sendBody()
      })
    }
  }

  /** Returns null when the request is refused. */
  #begin(exchange: Exchange): ClientRequest | null {
    const { request, connection } = exchange
    const { target, maxRequests, refuse } = this.#options
    if (this.#complete.size >= maxRequests) {
      refuse(exchange, "overloaded")
      return null
    }
    try {
      const passed = send({
        createConnection: () => target.connect(connection.context.sourceIp),
        method: request.method,
        path: request.url,
        headers: headersToForward(request),
      })
      passed.once("close", () => this.#complete.delete(passed))
      return passed
    } catch {
      // The parser accepts a few bytes in a head that Node.js does not send.
      refuse(exchange, "malformed")
      return null
    }
  }

  #answer(exchange: Exchange, answer: IncomingMessage): void {
    const { request, response, connection } = exchange
    const isEarly = announcesBody(request.rawHeaders) && !request.complete
    if (isEarly) {
      connection.close()
      exchange.isAnswered = true
    }
    const isLast = isEarly || connection.isLast(exchange)
    const fields = headersWithout(answer.rawHeaders, (name) => OF_CONNECTION.has(name) || name === CODING)
    response.writeHead(answer.statusCode ?? 500, isLast ? [...fields, "connection", "close"] : [...fields])
    if (!connection.isGone) connection.watch(exchange)
    answer.on("data", (chunk: Buffer) => {
      this.#collect(chunk.length)
      writePaced(chunk, answer, response, () => connection.progress())
    })
    const end = () => {
      response.end()
      exchange.end()
    }
    const { lingerMs } = this.#options
    answer.once("end", () => (isEarly ? discardBody(request, lingerMs, end, this.#collect) : end()))
    // An incomplete answer must not look complete.
    answer.once("error", () => connection.destroy())
  }
}

/** Whether a request that failed has certainly changed nothing: it was not sent, or was dropped and only reads. */
function mayRepeat({ method }: IncomingMessage, { syscall, code }: NodeJS.ErrnoException): boolean {
  if (syscall === "connect") return true
  return (code === "ECONNRESET" || code === "EPIPE") && (method === "GET" || method === "HEAD")
}

function headersToForward({ method = "", httpVersion, rawHeaders, socket }: IncomingMessage): RawHeaders {
  const added: string[] = []
  const has = (wanted: string) => headerOf(rawHeaders, wanted) !== undefined
  if (httpVersion === "1.0" && !has("host")) added.push("host", `127.0.0.1:${socket.localPort}`)
  if (BODY_EXPECTED.has(method) && !has("content-length") && !has(CODING)) added.push("content-length", "0")
  return [...headersWithout(rawHeaders, (name) => OF_CONNECTION.has(name)), ...added]
}
