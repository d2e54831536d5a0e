import {
  andThen,
  decodeUtf8InSteps,
  encodeBase64InSteps,
  type MaybePromise,
  PayloadTooLargeError,
  processTurns,
  type Work,
} from "@sealway/kernel"
import type { Hosting } from "@sealway/ports"
import type { HttpResult } from "../http-event.ts"
import { MAX_REPLY_BYTES } from "./body-limits.ts"
import { type Document, type DocumentFormat, type EndpointReply, MEDIA_TYPES } from "./endpoint.ts"
import { EVERY_ANSWER, NOT_STORED } from "./every-answer.ts"
import { jsonStringLength } from "./json-string-length.ts"

/** How a reply is written. */
export interface ReplyForm {
  readonly hosting: Hosting
  /** Whether documents are passed on as bytes. */
  readonly isInBytes: boolean
  /** Whether the reply's own headers may permit caches to store it. */
  readonly mayBeStored: boolean
}

/**
 * Converts an endpoint's reply to API Gateway's payload format 2.0: JSON as text, files in base64. Documents stay bytes
 * if the request came as bytes.
 *
 * @throws PayloadTooLargeError when the reply is larger than the hosting can return
 */
export function writeReply(
  usualStatus: number,
  { body, headers, cookies, status }: EndpointReply<Document | object | null>,
  form: ReplyForm,
): MaybePromise<HttpResult> {
  // Also when its client has left: what the request has done may be repeated, and then this is the answer.
  const written = processTurns.run(writeInSteps(status ?? usualStatus, body, headers, form))
  return cookies === undefined
    ? written
    : andThen(written, (result) => ({ ...result, cookies: [...cookies] }))
}

function* writeInSteps(
  statusCode: number,
  body: Document | object | null,
  declared: EndpointReply<unknown>["headers"],
  { hosting, isInBytes, mayBeStored }: ReplyForm,
): Work<HttpResult> {
  const headers = { ...EVERY_ANSWER, ...declared, ...(!mayBeStored && NOT_STORED) }
  if (body === null) return { statusCode, headers }
  const document = isDocument(body) ? body : null
  const reply = {
    statusCode,
    headers: { "content-type": MEDIA_TYPES[document?.format ?? "json"], ...headers },
  }
  if (document !== null && isInBytes) return { ...reply, bodyBytes: document.bytes }
  const encoded = yield* encodeBody(document ?? JSON.stringify(body), MAX_REPLY_BYTES[hosting])
  return { ...reply, body: encoded.text, isBase64Encoded: encoded.isBase64Encoded }
}

/** Bytes that are not text. */
const BINARY = new Set<DocumentFormat>(["bytes", "script"])

/** Files are sent in base64, and so is JSON that escaping would make too large. */
function* encodeBody(body: Document | string, maxBytes: number) {
  if (typeof body === "string" || !BINARY.has(body.format)) {
    const text = typeof body === "string" ? body : yield* decodeUtf8InSteps(body.bytes)
    if (jsonStringLength(text, maxBytes) <= maxBytes) return { text, isBase64Encoded: false }
  }
  const text = yield* encodeBase64InSteps(typeof body === "string" ? Buffer.from(body) : body.bytes)
  if (text.length > maxBytes) {
    throw new PayloadTooLargeError(
      "The response is larger than 6 MB, the limit behind API Gateway. Split the request.",
    )
  }
  return { text, isBase64Encoded: true }
}

function isDocument(body: Document | object): body is Document {
  return "bytes" in body && Buffer.isBuffer(body.bytes) && "format" in body
}
