import type { CipherGCM } from "node:crypto"
import type { Work } from "@sealway/kernel"
import { type AppPublicKey, importAppPublicKey } from "../crypto/app-public-key.ts"
import { createContentCipher } from "../crypto/content-cipher.ts"
import type { ContentKey } from "../crypto/content-key.ts"
import { createEphemeralKey } from "../crypto/ephemeral-key.ts"
import { piecesOf } from "../crypto/pieces-of.ts"
import { RandomIvs } from "../crypto/random-ivs.ts"
import { TAG_BYTES } from "../crypto/sizes.ts"
import { base64Characters, encodeBase64 } from "../format/base64.ts"
import { Base64Writer } from "../format/base64-writer.ts"
import { createMetadataEncoder, type SealMetadata } from "../format/encode-metadata.ts"
import { isPlaintextOf } from "../format/plaintext.ts"
import {
  startOfToken,
  type TokenForm,
  type TokenForms,
  tokenForms,
  writeToken,
} from "../format/token-form.ts"
import { TOKEN_END } from "../format/token-grammar.ts"
import type { ValueType } from "../format/value-type.ts"

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

class EphemeralSealingKey implements SealingKey {
  readonly debug: boolean
  readonly ephemeralPublicKey: Buffer
  readonly #appPublicKey: Buffer
  readonly #contentKey: ContentKey
  readonly #ivs = new RandomIvs()
  readonly #keySegment: string
  readonly #forms: TokenForms
  readonly #encodeMetadata = createMetadataEncoder()

  constructor(app: AppPublicKey, debug: boolean) {
    const { publicKey, contentKey } = createEphemeralKey(app)
    this.debug = debug
    this.ephemeralPublicKey = publicKey
    this.#appPublicKey = app.bytes
    this.#contentKey = contentKey
    this.#keySegment = publicKey.toString("base64")
    this.#forms = tokenForms(debug, publicKey, app.bytes)
  }

  seal(type: ValueType, plaintext: string | Uint8Array, metadata?: SealMetadata): string {
    if (!isPlaintextOf(type, plaintext)) throw new TypeError("The plaintext is not a value of its type")
    if (metadata === undefined) return this.#write(this.#forms.plain[type], plaintext)
    const content = concatenate(this.#encodeMetadata(metadata), plaintext)
    const token = this.#write(this.#forms.withMetadata[type], content)
    content.fill(0)
    return token
  }

  *sealInSteps(type: ValueType, plaintext: Uint8Array, metadata?: SealMetadata): Work<Buffer> {
    if (!isPlaintextOf(type, plaintext)) throw new TypeError("The plaintext is not a value of its type")
    const form = (metadata === undefined ? this.#forms.plain : this.#forms.withMetadata)[type]
    const front = metadata === undefined ? Buffer.alloc(0) : this.#encodeMetadata(metadata)
    const iv = this.#ivs.next()
    const cipher = createContentCipher(this.#contentKey, iv, form.additionalData)
    const start = startOfToken(form, iv.toString("base64"), this.#keySegment)
    const sealedBytes = front.length + plaintext.length + TAG_BYTES
    const token = Buffer.allocUnsafe(start.length + base64Characters(sealedBytes) + TOKEN_END.length)
    const writer = new Base64Writer(token, token.write(start, "latin1"))
    writer.write(cipher.update(front))
    for (const piece of piecesOf(plaintext)) {
      yield
      writer.write(cipher.update(piece))
    }
    cipher.final()
    writer.write(cipher.getAuthTag())
    token.write(TOKEN_END, writer.end(), "latin1")
    return token
  }

  startFile(): FileEncryption {
    const iv = this.#ivs.next()
    return { iv, cipher: createContentCipher(this.#contentKey, iv, this.#appPublicKey) }
  }

  #write(form: TokenForm, content: string | Uint8Array): string {
    const iv = this.#ivs.next()
    const cipher = createContentCipher(this.#contentKey, iv, form.additionalData)
    const ciphertext = typeof content === "string" ? cipher.update(content, "utf8") : cipher.update(content)
    cipher.final()
    const sealed = Buffer.allocUnsafe(ciphertext.length + TAG_BYTES)
    sealed.set(ciphertext)
    sealed.set(cipher.getAuthTag(), ciphertext.length)
    return writeToken(form, iv.toString("base64"), this.#keySegment, encodeBase64(sealed))
  }
}

function concatenate(metadata: Uint8Array, plaintext: string | Uint8Array): Buffer {
  const content = Buffer.allocUnsafe(metadata.length + Buffer.byteLength(plaintext))
  content.set(metadata)
  if (typeof plaintext === "string") content.write(plaintext, metadata.length)
  else content.set(plaintext, metadata.length)
  return content
}
