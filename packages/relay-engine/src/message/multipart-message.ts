import { Readable } from "node:stream"
import { headerOf, type RawHeaders, type Turns } from "@sealway/kernel"
import { FILE_OVERHEAD_BYTES } from "@sealway/tokens"
import { requireUtf8Form } from "../encodings/charset.ts"
import {
  type Coding,
  decodeContentStream,
  encodeContentStream,
  parseContentEncoding,
} from "../encodings/content-coding.ts"
import type { PartHead } from "../form/part-head.ts"
import { type EncryptedParts, requireOneReading } from "../form/part-readings.ts"
import { type PartRewrite, rewriteMultipart } from "../form/rewrite-multipart.ts"
import { type ContentType, multipartBoundary } from "../headers/content-type.ts"
import type { Operations } from "../operations/compile-operations.ts"
import { encryptedParts } from "./encrypted-parts.ts"
import { goesOnDecoded } from "./goes-on-decoded.ts"
import { headersOfChangedBody, headersOfDecodedBody } from "./headers-of-changed-body.ts"
import type { Message, TransformedMessage, TransformOptions } from "./message.ts"
import type { MessageLimits } from "./message-limits.ts"
import { messageProblem } from "./message-problem.ts"
import { cipherOfFields, FieldChanges } from "./multipart-fields.ts"
import { rewriteFile } from "./multipart-files.ts"
import { namedBy } from "./named-by.ts"
import { readChunks } from "./read-body.ts"
import type { ValueChanges } from "./value-changes.ts"

/** Whether a multipart body is taken part by part: one with files that operations are for, and one that is large. */
export function isForRewriter(
  { contentLength }: Message,
  { file }: Operations,
  { maxBodyBytes }: MessageLimits,
): boolean {
  return file.operations.length > 0 || (contentLength ?? 0) > maxBodyBytes
}

/** What is done with so many takes a fraction of a slice. */
const PIECE_BYTES = 65_536

/** A multipart body on its way through, and all that it is rewritten by. */
interface Rewriting {
  readonly message: Message & { readonly body: Buffer | Readable }
  readonly boundary: string
  readonly codings: readonly Coding[]
  readonly operations: Operations
  readonly encrypted: EncryptedParts
  readonly changes: ValueChanges
  readonly options: TransformOptions
}

/**
 * Rewrites a multipart body part by part. One whose values are only encrypted is passed on as it comes in, unless it
 * is small. Otherwise all of it is kept: the fields are looked through first, then it is decided whether they may be
 * decrypted, and nothing goes out before the last file has turned out to be authentic.
 */
export async function transformMultipart(
  message: Rewriting["message"],
  contentType: ContentType,
  operations: Operations,
  changes: ValueChanges,
  changedHeaders: readonly string[],
  options: TransformOptions,
): Promise<Omit<TransformedMessage, "target">> {
  requireUtf8Form(contentType)
  const codings = parseContentEncoding(headerOf(message.rawHeaders, "content-encoding"))
  const boundary = multipartBoundary(contentType)
  const encrypted = encryptedParts(operations, { isCaseSensitive: options.compiled.caseSensitiveNames })
  const rewriting: Rewriting = { message, boundary, codings, operations, encrypted, changes, options }
  const decrypts = [...operations.form.operations, ...operations.file.operations].some(
    ({ action }) => action === "decrypt",
  )
  const isSmall =
    Buffer.isBuffer(message.body) ||
    (message.contentLength ?? Number.POSITIVE_INFINITY) <= options.limits.maxBodyBytes
  if (isSmall || decrypts) return rewriteKept(rewriting, changedHeaders)

  await changes.apply(options.cipher)
  const fields = new FieldChanges(operations, message.direction, options)
  const cipher = await cipherOfFields(options.cipher, operations)
  const source = inTurns(decoded(message.body, rewriting), options.turns)
  const parts = rewritten(source, rewriting, (part) => fields.rewriteNow(part, cipher))
  const body = Readable.from(mapErrors(encoded(parts, rewriting), message.direction), { objectMode: false })
  const rawHeaders = headersOfRewritten(rewriting, changedHeaders)
  return { rawHeaders, body, contentLength: null, isBodyChanged: true }
}

