import type { CipherGCM } from "node:crypto"
import type { Work } from "@sealway/kernel"
import { type AppPublicKey, importAppPublicKey } from "../crypto/app-public-key.ts"
import { createContentCipher } from "../crypto/content-cipher.ts"
import type { ContentKey } from "../crypto/content-key.ts"
import { createEphemeralKey } from "../crypto/ephemeral-key.ts"
import { piecesOf } from "../crypto/pieces-of.ts"
import { type Ivs, RandomIvs } from "../crypto/random-ivs.ts"
import { IV_BYTES, SUBJECT_ID_BYTES, TAG_BYTES } from "../crypto/sizes.ts"
import { base64Characters, encodeBase64, writeBase64 } from "../format/base64.ts"
import { Base64Writer } from "../format/base64-writer.ts"
import { createMetadataEncoder } from "../format/encode-metadata.ts"
import type { Metadata } from "../format/metadata.ts"
import { isPlaintextOf } from "../format/plaintext.ts"
import { agreedSubjectTokenForms, type TokenForm, type TokenForms, tokenForms } from "../format/token-form.ts"
import { TOKEN_END } from "../format/token-grammar.ts"
import type { ValueType } from "../format/value-type.ts"
import { writeAscii, writeSealed } from "../format/write-characters.ts"

/** One file that is being encrypted. */
export interface FileEncryption {
  /** 3 to a public key, 4 symmetrically. */
  readonly version: 3 | 4
  /** 12 bytes, fresh. */
  readonly iv: Buffer
  /** Without additional data: these may include the header, which is not written yet. */
  readonly cipher: CipherGCM
  /** The app's P-256 key, compressed, 33 bytes. */
  readonly appPublicKey: Buffer
}

/**
 * A content key for one app: of one ephemeral key pair, or of one salt. It may seal many values, since each gets a
 * different IV; the safe limit for random IVs under one key is 2^32 (NIST SP 800-38D, section 8.3).
 */
export interface SealingKey {
  /** Whether tokens and files are marked as a sandbox app's. */
  readonly debug: boolean
  /** The ephemeral public key, compressed, or the key version and the salt: 33 bytes. */
  readonly keySegment: Buffer
  /**
   * Seals one value. To a public key: as `Tk9D` without role, as `QkTC` with one. Symmetrically: as `c3cx`.
   *
   * @param plaintext text, or its UTF-8; a number or boolean as its JSON literal, which opens to the same digits
   * @param metadata the role and the time. `Tk9D` has no room for a time without role. Default: neither
   * @throws TypeError when the plaintext is not one value of the type (a string with a lone surrogate and bytes that
   * are not UTF-8 included), the role is not a slug, or the time is not a uint32
   */
  seal(type: ValueType, plaintext: string | Uint8Array, metadata?: Metadata): string
  /** Returns the length of the token of a value, in characters. @param bytes the length of the plaintext */
  tokenLength(type: ValueType, bytes: number, metadata?: Metadata): number
  /**
   * `seal`, into bytes.
   *
   * @param target has room for `tokenLength` bytes
   * @param at the offset to write the token at, in ASCII
   * @returns the offset after it
   */
  sealInto(target: Buffer, at: number, type: ValueType, plaintext: Uint8Array, metadata?: Metadata): number
  /**
   * `seal` for large values, in steps. The caller must not change the plaintext until it is done.
   *
   * @returns the token, in ASCII
   */
  sealInSteps(type: ValueType, plaintext: Uint8Array, metadata?: Metadata): Work<Buffer>
  /** Starts a file, for `sealFile` and `sealFileStream`. */
  startFile(): FileEncryption
}

/** A key that seals values, and may seal no files. */
export type ValueSealingKey = Pick<SealingKey, "seal" | "sealInto" | "sealInSteps" | "tokenLength">

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

/** @param ivsOf returns the IVs for a new key segment. Default: random ones */
export function createSealingKeyToward(app: AppPublicKey, debug: boolean, ivsOf?: IvsOf): SealingKey {
  const { publicKey, contentKey } = createEphemeralKey(app)
  const forms = tokenForms(debug, publicKey, app.bytes)
  return new ContentSealingKey({
    debug,
    keySegment: publicKey,
    contentKey,
    forms,
    fileVersion: 3,
    appPublicKey: app.bytes,
    ivs: ivsOf?.(publicKey),
  })
}

/**
 * Creates an ephemeral key pair toward the public key of a data subject. It seals no files.
 *
 * @param subject the public key
 * @param subjectId 16 bytes
 * @throws TypeError when the id is not 16 bytes
 */
export function createSubjectSealingKey(
  subject: AppPublicKey,
  subjectId: Uint8Array,
  debug: boolean,
): SealingKey {
  if (subjectId.length !== SUBJECT_ID_BYTES) throw new TypeError("The id of the data subject is not 16 bytes")
  const { publicKey, contentKey } = createEphemeralKey(subject)
  const keySegment = Buffer.concat([subjectId, publicKey])
  const forms = agreedSubjectTokenForms(debug, keySegment, subject.bytes)
  return new ContentSealingKey({
    debug,
    keySegment,
    contentKey,
    forms,
    fileVersion: null,
    appPublicKey: subject.bytes,
  })
}

const NO_METADATA: Metadata = { role: null, encryptedAt: null }
const NO_BYTES = new Uint8Array(0)

