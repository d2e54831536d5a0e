import { isUtf8 } from "node:buffer"
import { piecesOfText, piecesOfUtf8, type Work } from "@sealway/kernel"
import type { HttpEvent } from "../http-event.ts"

/** How much of a body is written in one step: a fraction of a millisecond. A multiple of three, for base64. */
const PIECE_LENGTH = 49_152

/** What makes two requests the same, besides some headers. */
export interface RequestText
  extends Pick<HttpEvent, "rawPath" | "rawQueryString" | "body" | "bodyBytes" | "isBase64Encoded"> {
  readonly requestContext: { readonly http: { readonly method: string } }
}

/**
 * Passes on everything that makes two requests the same, piece by piece, in steps: a body may have 7 MB. Together the
 * pieces are JSON of an array of method, path, query, body, whether it is in base64, and headers.
 *
 * @param readHeaders the headers that the request depends on
 */
export function* writeRequestText(
  event: RequestText,
  readHeaders: object,
  write: (piece: string) => void,
): Work<void> {
  const { rawPath, rawQueryString, requestContext } = event
  const { pieces, isBase64Encoded } = bodyOf(event)
  write(`${JSON.stringify([requestContext.http.method, rawPath, rawQueryString]).slice(0, -1)},"`)
  let isFirst = true
  for (const piece of pieces) {
    if (!isFirst) yield
    isFirst = false
    write(JSON.stringify(piece).slice(1, -1))
  }
  write(`",${JSON.stringify([isBase64Encoded, ...Object.entries(readHeaders)]).slice(1)}`)
}

/** Returns a body the way Lambda passes it on. */
function bodyOf({ bodyBytes, body = "", isBase64Encoded = false }: RequestText) {
  if (bodyBytes === undefined) return { pieces: piecesOfText(body, PIECE_LENGTH), isBase64Encoded }
  return isUtf8(bodyBytes)
    ? { pieces: textsOf(bodyBytes), isBase64Encoded: false }
    : { pieces: base64Of(bodyBytes), isBase64Encoded: true }
}

function* textsOf(bytes: Buffer): Generator<string, void, void> {
  for (const piece of piecesOfUtf8(bytes, PIECE_LENGTH)) yield piece.toString()
}

function* base64Of(bytes: Buffer): Generator<string, void, void> {
  for (let at = 0; at < bytes.length; at += PIECE_LENGTH) {
    yield bytes.toString("base64", at, at + PIECE_LENGTH)
  }
}
