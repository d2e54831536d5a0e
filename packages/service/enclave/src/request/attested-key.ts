import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto"
import { CompactEncrypt } from "jose"
import { InvalidAttestationError } from "../attestation/invalid-attestation-error.ts"

/** The public key of an enclave, to which answers are encrypted. */
export interface AttestedKey {
  readonly key: KeyObject
  /** How content keys are encrypted (RFC 7518, section 4.1). */
  readonly algorithm: "ECDH-ES" | "RSA-OAEP-256"
}

const RSA_BITS = { min: 2_048, max: 4_096 } as const
/** The usual one. OpenSSL fails with much larger ones, and 1 would encrypt nothing. */
const RSA_EXPONENT = 65_537n

/**
 * Reads the key in an attestation: SubjectPublicKeyInfo of a key on P-384, or of RSA with 2048 to 4096 bits and the
 * exponent 65537, in DER. A key that could not encrypt is found here, before values are decrypted for it.
 *
 * @throws InvalidAttestationError when there is none, or it is of another kind
 */
export function readAttestedKey(spki: Uint8Array | null): AttestedKey {
  if (spki === null) throw new InvalidAttestationError()
  const key = importKey(spki)
  if (key.asymmetricKeyType === "ec" && isPointOnP384(key)) return { key, algorithm: "ECDH-ES" }
  if (key.asymmetricKeyType === "rsa" && isStrongRsa(key)) return { key, algorithm: "RSA-OAEP-256" }
  throw new InvalidAttestationError()
}

/** The point at infinity, which OpenSSL reads, has no coordinates. */
function isPointOnP384(key: KeyObject): boolean {
  return key.asymmetricKeyDetails?.namedCurve === "secp384r1" && exportJwk(key).x !== undefined
}

function isStrongRsa(key: KeyObject): boolean {
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < RSA_BITS.min || modulusLength > RSA_BITS.max) return false
  const lastByte = Buffer.from(exportJwk(key).n ?? "", "base64url").at(-1) ?? 0
  return publicExponent === RSA_EXPONENT && lastByte % 2 === 1
}

function exportJwk(key: KeyObject): JsonWebKey {
  try {
    return key.export({ format: "jwk" })
  } catch (cause) {
    throw new InvalidAttestationError({ cause })
  }
}

function importKey(spki: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" })
  } catch (cause) {
    throw new InvalidAttestationError({ cause })
  }
}

/** Encrypts for the enclave that has a key, as a JWE (RFC 7516) in its compact form, with AES-256-GCM. */
export function sealForEnclave({ key, algorithm }: AttestedKey, content: Uint8Array): Promise<string> {
  return new CompactEncrypt(content).setProtectedHeader({ alg: algorithm, enc: "A256GCM" }).encrypt(key)
}
