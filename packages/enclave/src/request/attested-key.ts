import { createPublicKey, type KeyObject } from "node:crypto"
import { CompactEncrypt } from "jose"
import { InvalidAttestationError } from "../attestation/invalid-attestation-error.ts"

/** The public key of an enclave, to which answers are encrypted. */
export interface AttestedKey {
  readonly key: KeyObject
  /** How content keys are encrypted (RFC 7518, section 4.1). */
  readonly algorithm: "ECDH-ES" | "RSA-OAEP-256"
}

const RSA_BITS = { min: 2_048, max: 4_096 } as const

/**
 * Reads the key in an attestation: SubjectPublicKeyInfo of a key on P-384, or of RSA with 2048 to 4096 bits, in DER.
 *
 * @throws InvalidAttestationError when there is none, or it is of another kind
 */
export function readAttestedKey(spki: Uint8Array | null): AttestedKey {
  if (spki === null) throw new InvalidAttestationError()
  const key = importKey(spki)
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === "ec" && namedCurve === "secp384r1") return { key, algorithm: "ECDH-ES" }
  const isRsa =
    key.asymmetricKeyType === "rsa" && modulusLength >= RSA_BITS.min && modulusLength <= RSA_BITS.max
  if (isRsa) return { key, algorithm: "RSA-OAEP-256" }
  throw new InvalidAttestationError()
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
