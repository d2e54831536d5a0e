import type { IncomingMessage, ServerResponse } from "node:http"
import type { Readable } from "node:stream"
import { discardBody } from "@sealway/http/ingress"
import { eachHeader, type RawHeaders, statedLength } from "@sealway/kernel"
import type { OutboundReply } from "../exchange.ts"
import { forwardTrailers } from "../hop-by-hop.ts"

export interface ReplyTarget {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Whether nothing follows on the connection. */
  readonly isLast: boolean
  /** Whether the request has not ended. It is not awaited: the connection closes after the answer. */
  readonly isEarly: boolean
  /** Called when a slow answer starts: from then on its client must read. */
  readonly begin: () => void
  /** Called when a large answer starts that is in memory: from then on its client has only so long to read all of it. */
  readonly limitReading: () => void
  /** Called when the client has read some of it. */
  readonly progress: () => void
  /** Called when the whole answer is written, though the client may not have read it yet. */
  readonly end: () => void
  /** See `RelayLimits`. */
  readonly lingerMs: number
  /** Called when the connection must be closed: the only way to signal that an answer is incomplete. */
  readonly breakOff: () => void
}

/** Reason phrases and header values that HTTP can carry. */
const TEXT = /^[\t\x20-\x7e\x80-\xff]*$/
const NO_BYTES = Buffer.alloc(0)
/** How much of a body is written at a time: as much as a client must read before its time is over. */
const PIECE_BYTES = 64 * 1024

/**
 * Writes an answer: its headers with order, case and duplicates kept; a complete body in one write with them, a stream
 * as fast as the client reads. The server does the framing.
 *
 * @throws TypeError, before anything is sent, when the answer cannot be written as HTTP
 */
export function writeReply(reply: OutboundReply, target: ReplyTarget): void {
  const { request, response, isEarly } = target
  const { status, body } = reply
  const hasContent = request.method !== "HEAD" && status !== 204 && status !== 304
  if (!hasContent || body === null || Buffer.isBuffer(body)) {
    const content = Buffer.isBuffer(body) && hasContent ? body : NO_BYTES
    const trailers = hasContent && request.httpVersion === "1.1" ? forwardTrailers(reply.trailers()) : []
    const length = hasContent && trailers.length === 0 ? content.length : null
    writeHead(reply, target, length)
    if (body !== null && !Buffer.isBuffer(body)) body.destroy()
    if (trailers.length > 0) response.addTrailers(pairs(trailers))
    if (isEarly) {
      response.write(content)
      endReply(target)
    } else {
      writeWhole(content, target)
    }
    return
  }
  writeHead(reply, target, "as-given")
  pump(body, reply, target)
}

/**
 * @param length the length of the content. Null: the answer's own `Content-Length`, if any, stays, because it says what
 * there would be (to HEAD, 304), and otherwise none is needed. `as-given`: it stays, and chunks are used when there is
 * none.
 */
function writeHead(
  { status, statusMessage, rawHeaders }: OutboundReply,
  { request, response, isLast, isEarly }: ReplyTarget,
  length: number | "as-given" | null,
): void {
  const fields: string[] = []
  const keepsLength =
    length === "as-given" || (length === null && (request.method === "HEAD" || status === 304))
  let isLengthGiven = false
  eachHeader(rawHeaders, (name, value) => {
    // Most names already differ in their length.
    const key = name.length === 14 || name.length === 10 || name.length === 17 ? name.toLowerCase() : ""
    if (key === "connection" || key === "transfer-encoding") return
    if (key !== "content-length") fields.push(name, value)
    else if (!isLengthGiven && (keepsLength || typeof length === "number")) {
      isLengthGiven = true
      fields.push(name, typeof length === "number" ? String(length) : value)
    }
  })
  if (typeof length === "number" && !isLengthGiven) fields.push("Content-Length", String(length))
  if (isLast || isEarly) fields.push("Connection", "close")
  const reason =
    statusMessage !== null && statusMessage !== "" && TEXT.test(statusMessage) ? statusMessage : undefined
  if (reason === undefined) response.writeHead(status, fields)
  else response.writeHead(status, reason, fields)
}

function pump(body: Readable, reply: OutboundReply, target: ReplyTarget): void {
  const { response } = target
  let owed = statedLength(reply.rawHeaders)
  response.on("close", () => body.destroy())
  target.begin()
  response.on("drain", () => {
    target.progress()
    body.resume()
  })
  body.on("error", target.breakOff)
  body.on("data", (chunk: Buffer) => {
    if (owed !== null) {
      owed -= chunk.length
      // More bytes than announced would be taken for the next answer.
      if (owed < 0) {
        body.destroy()
        target.breakOff()
        return
      }
    }
    if (!response.write(chunk)) body.pause()
  })
  body.on("end", () => {
    if (owed !== null && owed > 0) {
      target.breakOff()
      return
    }
    const trailers = forwardTrailers(reply.trailers())
    if (trailers.length > 0) response.addTrailers(pairs(trailers))
    endReply(target)
  })
}

/** Writes a small body at once, and a large one in pieces, to notice whether its client reads them. */
function writeWhole(content: Buffer, { response, begin, limitReading, progress, end }: ReplyTarget): void {
  if (content.length <= PIECE_BYTES) {
    // Nothing is sent before, so that head and body leave in one write: as one string, in which Latin-1 keeps bytes.
    response.end(content.toString("latin1"), "latin1")
    end()
    return
  }
  let offset = 0
  const writeNext = (error?: Error | null) => {
    if (error) return
    progress()
    const piece = content.subarray(offset, offset + PIECE_BYTES)
    offset += PIECE_BYTES
    if (offset < content.length && !response.destroyed) response.write(piece, writeNext)
    else {
      response.end(piece)
      end()
    }
  }
  begin()
  limitReading()
  writeNext()
}

function endReply({ request, response, isEarly, lingerMs, end: ended }: ReplyTarget): void {
  const end = () => {
    response.end()
    ended()
  }
  if (isEarly && !request.complete) discardBody(request, lingerMs, end)
  else end()
}

function pairs(rawHeaders: RawHeaders): [string, string][] {
  const found: [string, string][] = []
  eachHeader(rawHeaders, (name, value) => TEXT.test(value) && found.push([name, value]))
  return found
}
