import { hash, hkdfSync } from "node:crypto"
import type { Custody } from "@sealway/accounts"
import type { MaybePromise } from "@sealway/kernel"
import type { KeyPart } from "@sealway/ports"
import {
  type Curve,
  createKeyAgreement,
  createSealingKeySource,
  createSymmetricKeys,
  InvalidTokenError,
  type SealingKeySource,
  type SymmetricKeys,
} from "@sealway/tokens"
import type { ContentKeys } from "./content-keys.ts"
import {
  type DerivedPart,
  decodeDerivedPart,
  decodePrivatePart,
  type EnvelopePart,
  type HsmPart,
  type PublicKeys,
  valueKeyOf,
} from "./key-version-parts.ts"
import type { KmsAgreement } from "./kms-agreement.ts"
import { createSharedSecrets } from "./shared-secrets.ts"

/** What a key version's secret is used for. Each purpose has its own derived key, so none can stand in for another. */
export type KeyPurpose =
  | "fingerprint"
  | "format"
  | "client-side-token"
  | "run-token"
  | "function-run"
  | "webhook-secret"
  | "callback-secret"
  | "relay-certificate"
  | "relay-authority"
  | "payment-record"
  | "connector"
  | "event-data"
  | "three-d-secure-results"
  | "honey-token"

/** What every part of a key version holds: enough to seal values to it. */
export interface PublicKeyVersion {
  /** 1 for the app's first version. */
  readonly version: number
  readonly publicKeys: PublicKeys
  /** Sealing keys for this version's P-256 key. */
  readonly sealingKeys: SealingKeySource
}

/** Also holds the symmetric key of values. */
export interface ValueKeyVersion extends PublicKeyVersion {
  /** 32 bytes. */
  readonly valueKey: Buffer
  /** Seals and opens with the value key. */
  readonly symmetric: SymmetricKeys
}

/** Also signs tokens and webhooks, and seals and opens stored records. Opens no value. */
export interface SecretKeyVersion extends PublicKeyVersion {
  /** Derives a 32-byte key for one purpose, by HKDF-SHA-256 from the version's secret. */
  deriveKey(purpose: KeyPurpose): Buffer
  /**
   * Computes the IVs by which honey tokens with a key segment are known: five of 12 bytes, derived with the
   * key `honey-token`. Any other value has one of them with a probability of 5 * 2^-96.
   *
   * @returns 60 characters, each a byte: a buffer for each of thousands of key segments would take more time and memory
   */
  honeyMarks(keySegment: Uint8Array): string
}

/**
 * One version of an app's keys, with its private keys: opens values. Its private keys are in memory here (`envelope`), or
 * in KMS (`hsm`), which computes each shared secret.
 */
export interface KeyVersion extends SecretKeyVersion {
  readonly custody: Custody
  /** 32 bytes. Null for `hsm`, which seals and opens nothing symmetrically. */
  readonly valueKey: Buffer | null
  readonly symmetric: SymmetricKeys | null
  /**
   * Computes the ECDH secret with an ephemeral key: 32 bytes, the point's x coordinate. For `hsm` this is a call of KMS,
   * unless the secret is in memory.
   *
   * @throws InvalidTokenError when the ephemeral key is not a point of the curve, or the version has no key on it
   * @throws KeyUnavailableError when KMS cannot use the key
   */
  sharedSecret(curve: Curve, ephemeralPublicKey: Uint8Array): MaybePromise<Buffer>
  /** Content keys that have opened values of this version. Empty when it is opened. */
  readonly contentKeys: ContentKeys
}

/** What each part is when it is open. A larger part can take the place of a smaller one. */
export interface OpenedParts {
  readonly public: PublicKeyVersion
  readonly value: ValueKeyVersion
  readonly secret: SecretKeyVersion
  readonly private: KeyVersion
}

export interface OpenOptions {
  /** Whether sealed tokens carry the `debug` segment: true for a sandbox app. */
  readonly debug: boolean
  /** Milliseconds, monotonic. */
  readonly now: () => number
  readonly createContentKeys: () => ContentKeys
  readonly agreement: Pick<KmsAgreement, "agree">
}

type OpenPart<Part extends KeyPart> = (
  version: number,
  bytes: Uint8Array,
  options: OpenOptions,
) => OpenedParts[Part]

const KEY_BYTES = 32
const KEY_SEGMENT_BYTES = 33
const MARKS_BYTES = 60

