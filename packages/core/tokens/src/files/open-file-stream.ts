import type { DecipherGCM } from "node:crypto"
import { crc32 } from "node:zlib"
import { createContentCipher, createContentDecipher } from "../crypto/content-cipher.ts"
import type { ContentKey } from "../crypto/content-key.ts"
import { TAG_BYTES } from "../crypto/sizes.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { ByteStore } from "./byte-store.ts"
import { type FileHeader, fileAdditionalData, readFileHeader } from "./file-header.ts"
import { FILE_CRC_BYTES, FILE_HEADER_BYTES } from "./file-layout.ts"
import { FileTooLargeError } from "./file-too-large-error.ts"

/** One of the keys that a file may have been sealed to. */
export interface FileKey {
  /** From `deriveContentKey`, for the file's ephemeral key. */
  readonly contentKey: ContentKey
  /** The app's key on the file's curve, compressed, 33 bytes. */
  readonly appPublicKey: Uint8Array
  /**
   * Called when all of the file is authentic under this key, before anything is released. What it throws is thrown, and
   * nothing is released. Default: nothing.
   */
  readonly onAuthentic?: () => void
}

/** Returns the keys to try on a file, likeliest first. Called as soon as the header has arrived. */
export type FileKeysFor = (header: FileHeader) => readonly FileKey[] | Promise<readonly FileKey[]>

export interface OpenFileStreamOptions {
  /** The maximum size of the encrypted file, header and trailer included. The whole file is held in memory. */
  readonly maxBytes: number
}

/** The tag, then the CRC. */
const TRAILER_BYTES = TAG_BYTES + FILE_CRC_BYTES

/**
 * Opens a file and releases nothing until all of it is authenticated. Chunks are decrypted as they arrive, with the
 * first key, and held until the end. If that key turns out to be wrong, the held bytes are turned back into ciphertext
 * and decrypted with the next key.
 *
 * @throws InvalidTokenError when none of the keys opens the file, or it is not well-formed
 * @throws FileTooLargeError when it is larger than `maxBytes`
 */
export async function* openFileStream(
  source: AsyncIterable<Uint8Array>,
  keysFor: FileKeysFor,
  { maxBytes }: OpenFileStreamOptions,
): AsyncGenerator<Buffer, void, void> {
  const plaintext = new ByteStore()
  let opening: FileOpening | null = null
  let held = Buffer.alloc(0)
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new FileTooLargeError()
    if (opening !== null) {
      held = opening.take(held, chunk)
      continue
    }
    held = Buffer.concat([held, chunk])
    // Immediately, so that something that is not a file is not read to its end.
    if (held.length < FILE_HEADER_BYTES) continue
    const head = held.subarray(0, FILE_HEADER_BYTES)
    const header = readFileHeader(head)
    opening = new FileOpening(header, crc32(head), await keysFor(header), plaintext)
    held = opening.take(Buffer.alloc(0), held.subarray(FILE_HEADER_BYTES))
  }
  if (opening === null) throw new InvalidTokenError()
  opening.end(held)
  yield* plaintext.drain()
}

/** One attempt to decrypt a file. The content of the store may be released only after `end` has returned. */
class FileOpening {
  readonly #header: FileHeader
  readonly #plaintext: ByteStore
  readonly #otherKeys: FileKey[]
  #key: FileKey
  #decipher: DecipherGCM
  #crc: number

  constructor(
    header: FileHeader,
    crc: number,
    [key, ...otherKeys]: readonly FileKey[],
    plaintext: ByteStore,
  ) {
    if (key === undefined) throw new InvalidTokenError()
    this.#header = header
    this.#crc = crc
    this.#plaintext = plaintext
    this.#key = key
    this.#otherKeys = otherKeys
    this.#decipher = this.#createDecipher(key)
  }

  /**
   * Takes the next bytes of the file, except the last ones, which may be the trailer: it returns a copy of these, to be
   * put in front of the next chunk.
   */
  take(held: Buffer, chunk: Uint8Array): Buffer<ArrayBuffer> {
    const isShort = chunk.length < TRAILER_BYTES
    const bytes = isShort ? Buffer.concat([held, chunk]) : chunk
    const cut = Math.max(bytes.length - TRAILER_BYTES, 0)
    if (!isShort) this.#decrypt(held)
    this.#decrypt(bytes.subarray(0, cut))
    return Buffer.from(bytes.subarray(cut))
  }

  /**
   * Checks the CRC and the tag.
   *
   * @throws InvalidTokenError when the CRC is wrong, or the tag is wrong under every key
   */
  end(trailer: Buffer): void {
    if (trailer.length < TRAILER_BYTES) throw new InvalidTokenError()
    const tag = trailer.subarray(0, TAG_BYTES)
    if (crc32(tag, this.#crc) !== trailer.readUInt32LE(TAG_BYTES)) throw new InvalidTokenError()
    while (!isAuthentic(this.#decipher, tag)) this.#tryNextKey()
    this.#key.onAuthentic?.()
  }

  #decrypt(ciphertext: Uint8Array): void {
    if (ciphertext.length === 0) return
    this.#crc = crc32(ciphertext, this.#crc)
    this.#plaintext.append(this.#decipher.update(ciphertext))
  }

  /** GCM encrypts in counter mode, so encrypting what the wrong key decrypted restores the ciphertext. */
  #tryNextKey(): void {
    const key = this.#otherKeys.shift()
    if (key === undefined) throw new InvalidTokenError()
    const cipher = createContentCipher(this.#key.contentKey, this.#header.iv, this.#key.appPublicKey)
    const decipher = this.#createDecipher(key)
    this.#plaintext.replace((piece) => decipher.update(cipher.update(piece)))
    this.#key = key
    this.#decipher = decipher
  }

  #createDecipher({ contentKey, appPublicKey }: FileKey): DecipherGCM {
    return createContentDecipher(contentKey, this.#header.iv, fileAdditionalData(this.#header, appPublicKey))
  }
}

function isAuthentic(decipher: DecipherGCM, tag: Buffer): boolean {
  try {
    decipher.setAuthTag(tag).final()
    return true
  } catch {
    return false
  }
}
