import type { CipherGCM } from "node:crypto"
import type { Work } from "@sealway/kernel"
import { type AppPublicKey, importAppPublicKey } from "../crypto/app-public-key.ts"
import { createContentCipher, TAG_BYTES } from "../crypto/content-cipher.ts"
import type { ContentKey } from "../crypto/content-key.ts"
import { createEphemeralKey } from "../crypto/ephemeral-key.ts"
import { piecesOf } from "../crypto/pieces-of.ts"
import { RandomIvs } from "../crypto/random-ivs.ts"
import { base64Characters, encodeBase64 } from "../format/base64.ts"
import { Base64Writer } from "../format/base64-writer.ts"
import { configurationByte, configuredAdditionalData } from "../format/configuration.ts"
import { encodeMetadata, SEALWAY_ORIGIN } from "../format/metadata.ts"
import { isPlaintextOf, type ValueType } from "../format/value-type.ts"

/** The metadata that is sealed with a value that has a data role. */
export interface SealMetadata {
  /** 1 to 20 of a-z, 0-9 and `-`. */
  readonly role: string
  /** Epoch seconds. */
  readonly encryptedAt: number
}

/** One file that is being encrypted. The app's public key is already bound. */
export interface FileEncryption {
  /** 12 bytes, fresh. */
  readonly iv: Buffer
  readonly cipher: CipherGCM
}

/**
 * One ephemeral key pair for one app's P-256 key. It may seal many values, since each gets a different IV; the safe
 * limit for random IVs under one key is 2^32 (NIST SP 800-38D, section 8.3).
 */
export interface SealingKey {
  /** Whether tokens and files are marked as a sandbox app's. */
  readonly debug: boolean
  /** Compressed, 33 bytes. */
  readonly ephemeralPublicKey: Buffer
  /**
   * Seals one value: as `Tk9D` without metadata, as `QkTC` with it.
   *
   * @param plaintext text, or its UTF-8; a number or boolean as its JSON literal, which opens to the same digits
   * @throws TypeError when the plaintext is not one value of the type (a string with a lone surrogate and bytes that
   * are not UTF-8 included), the role is not a slug, or the time is not a uint32
   */
  seal(type: ValueType, plaintext: string | Uint8Array, metadata?: SealMetadata): string
  /**
   * `seal` for large values, in steps. The caller must not change the plaintext until it is done.
   *
   * @returns the token, in ASCII
   */
  sealInSteps(type: ValueType, plaintext: Uint8Array, metadata?: SealMetadata): Work<Buffer>
  /** Starts a file, for `sealFile` and `sealFileStream`. */
  startFile(): FileEncryption
}

export interface SealingKeyOptions {
  /** The app's P-256 key, compressed, 33 bytes. */
  readonly appPublicKey: Uint8Array
  /** True for sandbox apps. */
  readonly debug: boolean
}

/**
 * Creates an ephemeral key pair. Prefer `createSealingKeySource` when values come one at a time: a key pair takes about
 * 30 times as long as a value.
 *
 * @throws TypeError when the app's key is not a compressed point of P-256
 */
export function createSealingKey({ appPublicKey, debug }: SealingKeyOptions): SealingKey {
  return createSealingKeyToward(importAppPublicKey(appPublicKey), debug)
}

export function createSealingKeyToward(app: AppPublicKey, debug: boolean): SealingKey {
  return new EphemeralSealingKey(app, debug)
}

const END = ":$"

/** The parts of a type's tokens that do not change from value to value. */
interface TokenForm {
  readonly plainPrefix: string
  readonly rolePrefix: string
  readonly roleAdditionalData: Buffer
}

class EphemeralSealingKey implements SealingKey {
  readonly debug: boolean
  readonly ephemeralPublicKey: Buffer
  readonly #appPublicKey: Buffer
  readonly #contentKey: ContentKey
  readonly #ivs = new RandomIvs()
  readonly #keySegment: string
  readonly #forms: Readonly<Record<ValueType, TokenForm>>
  /** The values of a document share their metadata, so the last encoding is nearly always the next one needed. */
  #metadata: (SealMetadata & { readonly bytes: Buffer }) | null = null