/** Opens a part from its bytes. @throws Error when they are not that part */
export const openPart: { readonly [Part in KeyPart]: OpenPart<Part> } = {
  public: (version, bytes, options) => openPublic(version, decodeDerivedPart("public", bytes), options),
  value(version, bytes, options) {
    const part = decodeDerivedPart("value", bytes)
    return openValue(version, { publicKeys: part.publicKeys, valueKey: part.key }, options)
  },
  secret(version, bytes, options) {
    const part = decodeDerivedPart("secret", bytes)
    return { ...openPublic(version, part, options), ...openSecret(part.key) }
  },
  private(version, bytes, options) {
    const part = decodePrivatePart(bytes)
    return part.custody === "hsm" ? openHsm(version, part, options) : openEnvelope(version, part, options)
  },
}

function openEnvelope(version: number, part: EnvelopePart, options: OpenOptions): KeyVersion {
  const agreements = {
    prime256v1: createKeyAgreement("prime256v1", part.privateKeys.prime256v1),
    secp256k1: createKeyAgreement("secp256k1", part.privateKeys.secp256k1),
  }
  const publicKeys = {
    prime256v1: agreements.prime256v1.publicKey,
    secp256k1: agreements.secp256k1.publicKey,
  }
  return {
    ...openValue(version, { publicKeys, valueKey: valueKeyOf(part) }, options),
    custody: "envelope",
    ...openSecret(part.secret),
    sharedSecret: (curve, ephemeralPublicKey) => agreements[curve].sharedSecret(ephemeralPublicKey),
    contentKeys: options.createContentKeys(),
  }
}

function openHsm(version: number, part: HsmPart, options: OpenOptions): KeyVersion {
  const { agreement, now } = options
  const secrets = createSharedSecrets({ agree: (ephemeral) => agreement.agree(part.keyId, ephemeral), now })
  return {
    ...openPublic(version, { publicKeys: { prime256v1: part.publicKey, secp256k1: null } }, options),
    custody: "hsm",
    valueKey: null,
    symmetric: null,
    ...openSecret(part.secret),
    sharedSecret(curve, ephemeralPublicKey) {
      if (curve !== "prime256v1") throw new InvalidTokenError()
      return secrets(ephemeralPublicKey)
    },
    contentKeys: options.createContentKeys(),
  }
}

/** Returns whether a key version with its private keys also has the part `value`. */
export function hasValueKey(keys: KeyVersion): keys is KeyVersion & ValueKeyVersion {
  return keys.valueKey !== null && keys.symmetric !== null
}

function openPublic(
  version: number,
  { publicKeys }: Pick<DerivedPart, "publicKeys">,
  { debug, now }: Pick<OpenOptions, "debug" | "now">,
): PublicKeyVersion {
  const sealingKeys = createSealingKeySource({ appPublicKey: publicKeys.prime256v1, debug, now })
  return { version, publicKeys, sealingKeys }
}

function openValue(
  version: number,
  { publicKeys, valueKey }: Pick<ValueKeyVersion, "publicKeys" | "valueKey">,
  { debug, now }: OpenOptions,
): ValueKeyVersion {
  const appPublicKey = publicKeys.prime256v1
  const symmetric = createSymmetricKeys({ keyVersion: version, valueKey, appPublicKey, debug, now })
  return { ...openPublic(version, { publicKeys }, { debug, now }), valueKey, symmetric }
}

function openSecret(secret: Buffer): Pick<SecretKeyVersion, "deriveKey" | "honeyMarks"> {
  const deriveKey = createDerivation(secret)
  let honeyMarks: SecretKeyVersion["honeyMarks"] | null = null
  return {
    deriveKey,
    honeyMarks(keySegment) {
      honeyMarks ??= createHoneyMarks(deriveKey("honey-token"))
      return honeyMarks(keySegment)
    },
  }
}

/**
 * The one-step key derivation of NIST SP 800-56C (section 4.1, option 1): SHA-512 of a counter, the key and, as fixed
 * information, the key segment. An HMAC would take three times as long, for each key segment in a document.
 */
function createHoneyMarks(key: Buffer): SecretKeyVersion["honeyMarks"] {
  const start = Buffer.concat([Buffer.of(0, 0, 0, 1), key])
  const input = Buffer.concat([start], start.length + KEY_SEGMENT_BYTES)
  return (keySegment) => {
    if (keySegment.length !== KEY_SEGMENT_BYTES) throw new TypeError("The key segment is not 33 bytes")
    input.set(keySegment, start.length)
    return hash("sha512", input, "binary").slice(0, MARKS_BYTES)
  }
}

function createDerivation(secret: Buffer): SecretKeyVersion["deriveKey"] {
  const derived = new Map<KeyPurpose, Buffer>()
  return (purpose) => {
    const known = derived.get(purpose)
    if (known !== undefined) return known
    const key = Buffer.from(hkdfSync("sha256", secret, "", `sealway/v1/${purpose}`, KEY_BYTES))
    derived.set(purpose, key)
    return key
  }
}
