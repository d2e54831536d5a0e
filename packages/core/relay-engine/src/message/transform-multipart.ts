import { Readable } from "node:stream"
import { headerOf } from "@sealway/kernel"
import { FILE_OVERHEAD_BYTES } from "@sealway/tokens"
import { requireUtf8Form } from "../encodings/charset.ts"
import {
  type Coding,
  decodeContentStream,
  encodeContentStream,
  parseContentEncoding,
} from "../encodings/content-coding.ts"
import type { MultipartLimits } from "../form/multipart-limits.ts"
import type { PartHead } from "../form/part-head.ts"
import { type EncryptedParts, hasNoneEncrypted, requireOneReading } from "../form/part-readings.ts"
import { type PartRewrite, rewriteMultipart } from "../form/rewrite-multipart.ts"
import { type ContentType, multipartBoundary } from "../headers/content-type.ts"
import type { Operations } from "../operations/compile-operations.ts"
import { encryptedParts } from "./encrypted-parts.ts"
import { goesOnDecoded } from "./goes-on-decoded.ts"
import type { Message } from "./message.ts"
import type { MessageLimits } from "./message-limits.ts"
import { messageProblem } from "./message-problem.ts"
import { cipherOfFields, FieldChanges } from "./multipart-fields.ts"
import { rewriteFile } from "./multipart-files.ts"
import { namedBy } from "./named-by.ts"
import { drain, inTurns } from "./pieces.ts"
import { readChunks } from "./read-body.ts"
import { replaceBody, type Transformation, type TransformedBody } from "./transformation.ts"

/**
 * Returns whether a multipart body is processed part by part: one with files that operations select, or a large one.
 */
export function isForRewriter(
  { contentLength }: Message,
  { file }: Operations,
  { maxBodyBytes }: MessageLimits,
): boolean {
  return file.operations.length > 0 || (contentLength ?? 0) > maxBodyBytes
}

/** A multipart body that is being rewritten. */
interface Rewriting extends Transformation {
  readonly body: Buffer | Readable
  readonly boundary: string
  readonly codings: readonly Coding[]
  readonly encrypted: EncryptedParts
  readonly fields: FieldChanges
}

/**
 * Rewrites a multipart body part by part. One whose values are only encrypted is passed on as it arrives, unless it is
 * small. Otherwise all of it is kept.
 */
export async function transformMultipart(
  transformation: Transformation,
  body: Buffer | Readable,
  contentType: ContentType,
): Promise<TransformedBody> {
  const { message, operations, options } = transformation
  requireUtf8Form(contentType)
  const rewriting: Rewriting = {
    ...transformation,
    body,
    codings: parseContentEncoding(headerOf(message.rawHeaders, "content-encoding")),
    boundary: multipartBoundary(contentType),
    encrypted: encryptedParts(operations, { isCaseSensitive: options.compiled.caseSensitiveNames }),
    fields: new FieldChanges(transformation),
  }
  return isKept(rewriting) ? rewriteKept(rewriting) : rewriteStream(rewriting)
}

function isKept({ body, message, operations, options }: Rewriting): boolean {
  const length = Buffer.isBuffer(body) ? 0 : (message.contentLength ?? Number.POSITIVE_INFINITY)
  const { form, file } = operations
  return (
    length <= options.limits.maxBodyBytes ||
    [...form.operations, ...file.operations].some(({ action }) => action === "decrypt")
  )
}

async function rewriteStream(rewriting: Rewriting): Promise<TransformedBody> {
  const { message, operations, options, subjects, changes, fields } = rewriting
  await options.turns.run(changes.apply(options.cipher))
  const cipher = await cipherOfFields(options.cipher, operations, subjects)
  const source = inTurns(decoded(rewriting), options.turns)
  const parts = rewritten(source, rewriting, (part) => fields.rewriteNow(part, cipher))
  const body = Readable.from(mapErrors(encoded(parts, rewriting), message.direction), { objectMode: false })
  return replaceBody(rewriting, body, null)
}

/**
 * Reads the fields first, then decides whether they may be decrypted; nothing goes out before the last file has proved
 * authentic.
 */
async function rewriteKept(rewriting: Rewriting): Promise<TransformedBody> {
  const { message, options, changes, fields } = rewriting
  const { cipher, limits, memory, turns } = options
  const chunks = await readChunks(
    decoded(rewriting),
    limits.maxMultipartBytes,
    message.direction,
    memory && ((bytes) => memory.take(bytes)),
  )
  await lookThrough(chunks, rewriting)
  await turns.run(changes.apply(cipher))

  const parts = rewritten(inTurns(drain(chunks), turns), rewriting, (part) => fields.rewriteNoted(part))
  const kept = await readChunks(encoded(parts, rewriting), Number.POSITIVE_INFINITY, message.direction)
  const contentLength = kept.reduce((bytes, chunk) => bytes + chunk.length, 0)
  const body =
    contentLength <= limits.maxBodyBytes
      ? Buffer.concat(kept)
      : Readable.from(drain(kept), { objectMode: false })
  return replaceBody(rewriting, body, contentLength)
}

/** Adds the fields to the changes, and refuses what must not pass. */
async function lookThrough(chunks: readonly Buffer[], rewriting: Rewriting): Promise<void> {
  const { boundary, encrypted, fields, changes, options } = rewriting
  const note = (part: PartHead) => {
    requireOneReading(part, encrypted)
    return fields.note(part, changes)
  }
  const parts = rewriteMultipart(inTurns(chunks, options.turns), boundary, note, limitsOf(rewriting))
  for await (const _ of parts);
}

function rewritten(
  source: AsyncIterable<Buffer>,
  rewriting: Rewriting,
  rewriteField: (part: PartHead) => PartRewrite,
): AsyncIterable<Buffer> {
  const { boundary, operations, encrypted, options } = rewriting
  const rewrite = (part: PartHead): PartRewrite => {
    requireOneReading(part, encrypted)
    if (part.filename === null) return rewriteField(part)
    const operationsOfFile = namedBy(operations.file, part.name)
    return operationsOfFile.length === 0 ? "pass" : rewriteFile(part, operationsOfFile, options)
  }
  return rewriteMultipart(source, boundary, rewrite, limitsOf(rewriting))
}

/**
 * An encrypted file is a little longer than the file: the decrypting side accepts what the encrypting side produced.
 */
function limitsOf({ encrypted, options }: Rewriting): Partial<MultipartLimits> {
  const { maxFileBytes, maxBodyBytes } = options.limits
  return {
    maxFileBytes: maxFileBytes + FILE_OVERHEAD_BYTES,
    maxOtherBytes: maxBodyBytes,
    allowsPreamble: hasNoneEncrypted(encrypted),
  }
}

function decoded({ body, codings, options }: Rewriting): AsyncIterable<Buffer> {
  const source: AsyncIterable<Buffer> = Buffer.isBuffer(body) ? Readable.from([body]) : body
  return codings.length === 0
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
