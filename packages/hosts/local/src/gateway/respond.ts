import { discardBody, SMALL_BYTES } from "@sealway/http/ingress"
import type { Exchange } from "./exchange.ts"
import { isBodyless, type ProxyResponse } from "./proxy-result.ts"

export const NO_SNIFFING = ["x-content-type-options", "nosniff"] as const
/** How much of an answer is written at a time: as much as a reader must read before its time is over. */
const PIECE_BYTES = SMALL_BYTES

/**
 * Answers an exchange whose request was received.
 *
 * @throws TypeError, before anything is sent, when HTTP cannot carry a header
 */
export function respond(exchange: Exchange, answer: ProxyResponse): void {
  const { response, connection } = exchange
  const fields = headerFields(exchange, answer)
  if (connection.isLast(exchange)) fields.push("connection", "close")
  response.writeHead(answer.statusCode, fields)
  if (
    !isBodyless(answer.statusCode) &&
    bodyBytes(answer) > PIECE_BYTES &&
    exchange.request.method !== "HEAD"
  ) {
    writePieces(exchange, typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body)
    return
  }
  // Nothing is sent before `end`, so that head and body leave in one write: as one string, in which Latin-1 keeps bytes.
  if (isBodyless(answer.statusCode)) response.end()
  else if (typeof answer.body === "string") response.end(answer.body)
  else response.end(answer.body.toString("latin1"), "latin1")
  exchange.end()
}

/** Returns a body's length as sent. */
export function bodyBytes({ body }: ProxyResponse): number {
  return Buffer.byteLength(body)
}

/** Writes a body as fast as its reader reads it, so that a stalled reader is noticed. */
function writePieces(exchange: Exchange, body: Buffer): void {
  const { response, connection } = exchange
  let offset = 0
  const writeNext = (error?: Error | null) => {
    if (error) return
    connection.progress()
    const piece = body.subarray(offset, offset + PIECE_BYTES)
    offset += PIECE_BYTES
    if (offset < body.length && !connection.isGone) response.write(piece, writeNext)
    else {
      response.end(piece)
      exchange.end()
    }
  }
  if (!connection.isGone) {
    connection.watch(exchange)
    connection.limitReading(response)
  }
  writeNext()
}

/**
 * Answers an exchange whose request is still arriving, gives its sender time to notice, and closes the connection.
 *
 * @param collect told of bytes whose buffer has become garbage
 */
export function respondEarly(
  exchange: Exchange,
  answer: ProxyResponse,
  lingerMs: number,
  collect: (bytes: number) => void,
): void {
  const { request, response, connection } = exchange
  connection.close()
  exchange.isAnswered = true
  response
    .writeHead(answer.statusCode, [...headerFields(exchange, answer), "connection", "close"])
    .write(answer.body)
  const end = () => {
    response.end()
    exchange.end()
  }
  discardBody(request, lingerMs, end, collect)
}

/**
 * Returns alternating names and values: the form that `writeHead` does not process again. No browser guesses another type
 * of an answer than the declared one, whoever made it.
 */
function headerFields({ requestId }: Exchange, answer: ProxyResponse): string[] {
  const fields = ["apigw-requestid", requestId]
  if (!answer.headers.has(NO_SNIFFING[0])) fields.push(...NO_SNIFFING)
  for (const [name, value] of answer.headers) fields.push(name, value)
  for (const cookie of answer.cookies) fields.push("set-cookie", cookie)
  if (!isBodyless(answer.statusCode)) fields.push("content-length", String(bodyBytes(answer)))
  return fields
}
