import type { Readable } from "node:stream"
import { headerOf } from "@sealway/kernel"
import { parseContentEncoding } from "../encodings/content-coding.ts"
import type { RelayError } from "../errors/relay-error.ts"
import type { ContentType } from "../headers/content-type.ts"
import type { Operations } from "../operations/compile-operations.ts"
import type { RelayOptions } from "../routes/compile-relay.ts"
import { type BodyFormat, isForFormat } from "./body-format.ts"
import type { Message } from "./message.ts"
import { unsupported } from "./message-problem.ts"
import { readHead } from "./read-body.ts"

/** Types in which no parser that respects the type looks for fields. */
const OPAQUE = /^(?:image|video|audio)\/|^application\/(?:pdf|octet-stream)$/

/**
 * Returns why a non-empty body does not pass if its values are to be encrypted; null when it may.
 *
 * Parsers differ about a request body of a type that is not parsed here:
 *
 * | parser | reads |
 * |---|---|
 * | Go, Sinatra, and any application that parses the body itself | JSON and XML without checking the type |
 * | Flask (`force=True`), Express (`type: () => true`) | JSON of any type |
 * | Go, Spring | `multipart/mixed` as a form |
 *
 * An answer of a type that cannot be encrypted never passes.
 */
export function unknownTypeRefusal(
  { direction }: Message,
  format: BodyFormat,
  contentType: ContentType | null,
  { encryptsBody }: Operations,
  { unknownContentTypes }: Pick<RelayOptions, "unknownContentTypes">,
): RelayError | null {
  if (!encryptsBody) return null
  if (direction === "response") {
    if (format !== "other" && format !== "urlencoded") return null
    return unsupported(
      direction,
      "The response must be encrypted, but is not JSON, XML or multipart/form-data.",
    )
  }
  if (format !== "other" || unknownContentTypes === "pass") return null
  if (contentType !== null && OPAQUE.test(contentType.type)) return null
  return unsupported(
    direction,
    "The request must be encrypted, but its Content-Type is missing or not supported.",
  )
}

/** Where formidable looks for the type of a body: anywhere in the header. */
const LOOKS_READABLE = /json|multipart|url-?encoded/i
/** White space, NUL as in UTF-16, and byte order marks: what may precede a document. */
const BEFORE_DOCUMENT = /^[\s\0\xef\xbb\xbf\xfe\xff]*/
const HEAD_BYTES = 1_024

/** Whether a request's body is of a type that passes unread even if values of bodies are encrypted. */
export function isOpaque(
  { direction }: Message,
  contentType: ContentType | null,
  { encryptsBody }: Operations,
  { unknownContentTypes }: Pick<RelayOptions, "unknownContentTypes">,
): boolean {
  const isWatched = encryptsBody && direction === "request" && unknownContentTypes === "refuse"
  return isWatched && contentType !== null && OPAQUE.test(contentType.type)
}

/**
 * Parsers differ about a request body of a type without fields. Go (`json.NewDecoder`), Flask (`force=True`) and any
 * application that parses the body itself ignore the type, and read JSON and XML declared as an image; Express decodes
 * content codings before. Formidable reads JSON if any parameter of the type contains `json`.
 *
 * @returns the whole body, when it does not start like a parseable document
 * @throws RelayError `invalid-content-type`
 */
export async function requireOpaque(
  { direction, rawHeaders }: Message,
  body: Buffer | Readable,
  operations: Operations,
): Promise<Buffer | Readable> {
  const isPlain =
    parseContentEncoding(headerOf(rawHeaders, "content-encoding")).length === 0 &&
    !LOOKS_READABLE.test(headerOf(rawHeaders, "content-type") ?? "")
  const { head, body: whole } = isPlain ? await readHead(body, HEAD_BYTES) : { head: null, body }
  if (head !== null && !beginsLikeDocument(head, operations)) return whole
  if (!Buffer.isBuffer(body)) body.destroy()
  throw unsupported(direction, "The request must be encrypted, but its body does not match its Content-Type.")
}

function beginsLikeDocument(head: Buffer, operations: Operations): boolean {
  const text = head.toString("latin1")
  const first = text.replace(BEFORE_DOCUMENT, "").charAt(0)
  if (first === "") return text.length >= HEAD_BYTES
  if (isForFormat(operations, "json") && /[[{"]/.test(first)) return true
  return isForFormat(operations, "xml") && first === "<"
}

/** Reads from a body until it is known whether it has any bytes. A non-empty one is not read to its end. */
export async function hasBytes(body: Readable): Promise<boolean> {
  const chunks: AsyncIterable<Buffer> = body
  for await (const chunk of chunks) if (chunk.length > 0) return true
  return false
}
