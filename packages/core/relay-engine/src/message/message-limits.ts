import { KB, MAX_DOCUMENT_BYTES, MAX_PLAIN_FILE_BYTES, MB } from "@sealway/kernel"
import { longestTokenOf } from "@sealway/tokens"
import type { Operations } from "../operations/compile-operations.ts"
import type { BodyFormat } from "./body-format.ts"

/** The limits of a message, in bytes. */
export interface MessageLimits {
  /** For a body of any kind, decoded; for a multipart body, everything but its files. */
  readonly maxPlainBodyBytes: number
  /** The same if values are decrypted: whatever was sealed in a body of the largest size can come back. */
  readonly maxBodyBytes: number
  /** For each file of a multipart body, before it is encrypted. */
  readonly maxFileBytes: number
  /** For a whole multipart body, decoded. */
  readonly maxMultipartBytes: number
  /** For a sealed header value: it must come back among other headers. */
  readonly maxHeaderValueBytes: number
}

/** In a form, one in 32 characters of a token takes three: `+` and `/`. 4 KB leave room for more of them. */
const MAX_FORM_TOKEN_BYTES = Math.ceil((longestTokenOf(MAX_DOCUMENT_BYTES) * 17) / 16) + 4 * KB

/** From the specification (Limits). */
export const MESSAGE_LIMITS: MessageLimits = {
  maxPlainBodyBytes: MAX_DOCUMENT_BYTES,
  maxBodyBytes: MAX_FORM_TOKEN_BYTES,
  maxFileBytes: MAX_PLAIN_FILE_BYTES,
  maxMultipartBytes: 30 * MB,
  maxHeaderValueBytes: 24 * KB,
}

/**
 * Returns the limits for a body of a format: tokens are larger than their values, so more is accepted if they are
 * opened.
 */
export function limitsFor(format: BodyFormat, operations: Operations, limits: MessageLimits): MessageLimits {
  if (decrypts(format, operations)) return limits
  return { ...limits, maxBodyBytes: Math.min(limits.maxBodyBytes, limits.maxPlainBodyBytes) }
}

function decrypts(format: BodyFormat, { json, xml, form }: Operations): boolean {
  if (format === "other") return false
  const { operations } = format === "json" ? json : format === "xml" ? xml : form
  return operations.some(({ action }) => action === "decrypt")
}
