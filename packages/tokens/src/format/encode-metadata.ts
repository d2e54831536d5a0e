import { isRoleSlug } from "./role-slug.ts"

/** The metadata that is sealed with a value that has a data role. */
export interface SealMetadata {
  /** 1 to 20 of a-z, 0-9 and `-`. */
  readonly role: string
  /** Epoch seconds. */
  readonly encryptedAt: number
}

/**
 * The `eo` of values that Sealway seals: 83, "S" in ASCII. Clients use small numbers (5 is a Node.js client), so this
 * one cannot be confused with theirs and still takes one byte of MessagePack. Nothing is decided by it.
 */
export const SEALWAY_ORIGIN = 83

const MAX_UINT32 = 0xffff_ffff

/**
 * Encodes the metadata in front of a value: its length (uint16, little-endian), then a MessagePack map of `dr` (role,
 * string), `eo` (origin, integer) and `et` (time, uint32), in this order.
 *
 * @param origin 0 to 127
 * @throws TypeError when the role is not a slug or the time is not a uint32
 */
export function encodeMetadata(role: string, origin: number, encryptedAt: number): Uint8Array<ArrayBuffer> {
  if (!isRoleSlug(role)) throw new TypeError("The role is not a data role slug")
  if (!Number.isInteger(encryptedAt) || encryptedAt < 0 || encryptedAt > MAX_UINT32) {
    throw new TypeError("The encryption time is not in epoch seconds")
  }
  const map = [
    0x83, // a map of three entries
    ...ascii("\xa2dr"), // 0xa0 | length, and that many characters
    0xa0 | role.length,
    ...ascii(role),
    ...ascii("\xa2eo"),
    origin, // up to 127 an integer is its own byte
    ...ascii("\xa2et\xce"), // 0xce: uint32
    ...[24, 16, 8, 0].map((shift) => (encryptedAt >>> shift) & 0xff),
  ]
  return Uint8Array.of(map.length, 0, ...map)
}

function ascii(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0))
}

/** Returns an encoder that keeps its last result: the values of a document share their metadata. */
export function createMetadataEncoder(): (metadata: SealMetadata) => Uint8Array<ArrayBuffer> {
  let last: (SealMetadata & { readonly bytes: Uint8Array<ArrayBuffer> }) | null = null
  return ({ role, encryptedAt }) => {
    if (last?.role !== role || last.encryptedAt !== encryptedAt) {
      last = { role, encryptedAt, bytes: encodeMetadata(role, SEALWAY_ORIGIN, encryptedAt) }
    }
    return last.bytes
  }
}
