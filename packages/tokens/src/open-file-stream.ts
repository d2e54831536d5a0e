import type { DecipherGCM } from "node:crypto"
import { crc32 } from "node:zlib"
import { ByteSpool } from "./byte-spool.ts"
import { createContentDecipher, TAG_BYTES } from "./content-cipher.ts"
import type { ContentKey } from "./content-key.ts"
import {
  FILE_CRC_BYTES,
  FILE_HEADER_BYTES,
  type FileHeader,
  fileAdditionalData,
  MIN_FILE_BYTES,
  readFileHeader,
} from "./file-header.ts"
import { FileTooLargeError } from "./file-too-large-error.ts"
import { InvalidTokenError } from "./invalid-token-error.ts"

/** One of the keys a file may have been sealed to. */
export interface FileKey {
  /** Of `deriveContentKey`, for the file's ephemeral key. */
  readonly contentKey: ContentKey
  /** The app's key on the file's curve, compressed, 33 bytes. */
  readonly appPublicKey: Uint8Array
}

/** The keys to try on a file, in this order: newest first. Not asked for before the CRC has been found right. */
export type FileKeysFor = (header: FileHeader) => readonly FileKey[] | Promise<readonly FileKey[]>

export interface OpenFileStreamOptions {
  /** The size of the encrypted file at most, header and trailer included. As much is kept in memory. */
  readonly maxBytes: number
}

/** An encrypted file, whole, whose CRC is right. */
interface SpooledFile {
  readonly header: FileHeader
  readonly tag: Buffer
  /** The ciphertext without the tag, anew for every call. */
  content(): Iterable<Buffer>
}

/**
 * Opens a file, of which nothing is released before all of it has been authenticated: it is kept encrypted, decrypted
 * a first time to check its tag, and a second time to release it in chunks of at most 64 KiB.
 *
 * @throws InvalidTokenError when none of the keys opens the file, or it is not well-formed
 * @throws FileTooLargeError when it is larger than `maxBytes`
 */
export async function* openFileStream(
  source: AsyncIterable<Uint8Array>,
  keysFor: FileKeysFor,
  { maxBytes }: OpenFileStreamOptions,
): AsyncGenerator<Buffer, void, void> {
  const file = await spoolFile(source, maxBytes)
  const keys = await keysFor(file.header)
  const key = keys.find((candidate) => authenticates(candidate, file))
  if (key === undefined) throw new InvalidTokenError()
  const decipher = createFileDecipher(key, file)
  for (const block of file.content()) yield decipher.update(block)
  decipher.final()
}

async function spoolFile(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<SpooledFile> {
  const spool = new ByteSpool()
  let header: FileHeader | null = null
  for await (const chunk of source) {
    if (spool.length + chunk.length > maxBytes) throw new FileTooLargeError()
    spool.append(chunk)
    // At once, so that what is no file at all is not taken in to its end.
    if (header === null && spool.length >= FILE_HEADER_BYTES) {
      header = readFileHeader(spool.read(0, FILE_HEADER_BYTES))
    }
  }
  if (header === null || spool.length < MIN_FILE_BYTES) throw new InvalidTokenError()

  const crcAt = spool.length - FILE_CRC_BYTES
  const tagAt = crcAt - TAG_BYTES
  let crc = 0
  for (const view of spool.views(0, crcAt)) crc = crc32(view, crc)
  if (crc !== spool.read(crcAt, spool.length).readUInt32LE()) throw new InvalidTokenError()
  return { header, tag: spool.read(tagAt, crcAt), content: () => spool.views(FILE_HEADER_BYTES, tagAt) }
}

function authenticates(key: FileKey, file: SpooledFile): boolean {
  const decipher = createFileDecipher(key, file)
  for (const block of file.content()) decipher.update(block)
  try {
    decipher.final()
    return true
  } catch {
    return false
  }
}

function createFileDecipher(
  { contentKey, appPublicKey }: FileKey,
  { header, tag }: SpooledFile,
): DecipherGCM {
  return createContentDecipher(contentKey, header.iv, tag, fileAdditionalData(header, appPublicKey))
}
