import { createPublicKey, type KeyObject } from "node:crypto"
import { type AgreementKey, type KmsKey, requireInUse } from "../key-store.ts"
import { KmsError } from "../kms-error.ts"
import { bytesMember, type RequestMembers, stringMember } from "../request-members.ts"

const AGREEMENT_ALGORITHM = "ECDH"
const MAX_PUBLIC_KEY_BYTES = 8192

/**
 * @throws KmsError UnsupportedOperationException for a symmetric key, or KMSInvalidStateException when the key is going
 * to be deleted
 */
export function requireAgreementKey(key: KmsKey): AgreementKey {
  if (key.spec === "SYMMETRIC_DEFAULT") {
    throw new KmsError("UnsupportedOperationException", "The key is not one of key agreement.")
  }
  requireInUse(key)
  return key
}

/** @throws KmsError ValidationException for any algorithm but the only one */
export function requireAgreementAlgorithm(members: RequestMembers): string {
  return stringMember(members, "KeyAgreementAlgorithm", {
    ...{ minLength: 1, maxLength: 64 },
    pattern: new RegExp(`^${AGREEMENT_ALGORITHM}$`),
  })
}

/** Reads a public key on P-256 in the form of SubjectPublicKeyInfo (RFC 5280). @throws KmsError ValidationException */
export function publicKeyMember(members: RequestMembers): KeyObject {
  const bytes = bytesMember(members, "PublicKey", MAX_PUBLIC_KEY_BYTES)
  try {
    const key = createPublicKey({ key: bytes, format: "der", type: "spki" })
    if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key
  } catch {
    // The parser's message is about the bytes of the caller.
  }
  throw new KmsError("ValidationException", "The public key is not a point of the key's curve.")
}
