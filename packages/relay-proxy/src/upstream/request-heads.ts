import type { Duplex } from "node:stream"
import { eachHeader, type RawHeaders } from "@sealway/kernel"
import { RelayError } from "@sealway/relay-engine"
import type { UpstreamRequest } from "../exchange.ts"

/** The only header that undici is given: which request's headers belong in its place. */
const REFERENCE = "x-head"

/** What undici writes behind a request's line, when it is given no more than a reference. */
const REFERRING_HEAD =
  /^host: [^\r\n]*\r\nconnection: (keep-alive|close)\r\nx-head: ([0-9]+)\r\n((?:content-length: [0-9]+\r\n|transfer-encoding: chunked\r\n)?)((?:\r\n)?)$/
/** What undici writes as text besides: the size of a chunk between the line breaks around it. */
const CHUNK_SIZE = /^\r\n[0-9a-f]+\r\n(?:\r\n)?$/

const LENGTH = /^content-length: ([0-9]+)/

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

type Head = Pick<UpstreamRequest, "method" | "target" | "rawHeaders">

/**
 * Writes requests' heads as clients wrote them. undici has its own place and letters for `Host`, `Connection` and
 * `Content-Length`. So it is given a reference instead of headers, and the socket puts the headers where it finds the
 * reference; all that undici writes besides goes out as it is. Should undici ever write another head than this one
 * expects, the connection breaks off.
 */
export class RequestHeads {
  readonly #heads = new Map<string, Head>()
  #last = 0

  /** Keeps a request's head until it is forgotten, and returns the headers for undici that refer to it. */
  refer({ method, target, rawHeaders }: Head): { reference: string; headers: string[] } {
    this.#last += 1
    const reference = String(this.#last)
    this.#heads.set(reference, { method, target, rawHeaders })
    return { reference, headers: [REFERENCE, reference] }
  }

  forget(reference: string): void {
    this.#heads.delete(reference)
  }

  /** Has a connection of undici's write the heads that are referred to on it. */
  writeOn(socket: Duplex): void {
    const write = socket.write.bind(socket)
    socket.write = (chunk: string | Uint8Array, encoding?: unknown) => {
      if (typeof chunk !== "string") return write(chunk)
      const text = this.#resolve(chunk)
      if (text !== null && encoding === "latin1") return write(text, "latin1")
      socket.destroy(new TypeError("The HTTP client writes requests in a way that is not known."))
      return false
    }
  }

  /** Null: neither a head that refers to another one, nor the size of a chunk. */
  #resolve(text: string): string | null {
    const lineEnd = text.indexOf("\r\n") + 2
    if (lineEnd === 2) return CHUNK_SIZE.test(text) ? text : null
    const parts = REFERRING_HEAD.exec(text.slice(lineEnd))
    const head = this.#heads.get(parts?.[2] ?? "")
    if (parts === null || head === undefined) return null
    const line = `${head.method} ${head.target} HTTP/1.1\r\n`
    if (lineEnd !== line.length || !text.startsWith(line)) return null
    const [, connection, , framing = "", end = ""] = parts
    return line + headLines(head.rawHeaders, framing, connection === "close") + end
  }
}

/**
 * @throws RelayError `proxy-error` when a header cannot be written as HTTP: it would be more than one, or another
 * request
 */
export function requireWritable(rawHeaders: RawHeaders): void {
  eachHeader(rawHeaders, (name, value) => {
    if (TOKEN.test(name) && VALUE.test(value)) return
    throw new RelayError("proxy-error", "A header of the request cannot be written as HTTP.", {
      stage: "request",
    })
  })
}

/** @param framing the line that says how long the body is, or that it comes in chunks; empty when there is none */
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
