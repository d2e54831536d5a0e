import { Agent, type IncomingMessage, request as send } from "node:http"
import type { Deadlines } from "@sealway/http/ingress"
import { announcesBody } from "@sealway/kernel"
import { createBufferCollector } from "./buffer-collector.ts"
import type { Exchange } from "./exchange.ts"
import { problemResponse, type Refusal } from "./problems.ts"
import type { ProxyResponse } from "./proxy-result.ts"
import { NO_SNIFFING } from "./respond.ts"
import { type Transfer, Transfers } from "./transfers.ts"
import { writePaced } from "./write-paced.ts"

/** What clients reach under a path of the gateway, because they cannot reach it themselves. */
export interface StorageEndpoint {
  /** Everything under this path: `/storage`. */
  readonly path: string
  /** `http://127.0.0.1:<port>`: it decides by the signature in the query who may do what. */
  readonly endpoint: string
}

export interface StoragePassOptions extends StorageEndpoint {
  /** How long a sender may pause, and the storage too. */
  readonly stalls: Deadlines
  /** How long a transfer is not compared with others, in milliseconds. */
  readonly graceMs: number
  readonly withCors: (exchange: Exchange, answer: ProxyResponse) => ProxyResponse
  readonly respond: (exchange: Exchange, answer: ProxyResponse) => void
}

/** Nothing else of a request or an answer is passed on: no credentials of the API reach the storage. */
const REQUEST_FIELDS = ["content-length", "content-type", "range"]
const ANSWER_FIELDS = ["accept-ranges", "content-length", "content-range", "content-type", "etag"]
/** An answer that refuses. */
const MAX_PROBLEM_BYTES = 64 * 1024
/** Each takes up to four descriptors: of its client, of both ends of a connection to the storage, and of the file. */
const MAX_TRANSFERS = 128
/** While the storage decides, a request is no transfer yet. */
const MAX_UNDECIDED = 64
/** Requests to the storage at a time. */
export const MAX_AT_STORAGE = MAX_TRANSFERS + MAX_UNDECIDED

/**
 * Passes requests with presigned URLs to the storage, and its answers back, as streams: nothing of a file is in memory. The
 * URL was signed for the storage's own address.
 */
export class StoragePass {
  readonly #options: StoragePassOptions
  readonly #collect = createBufferCollector()
  readonly #agent = new Agent({ keepAlive: true, maxSockets: MAX_AT_STORAGE })
  readonly #transfers: Transfers

  constructor(options: StoragePassOptions) {
    this.#options = options
    this.#transfers = new Transfers({ max: MAX_TRANSFERS, graceMs: options.graceMs })
  }

  /** Whether a path, as it was sent, leads to the storage. */
  covers(path: string): boolean {
    return path.startsWith(`${this.#options.path}/`)
  }

