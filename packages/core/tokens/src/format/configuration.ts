import { COMPRESSED_POINT_BYTES } from "../crypto/sizes.ts"
import type { ValueType } from "./value-type.ts"

const TYPE_NUMBERS = { string: 0, number: 1, boolean: 2 } as const satisfies Record<ValueType, number>

/**
 * The byte that one browser client writes for debug tokens of any type, so that no type is bound. It only writes
 * `QkTC`. Accepted elsewhere, this byte would let a relabelled `S0lS` token open, whose debug strings legitimately have
 * the same byte.
 */
export const DEBUG_QUIRK_BYTE = 0x80

/** Returns `debug << 7 | type << 4 | version number`, which authenticates what the readable segments of a token say. */
export function configurationByte(debug: boolean, type: ValueType, versionNumber: 0 | 1 | 2 | 3 | 4): number {
  return (debug ? 0x80 : 0) | (TYPE_NUMBERS[type] << 4) | versionNumber
}

/** Returns the size of the additional data of versions with metadata: configuration byte, key segment, public key. */
export function configuredDataBytes(keySegment: Uint8Array): number {
  return 1 + keySegment.length + COMPRESSED_POINT_BYTES
}

/**
 * Writes the additional data of versions with metadata: configuration byte, key segment, public key (33).
 *
 * @param data `configuredDataBytes` to write to
 */
export function writeConfiguredData<Data extends Uint8Array>(
  data: Data,
  byte: number,
  keySegment: Uint8Array,
  publicKey: Uint8Array,
): Data {
  data[0] = byte
  data.set(keySegment, 1)
  data.set(publicKey, 1 + keySegment.length)
  return data
}
