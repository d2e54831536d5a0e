import { IV_BYTES, SUBJECT_ID_BYTES } from "../../crypto/sizes.ts"
import { crc32 } from "../../files/crc32.ts"
import { writeFileCrc, writeFileHeader } from "../../files/file-layout.ts"
import { createMetadataEncoder, type SealMetadata } from "../../format/encode-metadata.ts"
import type { Metadata } from "../../format/metadata.ts"
import { agreedSubjectTokenForms, type TokenForms, tokenForms, writeToken } from "../../format/token-form.ts"
import { isTextOf } from "../../format/value-type.ts"
import { type ClientSealingKey, type ClientValue, type FileSealing, NO_FILES } from "../client-sealing.ts"
import { joinBytes } from "../join-bytes.ts"
import { encodeBase64 } from "./base64.ts"
import { createWebEphemeralKey, type WebAppKey } from "./ephemeral-key.ts"
import { GcmStream, importGcmStreamKey } from "./gcm-stream.ts"
import { subtle, type WebKey } from "./web-crypto.ts"

/** How many values are encrypted at the same time. Their IVs must not take more than 65,536 bytes, a limit of WebCrypto. */
const VALUES_AT_ONCE = 4096
/** In base64 without padding, an IV takes this many characters, whole groups of four. */
const IV_CHARACTERS = (IV_BYTES * 4) / 3

const NO_METADATA: Metadata = { role: null, encryptedAt: null }

const encoder = new TextEncoder()

/** Creates an ephemeral key pair toward the key of an app, or of the data subject with this id. */
export async function createWebSealingKey(
  app: WebAppKey,
  debug: boolean,
  subjectId: Uint8Array | null,
): Promise<ClientSealingKey> {
  if (subjectId !== null && subjectId.length !== SUBJECT_ID_BYTES)
    throw new TypeError("The id of the data subject is not 16 bytes")
  const { publicKey, contentKeys } = await createWebEphemeralKey(app, (bytes) =>
    subtle().importKey("raw", bytes, "AES-GCM", false, ["encrypt"]),
  )
  return new WebSealingKey({ app, debug, subjectId, ephemeralPublicKey: publicKey, contentKey: contentKeys })
}

interface WebSealingKeyOptions {
  readonly app: WebAppKey
  readonly debug: boolean
  /** Null for a key that seals to an app's. */
  readonly subjectId: Uint8Array | null
  /** Compressed, 33 bytes. */
  readonly ephemeralPublicKey: Uint8Array<ArrayBuffer>
  readonly contentKey: WebKey
}

class WebSealingKey implements ClientSealingKey {
  readonly #app: WebAppKey
  readonly #debug: boolean
  readonly #subjectId: Uint8Array | null
  readonly #ephemeralPublicKey: Uint8Array
  readonly #keySegment: string
  readonly #contentKey: WebKey
  readonly #forms: TokenForms
  readonly #encodeMetadata = createMetadataEncoder()

  constructor({ app, debug, subjectId, ephemeralPublicKey, contentKey }: WebSealingKeyOptions) {
    this.#app = app
    this.#debug = debug
    this.#subjectId = subjectId
    this.#ephemeralPublicKey = ephemeralPublicKey
    this.#contentKey = contentKey
    const segment = subjectId === null ? ephemeralPublicKey : joinBytes([subjectId, ephemeralPublicKey])
    const formsOf = subjectId === null ? tokenForms : agreedSubjectTokenForms
    this.#keySegment = encodeBase64(segment)
    this.#forms = formsOf(debug, segment, app.bytes)
  }

  async sealAll(values: readonly ClientValue[], metadata?: SealMetadata): Promise<string[]> {
    const { role, encryptedAt } = metadata ?? NO_METADATA
    const forms = role === null ? this.#forms.plain : this.#forms.withMetadata
    const front = forms.string.hasMetadata ? this.#encodeMetadata({ role, encryptedAt }) : null
    const tokens: string[] = []
    for (let at = 0; at < values.length; at += VALUES_AT_ONCE) {
      const some = values.slice(at, at + VALUES_AT_ONCE)
      tokens.push(...(await this.#sealAtOnce(some, forms, front)))
    }
    return tokens
  }

  async sealFile(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    this.#requireFiles()
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
    const header = writeFileHeader(3, this.#debug, this.#ephemeralPublicKey, iv)
    const sealed = new Uint8Array(await this.#encrypt(iv, this.#app.bytes, bytes))
    return joinBytes([header, sealed, writeFileCrc(crc32(sealed, crc32(header)))])
  }

  /** Uses an ephemeral key of its own, because the key of a stream is imported for another mode. */
  async startFile(): Promise<FileSealing> {
    this.#requireFiles()
    const { publicKey, contentKeys } = await createWebEphemeralKey(this.#app, importGcmStreamKey)
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
    const stream = await GcmStream.start(contentKeys, iv, this.#app.bytes)
    const header = writeFileHeader(3, this.#debug, publicKey, iv)
    let crc = crc32(header)
    return {
      header,
      async update(chunk) {
        const ciphertext = await stream.update(chunk)
        crc = crc32(ciphertext, crc)
        return ciphertext
      },
      async end() {
        const { ciphertext, tag } = await stream.end()
        return joinBytes([ciphertext, tag, writeFileCrc(crc32(tag, crc32(ciphertext, crc)))])
      },
    }
  }

  #requireFiles(): void {
    if (this.#subjectId !== null) throw new TypeError(NO_FILES)
  }

  #sealAtOnce(
    values: readonly ClientValue[],
    forms: TokenForms["plain"],
    front: Uint8Array | null,
  ): Promise<string[]> {
    if (!values.every(({ type, text }) => isTextOf(type, text))) {
      throw new TypeError("The plaintext is not a value of its type")
    }
    // Drawn and encoded at once, which takes a fraction of the time.
    const ivs = crypto.getRandomValues(new Uint8Array(values.length * IV_BYTES))
    const encodedIvs = encodeBase64(ivs)
    const sealing = values.map(async ({ type, text }, index) => {
      const form = forms[type]
      const value = encoder.encode(text)
      const content = front === null ? value : joinBytes([front, value])
      const iv = ivs.subarray(index * IV_BYTES, (index + 1) * IV_BYTES)
      const sealed = await this.#encrypt(iv, form.additionalData, content)
      const encodedIv = encodedIvs.slice(index * IV_CHARACTERS, (index + 1) * IV_CHARACTERS)
      return writeToken(form, encodedIv, this.#keySegment, encodeBase64(new Uint8Array(sealed)))
    })
    return Promise.all(sealing)
  }

  /** Returns the ciphertext and its tag of 16 bytes. */
  #encrypt(
    iv: Uint8Array<ArrayBuffer>,
    additionalData: Uint8Array<ArrayBuffer>,
    content: Uint8Array<ArrayBuffer>,
  ): Promise<ArrayBuffer> {
    return subtle().encrypt({ name: "AES-GCM", iv, additionalData }, this.#contentKey, content)
  }
}