  /** @param target path and query, as they were sent */
  serve(exchange: Exchange, target: string): void {
    const { request, response, connection, headers } = exchange
    const { endpoint, path, stalls, respond } = this.#options
    const method = request.method ?? ""
    const hasBody = announcesBody(request.rawHeaders)
    // Nothing reads the body of a GET.
    const isKnown = method === "PUT" || (method === "GET" && !hasBody)
    if (!isKnown || !/[?&]X-Amz-Signature=/.test(target)) {
      respond(exchange, problemResponse("unsigned"))
      return
    }
    const passed = send(endpoint + target.slice(path.length), {
      method,
      agent: this.#agent,
      headers: {
        ...readFields(headers.fields, REQUEST_FIELDS),
        // The storage decides by the head, before anything of the body is sent.
        ...(hasBody && { expect: "100-continue" }),
      },
    })
    const transfer = {
      appId: appOf(target.slice(path.length)),
      bytes: 0,
      cut: () => {
        passed.destroy()
        connection.destroy()
      },
    }
    let isAnswered = false
    const giveUp = (refusal: Refusal) => {
      passed.destroy()
      request.off("data", forward)
      if (exchange.isOver) return
      if (response.headersSent) connection.destroy()
      else if (!isAnswered) respond(exchange, problemResponse(refusal))
      isAnswered = true
    }
    let isContinued = false
    const expire = () => {
      const waitsForSender = isContinued && !request.complete && !passed.writableNeedDrain
      giveUp(waitsForSender ? "stalled" : "timed-out")
    }
    let stall = stalls.set(expire)
    const progress = () => {
      stalls.cancel(stall)
      stall = stalls.set(expire)
    }
    const end = () => stalls.cancel(stall)
    const forward = (chunk: Buffer) => {
      progress()
      transfer.bytes += chunk.length
      this.#collect(chunk.length)
      writePaced(chunk, request, passed)
    }
    response.once("close", () => {
      end()
      this.#transfers.end(transfer)
      passed.destroy()
    })
    passed.on("error", () => giveUp("failed"))
    passed.on("response", (answer) => {
      end()
      if (isAnswered) return
      isAnswered = true
      // The storage reads no further: the rest is discarded.
      request.off("data", forward)
      if ((answer.statusCode ?? 500) >= 400) void this.#refuse(exchange, answer)
      else if (hasBody || this.#transfers.begin(transfer)) this.#answer(exchange, answer, transfer)
      else {
        passed.destroy()
        respond(exchange, problemResponse("overloaded"))
      }
    })
    // A request without a body emits no events.
    if (!hasBody) passed.end()
    passed.once("continue", () => {
      if (!this.#transfers.begin(transfer)) {
        giveUp("overloaded")
        return
      }
      isContinued = true
      if (exchange.isContinueExpected) response.writeContinue()
      request.on("data", forward).on("end", () => passed.end())
    })
  }

  close(): void {
    this.#agent.destroy()
  }

  async #refuse(exchange: Exchange, answer: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = []
    let bytes = 0
    try {
      for await (const chunk of answer) {
        bytes += chunk.length
        if (bytes <= MAX_PROBLEM_BYTES) chunks.push(chunk)
      }
    } catch {
      // The status says enough.
    }
    if (exchange.isOver) return
    const headers = new Map([["content-type", answer.headers["content-type"] ?? "application/xml"]])
    const body = Buffer.concat(chunks)
    this.#options.respond(exchange, { statusCode: answer.statusCode ?? 502, headers, cookies: [], body })
  }

  /** The request has been read: the storage only accepts what it has received completely. */
  #answer(exchange: Exchange, answer: IncomingMessage, transfer: Transfer): void {
    const { response, connection } = exchange
    const statusCode = answer.statusCode ?? 200
    const named = new Map(Object.entries(readFields(answer.headers, ANSWER_FIELDS)))
    const { headers } = this.#options.withCors(exchange, {
      statusCode,
      headers: named,
      cookies: [],
      body: "",
    })
    const fields = [...NO_SNIFFING, ...[...headers].flat()]
    if (connection.isLast(exchange)) fields.push("connection", "close")
    response.writeHead(statusCode, fields)
    if (!connection.isGone) connection.watch(exchange)
    answer.on("data", (chunk) => {
      transfer.bytes += chunk.length
      this.#collect(chunk.length)
      writePaced(chunk, answer, response, () => connection.progress())
    })
    answer.on("end", () => {
      response.end()
      exchange.end()
    })
    // An incomplete answer must not look complete.
    answer.on("error", () => connection.destroy())
    answer.on("aborted", () => connection.destroy())
  }
}

/** Returns the app whose file a target names: its objects begin with its id. Not to be trusted before the storage permits it. */
function appOf(target: string): string {
  const [, , appId = ""] = target.split(/[/?]/, 3)
  return appId
}

/** Returns the header fields of these names that are there. */
function readFields(
  fields: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = fields[name]
      return typeof value === "string" ? [[name, value]] : []
    }),
  )
}
