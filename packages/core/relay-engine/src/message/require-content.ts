import type { Readable } from "node:stream"
import { headerOf } from "@sealway/kernel"
import { parseContentEncoding } from "../encodings/content-coding.ts"
import { beginsAsType, SIGNATURE_BYTES } from "../headers/media-signatures.ts"
import type { Operations } from "../operations/compile-operations.ts"
import { isForFormat } from "./body-format.ts"
import type { Message } from "./message.ts"
import { unsupported } from "./message-problem.ts"
import { readHead, received } from "./read-body.ts"

/** Where formidable looks for the type of a body: anywhere in the header. */
const LOOKS_READABLE = /json|multipart|url-?encoded/i
/** White space, NUL as in UTF-16, and byte order marks: what may precede a document. */
const BEFORE_DOCUMENT = /^[\s\0\xef\xbb\xbf\xfe\xff]*/
const DOCUMENT_HEAD_BYTES = 1_024

/** Returns the whole body if it begins like its type. @throws RelayError see `requireContent` */
export function requireType(
  message: Message,
  body: Buffer | Readable,
  type: string,
): Promise<Buffer | Readable> {
  return requireContent(message, body, SIGNATURE_BYTES, (head) => beginsAsType(head, type))
}

/** Returns the whole body if it does not begin like a document that is encrypted. @throws RelayError see `requireContent` */
export function requireOpaque(
  message: Message,
  body: Buffer | Readable,
  operations: Operations,
): Promise<Buffer | Readable> {
  return requireContent(message, body, DOCUMENT_HEAD_BYTES, (head) => !beginsLikeDocument(head, operations))
}

/**
 * Returns the whole body if its first bytes are what they must be. Parsers differ about a body of a type without fields:
 * Go (`json.NewDecoder`), Flask (`force=True`), Bottle and any application that parses the body itself ignore the type;
 * Express decodes content codings before; formidable reads JSON if any parameter of the type contains `json`.
 *
 * @throws RelayError `invalid-content-type`, for a response `unsupported-content-type-in-response`
 */
async function requireContent(
  { direction, rawHeaders }: Message,
  body: Buffer | Readable,
  headBytes: number,
  isFit: (head: Buffer) => boolean,
): Promise<Buffer | Readable> {
  const isPlain =
    parseContentEncoding(headerOf(rawHeaders, "content-encoding")).length === 0 &&
    !LOOKS_READABLE.test(headerOf(rawHeaders, "content-type") ?? "")
  const { head, body: whole } = isPlain ? await readHead(body, headBytes, direction) : { head: null, body }
  if (head !== null && (head.length === 0 || isFit(head))) return whole
  if (!Buffer.isBuffer(body)) body.destroy()
  throw unsupported(
    direction,
    `The ${direction} must be encrypted, but its body does not begin like one of its Content-Type.`,
  )
}

function beginsLikeDocument(head: Buffer, operations: Operations): boolean {
  const text = head.toString("latin1")
  const first = text.replace(BEFORE_DOCUMENT, "").charAt(0)
  if (first === "") return text.length >= DOCUMENT_HEAD_BYTES
  if (isForFormat(operations, "json") && /[[{"]/.test(first)) return true
  return isForFormat(operations, "xml") && first === "<"
}

/**
 * Reads from a body until it is known whether it has any bytes. A non-empty one is not read to its end.
 *
 * @throws RelayError when it breaks off
 */
export async function hasBytes(body: Readable, direction: "request" | "response"): Promise<boolean> {
  for await (const chunk of received(body, direction)) if (chunk.length > 0) return true
  return false
}