  constructor(app: AppPublicKey, debug: boolean) {
    const { publicKey, contentKey } = createEphemeralKey(app)
    this.debug = debug
    this.ephemeralPublicKey = publicKey
    this.#appPublicKey = app.bytes
    this.#contentKey = contentKey
    this.#keySegment = publicKey.toString("base64")
    const start = debug ? "ev:debug:" : "ev:"
    const form = (type: ValueType): TokenForm => {
      const marker = type === "string" ? "" : `${type}:`
      return {
        plainPrefix: `${start}Tk9D:${marker}`,
        rolePrefix: `${start}QkTC:${marker}`,
        roleAdditionalData: configuredAdditionalData(configurationByte(debug, type, 1), publicKey, app.bytes),
      }
    }
    this.#forms = { string: form("string"), number: form("number"), boolean: form("boolean") }
  }

  seal(type: ValueType, plaintext: string | Uint8Array, metadata?: SealMetadata): string {
    if (!isPlaintextOf(type, plaintext)) throw new TypeError("The plaintext is not a value of its type")
    const form = this.#forms[type]
    if (metadata === undefined) return this.#write(form.plainPrefix, this.#appPublicKey, plaintext)
    const content = concatenate(this.#encodedMetadata(metadata), plaintext)
    const token = this.#write(form.rolePrefix, form.roleAdditionalData, content)
    content.fill(0)
    return token
  }

  *sealInSteps(type: ValueType, plaintext: Uint8Array, metadata?: SealMetadata): Work<Buffer> {
    if (!isPlaintextOf(type, plaintext)) throw new TypeError("The plaintext is not a value of its type")
    const form = this.#forms[type]
    const front = metadata === undefined ? Buffer.alloc(0) : this.#encodedMetadata(metadata)
    const iv = this.#ivs.next()
    const additionalData = metadata === undefined ? this.#appPublicKey : form.roleAdditionalData
    const cipher = createContentCipher(this.#contentKey, iv, additionalData)
    const start = this.#startOf(metadata === undefined ? form.plainPrefix : form.rolePrefix, iv)
    const sealedBytes = front.length + plaintext.length + TAG_BYTES
    const token = Buffer.allocUnsafe(start.length + base64Characters(sealedBytes) + END.length)
    const writer = new Base64Writer(token, token.write(start, "latin1"))
    writer.write(cipher.update(front))
    for (const piece of piecesOf(plaintext)) {
      yield
      writer.write(cipher.update(piece))
    }
    cipher.final()
    writer.write(cipher.getAuthTag())
    token.write(END, writer.end(), "latin1")
    return token
  }

  startFile(): FileEncryption {
    const iv = this.#ivs.next()
    return { iv, cipher: createContentCipher(this.#contentKey, iv, this.#appPublicKey) }
  }

  #write(prefix: string, additionalData: Uint8Array, content: string | Uint8Array): string {
    const iv = this.#ivs.next()
    const cipher = createContentCipher(this.#contentKey, iv, additionalData)
    const ciphertext = typeof content === "string" ? cipher.update(content, "utf8") : cipher.update(content)
    cipher.final()
    const sealed = Buffer.allocUnsafe(ciphertext.length + TAG_BYTES)
    sealed.set(ciphertext)
    sealed.set(cipher.getAuthTag(), ciphertext.length)
    return `${this.#startOf(prefix, iv)}${encodeBase64(sealed)}${END}`
  }

  /** Returns everything before the ciphertext of a token. */
  #startOf(prefix: string, iv: Buffer): string {
    return `${prefix}${iv.toString("base64")}:${this.#keySegment}:`
  }

  #encodedMetadata({ role, encryptedAt }: SealMetadata): Buffer {
    if (this.#metadata?.role !== role || this.#metadata.encryptedAt !== encryptedAt) {
      this.#metadata = { role, encryptedAt, bytes: encodeMetadata(role, SEALWAY_ORIGIN, encryptedAt) }
    }
    return this.#metadata.bytes
  }
}

function concatenate(metadata: Buffer, plaintext: string | Uint8Array): Buffer {
  const content = Buffer.allocUnsafe(metadata.length + Buffer.byteLength(plaintext))
  content.set(metadata)
  if (typeof plaintext === "string") content.write(plaintext, metadata.length)
  else content.set(plaintext, metadata.length)
  return content
}
