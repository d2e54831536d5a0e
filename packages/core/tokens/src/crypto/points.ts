import { COMPRESSED_POINT_BYTES, UNCOMPRESSED_POINT_BYTES } from "./sizes.ts"

export function isCompressedPoint(bytes: Uint8Array): boolean {
  return bytes.length === COMPRESSED_POINT_BYTES && (bytes[0] === 0x02 || bytes[0] === 0x03)
}

/**
 * Writes the compressed form of a point.
 *
 * @param target 33 bytes
 * @param point uncompressed, 65 bytes
 */
export function writeCompressedPoint<Target extends Uint8Array>(target: Target, point: Uint8Array): Target {
  target.set(point.subarray(0, COMPRESSED_POINT_BYTES))
  target[0] = 0x02 | ((point[UNCOMPRESSED_POINT_BYTES - 1] ?? 0) & 1)
  return target
}
