import { createSecretKey, hkdfSync } from "node:crypto"
import { agreedContentKey } from "../crypto/agreed-content-key.ts"
import type { ContentKey, SubjectContent } from "../crypto/content-key.ts"
import { createKeyAgreement, type KeyAgreement } from "../crypto/key-agreement.ts"
import { ephemeralKeyIn, subjectIdIn } from "../crypto/key-segment.ts"
import { COMPRESSED_POINT_BYTES, SCALAR_BYTES } from "../crypto/sizes.ts"
import { deriveSubjectPrivateKey } from "../crypto/subject-private-key.ts"
import { createSubjectSegment, createSymmetricDerivation } from "../crypto/symmetric-content-key.ts"
import { subjectTokenForms } from "../format/token-form.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { ContentSealingKey, type ValueSealingKey } from "./sealing-key.ts"

/** Seals and opens the values of one data subject. */
export interface SubjectKey {
  /** 16 bytes. */
  readonly subjectId: Buffer
  /** The app's key, compressed, 33 bytes. */
  readonly appPublicKey: Buffer
  /** The data subject's own P-256 key, to which clients seal: compressed, 33 bytes. */
  readonly publicKey: Buffer
  /** Returns a key with a fresh salt, which seals as `c3cy`. It seals no files. Use it for at most 2^20 values. */
  createSealingKey(): ValueSealingKey
  /**
   * Derives the key of a token's content.
   *
   * @throws InvalidTokenError when it names another data subject
   */
  contentKey(sealed: SubjectContent): ContentKey
  /** Returns the public key that the tag of a token binds: compressed, 33 bytes. */
  boundKey(sealed: SubjectContent): Buffer
  /**
   * Derives a key for other data about the data subject, which is lost with its own key.
   *
   * @returns 32 bytes
   */
  deriveKey(purpose: string): Buffer
}

export interface SubjectKeyOptions {
  /** 16 bytes, random. Every token of the data subject shows it. */
  readonly subjectId: Uint8Array
  /** 32 bytes. Whoever has it can open and forge all values of the data subject. */
  readonly key: Uint8Array
  /** A P-256 key of the app, compressed, 33 bytes: always the same one for a data subject. */
  readonly appPublicKey: Uint8Array
  /** True for sandbox apps. */
  readonly debug: boolean
}

/**
 * Prepares sealing and opening with the key of a data subject.
 *
 * @throws TypeError when the length of the id or of a key is wrong
 * @example
 * const subject = createSubjectKey({ subjectId, key, appPublicKey, debug: false })
 * const text = subject.createSealingKey().seal("string", "ada@example.com")
 * const token = parseToken(text)
 * if (token !== null && isOfSubject(token)) openToken(token, subject.contentKey(token), subject.boundKey(token))
 */
export function createSubjectKey({ debug, ...options }: SubjectKeyOptions): SubjectKey {
  if (options.key.length !== SCALAR_BYTES) throw new TypeError("The key of the data subject is not 32 bytes")
  if (options.appPublicKey.length !== COMPRESSED_POINT_BYTES) {
    throw new TypeError("The app's public key is not 33 bytes")
  }
  const key = createSecretKey(options.key)
  const deriveContentKey = createSymmetricDerivation(options.key)
  const appPublicKey = Buffer.from(options.appPublicKey)
  const subjectId = Buffer.from(options.subjectId)
  /** Only some data subjects have values that clients have sealed, and making the key pair takes as long as opening ten. */
  let keyPair: KeyAgreement | null = null
  const agreement = () => {
    keyPair ??= createKeyAgreement("prime256v1", deriveSubjectPrivateKey(key))
    return keyPair
  }

  return {
    subjectId,
    appPublicKey,
    get publicKey() {
      return agreement().publicKey
    },
    createSealingKey() {
      const keySegment = createSubjectSegment(subjectId)
      const contentKey = deriveContentKey(keySegment)
      const forms = subjectTokenForms(debug, keySegment, appPublicKey)
      return new ContentSealingKey({ debug, keySegment, contentKey, forms, fileVersion: null, appPublicKey })
    },
    contentKey({ derivation, keySegment, keySegmentBase64 }) {
      if (!subjectIdIn(keySegment).equals(subjectId)) throw new InvalidTokenError()
      if (derivation === "subject") return deriveContentKey(keySegment)
      const ephemeralPublicKey = ephemeralKeyIn(keySegment)
      const sealed = { curve: "prime256v1", derivation: "x963", ephemeralPublicKey } as const
      const agreed = { ...sealed, ephemeralPublicKeyBase64: keySegmentBase64 }
      return agreedContentKey(agreed, agreement())
    },
    boundKey: ({ derivation }) => (derivation === "subject" ? appPublicKey : agreement().publicKey),
    deriveKey: (purpose) =>
      Buffer.from(hkdfSync("sha256", key, "", `sealway/v1/data-subject/${purpose}`, SCALAR_BYTES)),
  }
}
