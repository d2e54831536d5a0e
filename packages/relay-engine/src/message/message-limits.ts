import { KB, MAX_DOCUMENT_BYTES, MAX_PLAIN_FILE_BYTES, MB } from "@sealway/kernel"
import { longestTokenOf } from "@sealway/tokens"
import type { Operations } from "../operations/compile-operations.ts"
import type { BodyFormat } from "./body-format.ts"

/** What of a message is taken in, in bytes. */
export interface MessageLimits {
  /** Of a body of any kind, decoded; of a multipart body, all but its files. */
  readonly maxPlainBodyBytes: number
  /** The same where values are decrypted: whatever was sealed in a body of the largest size comes back. */
  readonly maxBodyBytes: number
  /** Of each file of a multipart body, before it is encrypted. */
  readonly maxFileBytes: number
  /** Of a whole multipart body, decoded. */
  readonly maxMultipartBytes: number
  /** Of a header's value that is sealed: it must come back among other headers. */
  readonly maxHeaderValueBytes: number
}

/** In a form, one in 32 characters of a token takes three: `+` and `/`. 4 KB are room for more of them. */
const MAX_FORM_TOKEN_BYTES = Math.ceil((longestTokenOf(MAX_DOCUMENT_BYTES) * 17) / 16) + 4 * KB

/** The specification's (Limits). */
export const MESSAGE_LIMITS: MessageLimits = {
  maxPlainBodyBytes: MAX_DOCUMENT_BYTES,
  maxBodyBytes: MAX_FORM_TOKEN_BYTES,
  maxFileBytes: MAX_PLAIN_FILE_BYTES,
  maxMultipartBytes: 30 * MB,
  maxHeaderValueBytes: 24 * KB,
}

/** The limits for a body of a format: tokens are larger than their values, so that more is taken where they are opened. */
export function limitsFor(format: BodyFormat, operations: Operations, limits: MessageLimits): MessageLimits {
  const { maxPlainBodyBytes, maxBodyBytes } = limits
  if (maxBodyBytes <= maxPlainBodyBytes || decrypts(format, operations)) return limits
  return { ...limits, maxBodyBytes: maxPlainBodyBytes }
}

function decrypts(format: BodyFormat, { json, xml, form }: Operations): boolean {
  if (format === "other") return false
  const { operations } = format === "json" ? json : format === "xml" ? xml : form
  return operations.some(({ action }) => action === "decrypt")
}
