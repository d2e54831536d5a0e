import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto"
import { promisify } from "node:util"
import { MB } from "@sealway/kernel"
import { BackupError } from "../cloud/errors.ts"

/* The file format of backups, version 1:

  header   "SEALWAYB" (8 bytes), version 0x01 (1 byte), salt (16 bytes)
  chunks   each AES-256-GCM ciphertext and its tag of 16 bytes. Every chunk but the last holds 65,536 bytes of content,
           the last 0 to 65,536

The key is scrypt(passphrase in UTF-8 and NFC, salt, N = 2^17, r = 8, p = 1), 32 bytes. The salt is random, so a key is used for one file. A chunk's nonce is its number (11 bytes, big-endian, from 0) and 0x01 for the last chunk, 0x00 for
others: chunks cannot be moved, dropped or truncated. The header is the additional data of every chunk. */
const MAGIC = Buffer.from("SEALWAYB")
const VERSION = 1
const SALT_BYTES = 16
export const HEADER_BYTES = MAGIC.length + 1 + SALT_BYTES
const CHUNK_BYTES = 65_536
const TAG_BYTES = 16
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 192 * MB }

const deriveBytes = promisify<string, Uint8Array, number, typeof SCRYPT, Buffer>(scrypt)

/** Turns a passphrase into a key of 32 bytes. */
export type DeriveKey = (passphrase: string, salt: Uint8Array) => Promise<Buffer>

/** Encrypts content with a passphrase, in pieces as it arrives. */
export async function* sealStream(
  passphrase: string,
  content: AsyncIterable<Uint8Array>,
  deriveKey: DeriveKey = deriveByScrypt,
): AsyncGenerator<Uint8Array> {
  const salt = randomBytes(SALT_BYTES)
  const header = Buffer.concat([MAGIC, Uint8Array.of(VERSION), salt])
  const key = await deriveKey(passphrase, salt)
  yield header
  let number = 0
  for await (const { bytes, isLast } of inChunks(content, CHUNK_BYTES)) {
    const cipher = createCipheriv("aes-256-gcm", key, nonceOf(number++, isLast)).setAAD(header)
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }
}

/**
 * Decrypts what `sealStream` wrote. Each piece is authentic when it is yielded; that nothing is missing is only certain
 * after the last one.
 *
 * @throws BackupError when the file is not a backup, was changed or truncated, or has another passphrase
 */
export async function* openStream(
  passphrase: string,
  file: AsyncIterable<Uint8Array>,
  deriveKey: DeriveKey = deriveByScrypt,
): AsyncGenerator<Uint8Array> {
  let header: Buffer | null = null
  let key: Buffer | null = null
  let number = 0
  for await (const { bytes, isLast } of inChunks(file, CHUNK_BYTES + TAG_BYTES, HEADER_BYTES)) {
    if (header === null || key === null) {
      header = readHeader(bytes)
      key = await deriveKey(passphrase, header.subarray(-SALT_BYTES))
      if (isLast) throw cutOff()
      continue
    }
    if (bytes.length < TAG_BYTES) throw cutOff()
    const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(number, isLast), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(header).setAuthTag(bytes.subarray(-TAG_BYTES))
    let content: Buffer
    try {
      content = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()])
    } catch (error) {
      throw new BackupError(
        number === 0
          ? "The passphrase is wrong, or the backup was modified."
          : "The backup was modified or is incomplete. Use another copy.",
        { cause: error },
      )
    }
    number++
    yield content
  }
}

function readHeader(bytes: Buffer): Buffer {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new BackupError("The file is not a Sealway backup.")
  }
  if (bytes[MAGIC.length] !== VERSION) {
    throw new BackupError("The backup was made by a later version of Sealway.")
  }
  return bytes
}

function cutOff(): BackupError {
  return new BackupError("The backup is incomplete. Use another copy.")
}

function deriveByScrypt(passphrase: string, salt: Uint8Array): Promise<Buffer> {
  return deriveBytes(passphrase.normalize("NFC"), salt, 32, SCRYPT)
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(number, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/** Splits a stream into pieces of one size. The first may have a different size, and the last is the rest. */
async function* inChunks(
  content: AsyncIterable<Uint8Array>,
  size: number,
  firstSize = size,
): AsyncGenerator<{ readonly bytes: Buffer; readonly isLast: boolean }> {
  let wanted = firstSize
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  for await (const piece of content) {
    waiting.push(piece)
    waitingBytes += piece.length
    // More than needed, so the piece is certainly not the last one.
    while (waitingBytes > wanted) {
      const all = Buffer.concat(waiting)
      yield { bytes: all.subarray(0, wanted), isLast: false }
      waiting = [all.subarray(wanted)]
      waitingBytes -= wanted
      wanted = size
    }
  }
  yield { bytes: Buffer.concat(waiting), isLast: true }
}
