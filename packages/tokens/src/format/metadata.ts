import { InvalidTokenError } from "../invalid-token-error.ts"
import { MessagePackReader } from "./message-pack-reader.ts"

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

/**
 * The `eo` of values that Sealway seals: 83, "S" in ASCII. Clients use small numbers (5 is a Node.js client), so this
 * one cannot be confused with theirs and still takes one byte of MessagePack. Nothing is decided by it.
 */
export const SEALWAY_ORIGIN = 83

const MAX_UINT32 = 0xffff_ffff
const LENGTH_BYTES = 2
/** The slugs that a data role can have. */
export const ROLE_SLUG = /^[a-z0-9-]{1,20}$/

/** True when the text matches `ROLE_SLUG`. */
export function isRoleSlug(text: string): boolean {
  return ROLE_SLUG.test(text)
}

/**
 * Encodes the metadata in front of a value: its length (uint16, little-endian), then a MessagePack map of `dr` (role,
 * string), `eo` (origin, integer) and `et` (time, uint32), in this order.
 *
 * @param origin 0 to 127
 * @throws TypeError when the role is not a slug or the time is not a uint32
 */
export function encodeMetadata(role: string, origin: number, encryptedAt: number): Buffer {
  if (!isRoleSlug(role)) throw new TypeError("The role is not a data role slug")
  if (!Number.isInteger(encryptedAt) || encryptedAt < 0 || encryptedAt > MAX_UINT32) {
    throw new TypeError("The encryption time is not in epoch seconds")
  }
  const map = Buffer.concat([
    Buffer.of(0x83), // a map of three entries
    Buffer.from("\xa2dr", "latin1"), // 0xa0 | length, and that many characters
    Buffer.of(0xa0 | role.length),
    Buffer.from(role, "latin1"),
    Buffer.from("\xa2eo", "latin1"),
    Buffer.of(origin), // up to 127 an integer is its own byte
    Buffer.from("\xa2et\xce", "latin1"), // 0xce: uint32
    uint32(encryptedAt),
  ])
  return Buffer.concat([Buffer.of(map.length, 0), map])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

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
