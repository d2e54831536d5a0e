import type { Duplex } from "node:stream"
import { eachHeader, type RawHeaders } from "@sealway/kernel"
import { RelayError } from "@sealway/relay-engine"
import type { Body, UpstreamRequest } from "../exchange.ts"

/** The only header that undici receives: it names the request whose headers replace it. */
const REFERENCE = "x-head"

/** What undici writes after a request line when it only has the reference. */
const REFERRING_HEAD =
  /^host: [^\r\n]*\r\nconnection: (keep-alive|close)\r\nx-head: ([0-9]+)\r\n((?:content-length: [0-9]+\r\n|transfer-encoding: chunked\r\n)?)((?:\r\n)?)$/
/** The other text that undici writes: the size of a chunk between line breaks. */
const CHUNK_SIZE = /^\r\n[0-9a-f]+\r\n(?:\r\n)?$/

const LENGTH = /^content-length: ([0-9]+)/

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Larger bodies are written as they are: joining one with its head copies it twice. */
const MAX_JOINED_BYTES = 16 * 1024

interface Head extends Pick<UpstreamRequest, "method" | "target" | "rawHeaders"> {
  readonly body: Body
}

/** What replaces a text that undici writes. */
interface ReplacingText {
  readonly text: string
  /** The body at its end, which undici writes next; null for none. */
  readonly body: Buffer | null
}

/**
 * Writes requests' heads exactly as clients wrote them. undici uses its own order and case for `Host`, `Connection` and
 * `Content-Length`. So it gets a reference instead of headers, and the socket replaces the reference by the headers;
 * everything else that undici writes is sent unchanged. If undici ever writes a different head than expected here, the
 * connection is closed. A head and its small body leave in one write.
 */
export class RequestHeads {
  readonly #heads = new Map<string, Head>()
  #last = 0

  /** Stores a request's head until it is forgotten, and returns the headers for undici that reference it. */
  refer({ method, target, rawHeaders, body }: Head): { reference: string; headers: string[] } {
    this.#last += 1
    const reference = String(this.#last)
    // Not the request itself: a map that has grown leaves an old table behind, which keeps all that its entries lead to
    // until the old generation is collected.
    this.#heads.set(reference, { method, target, rawHeaders, body })
    return { reference, headers: [REFERENCE, reference] }
  }

  forget(reference: string): void {
    this.#heads.delete(reference)
  }

  /** Makes an undici connection write the heads that are referenced on it. */
  writeOn(socket: Duplex): void {
    const write = socket.write.bind(socket)
    /** The body that was written with its head, until undici writes it. */
    let joined: Buffer | null = null
    socket.write = (chunk: string | Uint8Array, encoding?: unknown) => {
      if (joined !== null) {
        const isWritten = chunk === joined
        joined = null
        if (isWritten) return true
      } else if (typeof chunk !== "string") {
        return write(chunk)
      } else {
        const replaced = this.#resolve(chunk)
        if (replaced !== null && encoding === "latin1") {
          joined = replaced.body
          return write(replaced.text, "latin1")
        }
      }
      socket.destroy(new TypeError("The HTTP client writes requests in an unknown way."))
      return false
    }
  }

  /** Returns null for text that is neither a head with a reference nor the size of a chunk. */
  #resolve(text: string): ReplacingText | null {
    const lineEnd = text.indexOf("\r\n") + 2
    if (lineEnd === 2) return CHUNK_SIZE.test(text) ? { text, body: null } : null
    const parts = REFERRING_HEAD.exec(text.slice(lineEnd))
    const head = this.#heads.get(parts?.[2] ?? "")
    if (parts === null || head === undefined) return null
    const line = `${head.method} ${head.target} HTTP/1.1\r\n`
    if (lineEnd !== line.length || !text.startsWith(line)) return null
    const [, connection, , framing = "", end = ""] = parts
    const lines = line + headLines(head.rawHeaders, framing, connection === "close") + end
    const { body } = head
    if (!Buffer.isBuffer(body) || body.length === 0 || body.length > MAX_JOINED_BYTES) {
      return { text: lines, body: null }
    }
    return { text: lines + body.toString("latin1"), body }
  }
}

/**
 * Checks headers. @throws RelayError `proxy-error` when one cannot be written as HTTP, because it would be several, or
 * another request
 */
export function requireWritable(rawHeaders: RawHeaders): void {
  eachHeader(rawHeaders, (name, value) => {
    if (TOKEN.test(name) && VALUE.test(value)) return
    throw new RelayError("proxy-error", "A request header cannot be written as HTTP.", { stage: "request" })
  })
}

/** @param framing the line with the body's length or chunked coding; empty when there is none */
function headLines(rawHeaders: RawHeaders, framing: string, isLast: boolean): string {
  const length = LENGTH.exec(framing)?.[1] ?? (framing === "" ? "0" : null)
  let lines = ""
  let isLengthWritten = false
  eachHeader(rawHeaders, (name, value) => {
    if (name.length !== 14 || name.toLowerCase() !== "content-length") lines += `${name}: ${value}\r\n`
    else if (!isLengthWritten && length !== null) {
      isLengthWritten = true
      lines += `${name}: ${length}\r\n`
    }
  })
  if (!isLengthWritten) lines += framing
  return isLast ? `${lines}connection: close\r\n` : lines
}
