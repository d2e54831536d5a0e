import { createHash, verify } from "node:crypto"
import { encode } from "cborg"
import { readSignedDocument } from "./attestation-document.ts"
import { createChainVerifier } from "./certificate-chain.ts"
import { InvalidAttestationError } from "./invalid-attestation-error.ts"
import { MAX_ATTESTATION_AGE_MS } from "./limits.ts"
import { imagePcrs, type Pcrs } from "./pcrs.ts"

/**
 * SHA-256 of the root certificate of AWS Nitro Enclaves, "aws.nitro-enclaves", valid until 2049. Published by AWS in
 * "Verifying the root of trust" of the user guide of Nitro Enclaves.
 */
export const NITRO_ROOT_FINGERPRINT = "641a0321a3e244efe456463195d606317ed7cdcc3c1756e09893f3c68f79bb5b"

/** How far the clock of an enclave's host may be ahead. */
const MAX_CLOCK_SKEW_MS = 60_000

/** What a Nitro Security Module attests about an enclave that does not run in debug mode. */
export interface Attestation {
  /** Identifies the signed content: equal for two documents that differ only in how the signature is written. */
  readonly id: string
  /** The enclave, as AWS names it: `i-0123456789abcdef0-enc0123456789abcdef`. */
  readonly moduleId: string
  /** Epoch milliseconds. */
  readonly timestampMs: number
  /** PCR0, PCR1 and PCR2 are there. */
  readonly pcrs: Pcrs
  /** What the enclave has put in; null when it has put in nothing. */
  readonly publicKey: Uint8Array | null
  readonly userData: Uint8Array | null
  readonly nonce: Uint8Array | null
}

export interface AttestationVerifier {
  /**
   * Verifies a document of a Nitro Security Module: its form, its age, its certificates at its time, and its signature.
   *
   * @param nowMs epoch milliseconds
   * @throws InvalidAttestationError when any check fails, or the enclave runs in debug mode
   */
  verify(bytes: Uint8Array, nowMs: number): Attestation
}

const NO_EXTERNAL_DATA = new Uint8Array()

/** @param rootFingerprint SHA-256 of the root's DER, in lower-case hexadecimal. Default: that of AWS */
export function createAttestationVerifier(rootFingerprint = NITRO_ROOT_FINGERPRINT): AttestationVerifier {
  const verifyChain = createChainVerifier(rootFingerprint)
  return {
    verify(bytes, nowMs) {
      const { document, header, payload, signature } = readSignedDocument(bytes)
      const { moduleId, timestampMs, authorities, certificate, publicKey, userData, nonce } = document
      const pcrs = imagePcrs(document.pcrs)
      // Debug mode measures nothing, and its host reads everything.
      if (pcrs.pcr0 === undefined || pcrs.pcr1 === undefined || pcrs.pcr2 === undefined) {
        throw new InvalidAttestationError()
      }
      const ageMs = nowMs - timestampMs
      const isFresh = ageMs <= MAX_ATTESTATION_AGE_MS && ageMs >= -MAX_CLOCK_SKEW_MS
      if (!isFresh) throw new InvalidAttestationError()
      const chain = verifyChain([...authorities, certificate])
      if (timestampMs < chain.notBeforeMs || timestampMs > chain.notAfterMs) {
        throw new InvalidAttestationError()
      }
      // RFC 9052, section 4.4.
      const signed = encode(["Signature1", header, NO_EXTERNAL_DATA, payload])
      const key = { key: chain.publicKey, dsaEncoding: "ieee-p1363" } as const
      if (!verify("sha384", signed, key, signature)) throw new InvalidAttestationError()
      const id = createHash("sha256").update(payload).digest("base64url")
      return { id, moduleId, timestampMs, pcrs, publicKey, userData, nonce }
    },
  }
}