/** Returns the IVs of a key, by its key segment. */
export type IvsOf = (keySegment: Uint8Array) => Ivs

export interface ContentSealingKeyOptions {
  readonly debug: boolean
  readonly keySegment: Buffer
  readonly contentKey: ContentKey
  readonly forms: TokenForms
  /** Null for a key that seals no files. */
  readonly fileVersion: 3 | 4 | null
  /** The app's P-256 key, compressed, 33 bytes. */
  readonly appPublicKey: Buffer
  /** Default: random ones. */
  readonly ivs?: Ivs | undefined
}

export class ContentSealingKey implements SealingKey {
  readonly debug: boolean
  readonly keySegment: Buffer
  readonly #appPublicKey: Buffer
  readonly #contentKey: ContentKey
  readonly #ivs: Ivs
  /** In base64, with the colons around it. */
  readonly #keySegmentText: string
  readonly #forms: TokenForms
  readonly #fileVersion: 3 | 4 | null
  readonly #encodeMetadata = createMetadataEncoder()

  constructor(options: ContentSealingKeyOptions) {
    this.debug = options.debug
    this.keySegment = options.keySegment
    this.#appPublicKey = options.appPublicKey
    this.#contentKey = options.contentKey
    this.#keySegmentText = `:${encodeBase64(options.keySegment)}:`
    this.#forms = options.forms
    this.#fileVersion = options.fileVersion
    this.#ivs = options.ivs ?? new RandomIvs()
  }

  seal(type: ValueType, plaintext: string | Uint8Array, metadata = NO_METADATA): string {
    // Otherwise `Buffer.from` would replace a lone surrogate.
    if (typeof plaintext === "string" && !plaintext.isWellFormed()) throw notOfType()
    const bytes = typeof plaintext === "string" ? Buffer.from(plaintext) : plaintext
    const token = Buffer.allocUnsafe(this.tokenLength(type, bytes.length, metadata))
    this.sealInto(token, 0, type, bytes, metadata)
    return token.toString("latin1")
  }

  tokenLength(type: ValueType, bytes: number, metadata = NO_METADATA): number {
    const form = this.#formOf(type, metadata)
    const front = form.hasMetadata ? this.#encodeMetadata(metadata).length : 0
    return this.#tokenLength(form, front + bytes)
  }

  sealInto(
    target: Buffer,
    at: number,
    type: ValueType,
    plaintext: Uint8Array,
    metadata = NO_METADATA,
  ): number {
    if (!isPlaintextOf(type, plaintext)) throw notOfType()
    const form = this.#formOf(type, metadata)
    if (!form.hasMetadata) return this.#write(target, at, form, plaintext)
    const content = concatenate(this.#encodeMetadata(metadata), plaintext)
    const end = this.#write(target, at, form, content)
    content.fill(0)
    return end
  }

  *sealInSteps(type: ValueType, plaintext: Uint8Array, metadata = NO_METADATA): Work<Buffer> {
    if (!isPlaintextOf(type, plaintext)) throw notOfType()
    const form = this.#formOf(type, metadata)
    const front = form.hasMetadata ? this.#encodeMetadata(metadata) : NO_BYTES
    const iv = this.#ivs.next()
    const cipher = createContentCipher(this.#contentKey, iv, form.additionalData)
    const token = Buffer.allocUnsafe(this.#tokenLength(form, front.length + plaintext.length))
    const writer = new Base64Writer(token, this.#writeStart(token, 0, form, iv))
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
    if (this.#fileVersion === null) throw new TypeError("A file cannot belong to a data subject")
    const iv = this.#ivs.next()
    const cipher = createContentCipher(this.#contentKey, iv, null)
    return { version: this.#fileVersion, iv, cipher, appPublicKey: this.#appPublicKey }
  }

  #formOf(type: ValueType, { role }: Metadata): TokenForm {
    return (role === null ? this.#forms.plain : this.#forms.withMetadata)[type]
  }

  #tokenLength({ prefix }: TokenForm, contentBytes: number): number {
    const start = prefix.length + base64Characters(IV_BYTES) + this.#keySegmentText.length
    return start + base64Characters(contentBytes + TAG_BYTES) + TOKEN_END.length
  }

  #write(target: Buffer, at: number, form: TokenForm, content: Uint8Array): number {
    const iv = this.#ivs.next()
    const cipher = createContentCipher(this.#contentKey, iv, form.additionalData)
    const ciphertext = cipher.update(content)
    cipher.final()
    const end = writeSealed(ciphertext, cipher.getAuthTag(), target, this.#writeStart(target, at, form, iv))
    return writeAscii(TOKEN_END, target, end)
  }

  /** Writes everything before the ciphertext of a token. @returns the offset after it */
  #writeStart(target: Buffer, at: number, { prefix }: TokenForm, iv: Buffer): number {
    const ivEnd = writeBase64(iv, iv.length, target, writeAscii(prefix, target, at))
    return writeAscii(this.#keySegmentText, target, ivEnd)
  }
}

function notOfType(): TypeError {
  return new TypeError("The plaintext is not a value of its type")
}

function concatenate(metadata: Uint8Array, plaintext: Uint8Array): Buffer {
  const content = Buffer.allocUnsafe(metadata.length + plaintext.length)
  content.set(metadata)
  content.set(plaintext, metadata.length)
  return content
}
