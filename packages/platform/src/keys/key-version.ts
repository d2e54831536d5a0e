import { hkdfSync, randomBytes } from "node:crypto"
import {
  type Curve,
  createKeyAgreement,
  createSealingKeySource,
  generatePrivateKey,
  type SealingKeySource,
} from "@sealway/tokens"

/** What a key version's secret is used for. Each purpose has its own derived key, so none can stand in for another. */
export type KeyPurpose =
  | "fingerprint"
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

/**
 * One version of an app's keys, opened. Its users need not know where the private keys are: in memory here, or in an
 * HSM that computes each shared secret, which is why `sharedSecret` may return a promise.
 */
export interface KeyVersion {
  /** 1 for the app's first version. */
  readonly version: number
  /** Compressed points, 33 bytes. */
  readonly publicKeys: Readonly<Record<Curve, Buffer>>
  /**
   * Computes the ECDH secret with an ephemeral key: 32 bytes, the point's x coordinate.
   *
   * @throws InvalidTokenError when the ephemeral key is not a point of the curve
   */
  sharedSecret(curve: Curve, ephemeralPublicKey: Uint8Array): Buffer | Promise<Buffer>
  /** Derives a 32-byte key for one purpose, by HKDF-SHA-256 from the version's secret. */
  deriveKey(purpose: KeyPurpose): Buffer
  /** Sealing keys for this version's P-256 key. */
  readonly sealingKeys: SealingKeySource
}

const FORMAT = 1
const KEY_BYTES = 32
const SECRETS_BYTES = 1 + 3 * KEY_BYTES

/**
 * Generates the secrets of a key version, to be encrypted by KMS: format (1 byte, value 1), P-256 private key (32),
 * secp256k1 private key (32), secret (32).
 */
export function generateKeyVersionSecrets(): Buffer {
  return Buffer.concat([
    Buffer.of(FORMAT),
    generatePrivateKey("prime256v1"),
    generatePrivateKey("secp256k1"),
    randomBytes(KEY_BYTES),
  ])
}

/**
 * Opens a key version from its secrets.
 *
 * @param options.debug whether sealed tokens carry the `debug` segment: true for a sandbox app
 * @param options.now milliseconds, monotonic
 * @throws Error when the format of the secrets is unknown
 */
export function openKeyVersion(
  version: number,
  secrets: Uint8Array,
  options: { readonly debug: boolean; readonly now: () => number },
): KeyVersion {
  if (secrets.length !== SECRETS_BYTES || secrets[0] !== FORMAT) {
    throw new Error("The key version's secrets are not of a known format")
  }
  const part = (index: number) =>
    Buffer.from(secrets.subarray(1 + index * KEY_BYTES, 1 + (index + 1) * KEY_BYTES))
  const agreements = {
    prime256v1: createKeyAgreement("prime256v1", part(0)),
    secp256k1: createKeyAgreement("secp256k1", part(1)),
  }
  const secret = part(2)
  const derived = new Map<KeyPurpose, Buffer>()
  return {
    version,
    publicKeys: { prime256v1: agreements.prime256v1.publicKey, secp256k1: agreements.secp256k1.publicKey },
    sharedSecret: (curve, ephemeralPublicKey) => agreements[curve].sharedSecret(ephemeralPublicKey),
    deriveKey(purpose) {
      const known = derived.get(purpose)
      if (known !== undefined) return known
      const key = Buffer.from(hkdfSync("sha256", secret, "", `sealway/v1/${purpose}`, KEY_BYTES))
      derived.set(purpose, key)
      return key
    },
    sealingKeys: createSealingKeySource({ appPublicKey: agreements.prime256v1.publicKey, ...options }),
  }
}