async function rewriteKept(
  rewriting: Rewriting,
  changedHeaders: readonly string[],
): Promise<Omit<TransformedMessage, "target">> {
  const { message, operations, changes, options } = rewriting
  const { direction } = message
  const chunks = await readChunks(
    decoded(message.body, rewriting),
    options.limits.maxMultipartBytes,
    direction,
    options.memory,
  )
  const fields = new FieldChanges(operations, direction, options)
  const firstPass = rewriteMultipart(
    inTurns(chunks, options.turns),
    rewriting.boundary,
    (part) => {
      requireOneReading(part, rewriting.encrypted)
      return fields.note(part, changes)
    },
    limitsOf(options.limits),
  )
  for await (const _ of firstPass);
  await changes.apply(options.cipher)

  const source = inTurns(drain(chunks), options.turns)
  const parts = rewritten(source, rewriting, (part) => fields.rewriteNoted(part))
  const kept = await readChunks(encoded(parts, rewriting), Number.POSITIVE_INFINITY, direction)
  const contentLength = kept.reduce((bytes, chunk) => bytes + chunk.length, 0)
  const body =
    contentLength <= options.limits.maxBodyBytes
      ? Buffer.concat(kept)
      : Readable.from(drain(kept), { objectMode: false })
  const rawHeaders = headersOfRewritten(rewriting, changedHeaders)
  return { rawHeaders, body, contentLength, isBodyChanged: true }
}

function rewritten(
  source: AsyncIterable<Buffer>,
  { boundary, operations, encrypted, options }: Rewriting,
  rewriteField: (part: PartHead) => PartRewrite,
): AsyncIterable<Buffer> {
  const { limits } = options
  return rewriteMultipart(
    source,
    boundary,
    (part) => {
      requireOneReading(part, encrypted)
      if (part.filename === null) return rewriteField(part)
      const operationsOfFile = namedBy(operations.file, part.name)
      return operationsOfFile.length === 0 ? "pass" : rewriteFile(part, operationsOfFile, options)
    },
    limitsOf(limits),
  )
}

/** An encrypted file is a little longer than the file: whoever decrypts takes in what whoever encrypts gave out. */
function limitsOf({ maxFileBytes, maxBodyBytes }: MessageLimits) {
  return { maxFileBytes: maxFileBytes + FILE_OVERHEAD_BYTES, maxOtherBytes: maxBodyBytes }
}

async function* decoded(
  body: Buffer | Readable,
  { codings, options }: Rewriting,
): AsyncGenerator<Buffer, void, void> {
  const source: AsyncIterable<Buffer> = Buffer.isBuffer(body) ? Readable.from([body]) : body
  yield* codings.length === 0
    ? source
    : decodeContentStream(source, codings, options.limits.maxMultipartBytes)
}

function encoded(
  parts: AsyncIterable<Buffer>,
  { message, operations, codings }: Rewriting,
): AsyncIterable<Buffer> {
  const isPlain = codings.length === 0 || goesOnDecoded(message, operations)
  return isPlain ? parts : encodeContentStream(parts, codings)
}

function headersOfRewritten({ message, operations }: Rewriting, rawHeaders: readonly string[]): RawHeaders {
  return goesOnDecoded(message, operations)
    ? headersOfDecodedBody(rawHeaders)
    : headersOfChangedBody(rawHeaders)
}

/** Gives out a body in pieces of a bounded size, each in a turn of its own: Node.js reads up to 2 MB in one. */
async function* inTurns(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  turns: Turns,
): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      await turns.next()
      yield chunk.subarray(at, at + PIECE_BYTES)
    }
  }
}

/** Gives pieces out, and keeps none of what it gave. */
function* drain(chunks: Buffer[]): Generator<Buffer, void, void> {
  chunks.reverse()
  for (let chunk = chunks.pop(); chunk !== undefined; chunk = chunks.pop()) yield chunk
}

async function* mapErrors(
  source: AsyncIterable<Buffer>,
  direction: "request" | "response",
): AsyncGenerator<Buffer, void, void> {
  try {
    yield* source
  } catch (error) {
    throw messageProblem(direction, error)
  }
}
