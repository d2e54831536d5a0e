import type { Readable } from "node:stream"
import type { RawHeaders, Work } from "@sealway/kernel"
import type { Operations } from "../operations/compile-operations.ts"
import { goesOnDecoded } from "./goes-on-decoded.ts"
import { headersOfChangedBody, headersOfDecodedBody } from "./headers-of-changed-body.ts"
import type { Message, TransformedMessage, TransformOptions } from "./message.ts"
import type { MessageSubjects } from "./message-subjects.ts"
import type { ValueChanges } from "./value-changes.ts"

/** A message that is being changed. */
export interface Transformation {
  readonly message: Message
  readonly operations: Operations
  readonly options: TransformOptions
  readonly subjects: MessageSubjects
  /** All values to change: first those of the query and the headers, then those of the body. */
  readonly changes: ValueChanges
  /** The headers, which change when `changes` are applied. */
  readonly rawHeaders: RawHeaders
}

/** What is passed on of a message besides its target. */
export type TransformedBody = Omit<TransformedMessage, "target">

/** Applies all changes, and passes the body on unchanged. */
export function* passBody(
  { changes, options, rawHeaders }: Transformation,
  body: Buffer | Readable | null,
  contentLength: number | null,
): Work<TransformedBody> {
  yield* changes.apply(options.cipher)
  return { rawHeaders, body, contentLength, isBodyChanged: false }
}

/** Passes another body on, with headers that match it. */
export function replaceBody(
  { message, operations, rawHeaders }: Transformation,
  body: Buffer | Readable,
  contentLength: number | null,
): TransformedBody {
  const headersOf = goesOnDecoded(message, operations) ? headersOfDecodedBody : headersOfChangedBody
  return { rawHeaders: headersOf(rawHeaders), body, contentLength, isBodyChanged: true }
}
