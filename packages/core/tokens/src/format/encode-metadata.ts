import type { Metadata } from "./metadata.ts"
import { isRoleSlug } from "./role-slug.ts"

/** The metadata that a client seals with a value: one that has a data role, or that is for a data subject. */
export interface SealMetadata {
  /** 1 to 20 of a-z, 0-9 and `-`; null for none, which only values for a data subject say. */
  readonly role: string | null
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
 * string), `eo` (origin, integer) and `et` (time, uint32), in this order. A role or time that is null is left out.
 *
 * @param origin 0 to 127
 * @throws TypeError when the role is not a slug or the time is not a uint32
 */
export function encodeMetadata(
  role: string | null,
  origin: number,
  encryptedAt: number | null,
): Uint8Array<ArrayBuffer> {
  if (role !== null && !isRoleSlug(role)) throw new TypeError("The role is not a data role slug")
  if (encryptedAt !== null && !isUint32(encryptedAt)) {
    throw new TypeError("The encryption time is not in epoch seconds")
  }
  const entries = [
    // Text is 0xa0 | length, and that many characters.
    ...(role === null ? [] : [[...ascii("\xa2dr"), 0xa0 | role.length, ...ascii(role)]]),
    [...ascii("\xa2eo"), origin], // up to 127 an integer is its own byte
    ...(encryptedAt === null ? [] : [[...ascii("\xa2et\xce"), ...uint32(encryptedAt)]]), // 0xce: uint32
  ]
  const map = [0x80 | entries.length, ...entries.flat()]
  return Uint8Array.of(map.length, 0, ...map)
}

function isUint32(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MAX_UINT32
}

function uint32(value: number): number[] {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff)
}

function ascii(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0))
}

/** Returns an encoder that keeps its last result: the values of a document share their metadata. */
export function createMetadataEncoder(): (metadata: Metadata) => Uint8Array<ArrayBuffer> {
  let last: (Metadata & { readonly bytes: Uint8Array<ArrayBuffer> }) | null = null
  return ({ role, encryptedAt }) => {
    if (last?.role !== role || last.encryptedAt !== encryptedAt) {
      last = { role, encryptedAt, bytes: encodeMetadata(role, SEALWAY_ORIGIN, encryptedAt) }
    }
    return last.bytes
  }
}
