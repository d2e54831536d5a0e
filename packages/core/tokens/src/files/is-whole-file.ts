import { crc32 } from "./crc32.ts"
import { FILE_CRC_BYTES, FILE_OVERHEAD_BYTES, fileVersionOf } from "./file-layout.ts"

/**
 * Says whether the bytes are a complete encrypted file, as `isEncryptedFile` does. Bytes that only start like one are
 * data to be encrypted.
 */
export function isWholeFile(bytes: Uint8Array): boolean {
  if (bytes.length < FILE_OVERHEAD_BYTES || fileVersionOf(bytes) === null) return false
  const end = bytes.length - FILE_CRC_BYTES
  const stated = new DataView(bytes.buffer, bytes.byteOffset + end, FILE_CRC_BYTES).getUint32(0, true)
  return crc32(bytes.subarray(0, end)) === stated
}
