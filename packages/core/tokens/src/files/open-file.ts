import { crc32 } from "node:zlib"
import { finish, type Work } from "@sealway/kernel"
import { createContentDecipher } from "../crypto/content-cipher.ts"
import type { ContentKey } from "../crypto/content-key.ts"
import { piecesOf } from "../crypto/pieces-of.ts"
import { TAG_BYTES } from "../crypto/sizes.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { type FileHeader, fileAdditionalData, readFileHeader } from "./file-header.ts"
import { FILE_CRC_BYTES, FILE_HEADER_BYTES, FILE_OVERHEAD_BYTES } from "./file-layout.ts"

/** The parts of a well-formed file. Nothing in it is authentic yet. */
export type ParsedFile = FileHeader & {
  /** Ends with the 16-byte tag. A view of the bytes that were parsed. */
  readonly ciphertext: Buffer
}

/**
 * Parses an encrypted file:
 *
 *     %EVENC  version (1)  data offset (2, LE)  key segment (33)  IV (12)  flags (1)  ciphertext  tag (16)  CRC-32 (4, LE)
 *
 * @throws InvalidTokenError when it is truncated, has an unknown version or metadata, or its CRC is wrong
 */
export function parseFile(bytes: Uint8Array): ParsedFile {
  return finish(parseFileInSteps(bytes))
}

/** `parseFile`, in steps. */
export function* parseFileInSteps(bytes: Uint8Array): Work<ParsedFile> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const header = readFileHeader(file)
  const end = file.length - FILE_CRC_BYTES
  if (
    file.length < FILE_OVERHEAD_BYTES ||
    (yield* crcInSteps(file.subarray(0, end))) !== file.readUInt32LE(end)
  ) {
    throw new InvalidTokenError()
  }
  return { ...header, ciphertext: file.subarray(FILE_HEADER_BYTES, end) }
}

function* crcInSteps(bytes: Uint8Array): Work<number> {
  let crc = 0
  for (const piece of piecesOf(bytes)) {
    if (piece.byteOffset > bytes.byteOffset) yield
    crc = crc32(piece, crc)
  }
  return crc
}

/**
 * Opens a file.
 *
 * @param contentKey from `deriveContentKey`, for this file's ephemeral key
 * @param appPublicKey the app's key on the file's curve, compressed, 33 bytes
 * @throws InvalidTokenError when the file was not sealed to this key or was changed
 */
export function openFile(file: ParsedFile, contentKey: ContentKey, appPublicKey: Uint8Array): Buffer {
  return finish(openFileInSteps(file, contentKey, appPublicKey))
}

/** `openFile`, in steps. */
export function* openFileInSteps(
  file: ParsedFile,
  contentKey: ContentKey,
  appPublicKey: Uint8Array,
): Work<Buffer> {
  const end = file.ciphertext.length - TAG_BYTES
  const tag = file.ciphertext.subarray(end)
  const decipher = createContentDecipher(contentKey, file.iv, fileAdditionalData(file, appPublicKey))
  const plaintext = Buffer.allocUnsafe(end)
  let length = 0
  for (const piece of piecesOf(file.ciphertext.subarray(0, end))) {
    if (length > 0) yield
    plaintext.set(decipher.update(piece), length)
    length += piece.length
  }
  try {
    decipher.setAuthTag(tag).final()
  } catch {
    throw new InvalidTokenError()
  }
  return plaintext
}

/** Says whether the bytes are a complete encrypted file. Bytes that only start like one are data to be encrypted. */
export function isEncryptedFile(bytes: Uint8Array): boolean {
  return finish(isEncryptedFileInSteps(bytes))
}

/** `isEncryptedFile`, in steps. */
export function* isEncryptedFileInSteps(bytes: Uint8Array): Work<boolean> {
  try {
    yield* parseFileInSteps(bytes)
    return true
  } catch (error) {
    if (error instanceof InvalidTokenError) return false
    throw error
  }
}
