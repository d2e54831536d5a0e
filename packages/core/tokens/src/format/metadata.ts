import { InvalidTokenError } from "../invalid-token-error.ts"
import { MessagePackReader } from "./message-pack-reader.ts"
import { isRoleSlug } from "./role-slug.ts"

/** What is sealed beside a value. */
export interface Metadata {
  /** Slug of the data role; null when the value has none. */
  readonly role: string | null
  /** Epoch seconds; null when the client that sealed the value did not say. */
  readonly encryptedAt: number | null
}

/** Metadata and the value that follows it. */
export interface WithMetadata extends Metadata {
  readonly value: Buffer
}

const LENGTH_BYTES = 2

/**
 * Splits the metadata from the front of a plaintext. Unknown keys of any type are skipped, so that clients may add
 * some.
 *
 * @throws InvalidTokenError when the metadata is truncated or not exactly one map, or a known key has a wrong type or
 * occurs twice
 */
export function splitMetadata(plaintext: Buffer): WithMetadata {
  if (plaintext.length < LENGTH_BYTES) throw new InvalidTokenError()
  const end = LENGTH_BYTES + plaintext.readUInt16LE(0)
  if (end > plaintext.length) throw new InvalidTokenError()
  return { ...decodeMetadata(plaintext.subarray(LENGTH_BYTES, end)), value: plaintext.subarray(end) }
}

function decodeMetadata(bytes: Buffer): Metadata {
  const reader = new MessagePackReader(bytes)
  let role: string | null = null
  let origin: number | null = null
  let encryptedAt: number | null = null
  for (let rest = reader.readMapSize(); rest > 0; rest--) {
    const key = reader.readString()
    if (key === null) reader.skip()
    switch (key?.toString("latin1")) {
      case "dr":
        role = once(role, readRole(reader))
        break
      case "eo":
        origin = once(origin, reader.readUint32())
        break
      case "et":
        encryptedAt = once(encryptedAt, reader.readUint32())
        break
      default:
        reader.skip()
    }
  }
  if (!reader.atEnd) throw new InvalidTokenError()
  return { role, encryptedAt }
}

function readRole(reader: MessagePackReader): string {
  const role = reader.readString()?.toString("latin1")
  if (role === undefined || !isRoleSlug(role)) throw new InvalidTokenError()
  return role
}

/** Two readers could disagree on which of two equal keys counts, and a policy would then apply to only one of them. */
function once<Value>(before: Value | null, value: Value): Value {
  if (before !== null) throw new InvalidTokenError()
  return value
}
