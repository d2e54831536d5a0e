import { piecesOf } from "../../crypto/pieces-of.ts"
import { IV_BYTES } from "../../crypto/sizes.ts"
import { joinBytes } from "../join-bytes.ts"
import { BLOCK_BYTES, Ghash } from "./ghash.ts"
import { subtle, type WebKey } from "./web-crypto.ts"

const COUNTER_BITS = 32
/** What one key and IV may encrypt (NIST SP 800-38D, section 5.2.1.1): beyond it, the counter would repeat. */
const MAX_BYTES = (2 ** COUNTER_BITS - 2) * BLOCK_BYTES

/** Imports an AES-256 key for `GcmStream`. */
export function importGcmStreamKey(bytes: Uint8Array<ArrayBuffer>): Promise<WebKey> {
  return subtle().importKey("raw", bytes, "AES-CTR", false, ["encrypt"])
}

/**
 * AES-256-GCM of any length in bounded memory. WebCrypto encrypts only messages that it is given whole, but GCM is its
 * counter mode (AES-CTR) and a hash of the ciphertext (GHASH).
 */
export class GcmStream {
  readonly #key: WebKey
  readonly #iv: Uint8Array
  readonly #ghash: Ghash
  readonly #additionalDataBytes: number
  /** The end of the plaintext that does not fill a block yet. */
  #rest = new Uint8Array(0)
  #bytes = 0

  private constructor(key: WebKey, iv: Uint8Array, hashKey: Uint8Array, additionalData: Uint8Array) {
    this.#key = key
    this.#iv = iv
    this.#ghash = new Ghash(hashKey)
    this.#ghash.update(additionalData)
    this.#additionalDataBytes = additionalData.length
  }

  /** @param key from `importGcmStreamKey` @param iv 12 bytes, never used with the key before */
  static async start(key: WebKey, iv: Uint8Array, additionalData: Uint8Array): Promise<GcmStream> {
    const zeros = new Uint8Array(BLOCK_BYTES)
    const hashKey = await encryptCounters(key, zeros, zeros)
    const stream = new GcmStream(key, iv, hashKey, additionalData)
    hashKey.fill(0)
    return stream
  }

  /** Returns the ciphertext of the whole blocks that are there. Wait for it before the next call. */
  async update(chunk: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const plaintext = joinBytes([this.#rest, chunk])
    const whole = plaintext.length - (plaintext.length % BLOCK_BYTES)
    this.#rest = plaintext.slice(whole)
    const ciphertext = new Uint8Array(whole)
    let at = 0
    for (const piece of piecesOf(plaintext.subarray(0, whole))) {
      ciphertext.set(await this.#encrypt(piece), at)
      at += piece.length
    }
    return ciphertext
  }

  /** Returns the last ciphertext and the tag. */
  async end(): Promise<{ ciphertext: Uint8Array<ArrayBuffer>; tag: Uint8Array<ArrayBuffer> }> {
    const ciphertext = await this.#encrypt(this.#rest)
    const lengths = new DataView(new ArrayBuffer(BLOCK_BYTES))
    lengths.setBigUint64(0, 8n * BigInt(this.#additionalDataBytes))
    lengths.setBigUint64(8, 8n * BigInt(this.#bytes))
    this.#ghash.update(new Uint8Array(lengths.buffer))
    return { ciphertext, tag: await encryptCounters(this.#key, this.#counterBlock(1), this.#ghash.digest()) }
  }

  async #encrypt(plaintext: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#bytes + plaintext.length > MAX_BYTES) throw new RangeError("The file is too large")
    const counter = this.#counterBlock(2 + this.#bytes / BLOCK_BYTES)
    const ciphertext = await encryptCounters(this.#key, counter, plaintext)
    this.#bytes += ciphertext.length
    this.#ghash.update(ciphertext)
    return ciphertext
  }

  #counterBlock(counter: number): Uint8Array<ArrayBuffer> {
    const block = new Uint8Array(BLOCK_BYTES)
    block.set(this.#iv)
    new DataView(block.buffer).setUint32(IV_BYTES, counter)
    return block
  }
}

async function encryptCounters(
  key: WebKey,
  counter: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(
    await subtle().encrypt({ name: "AES-CTR", counter, length: COUNTER_BITS }, key, bytes),
  )
}
