import { createHash, type KeyObject } from "node:crypto"
import { createBoundedMap, equalInConstantTime } from "@sealway/kernel"
import { type Certificate, parseCertificate } from "./certificate.ts"
import { InvalidAttestationError } from "./invalid-attestation-error.ts"

/** A chain of certificates that leads from a pinned root to the key of one enclave. */
export interface CertificateChain {
  /** The key of the last certificate. */
  readonly publicKey: KeyObject
  /** When all of them are valid: epoch milliseconds, both inclusive. */
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

/** The DER of certificates: the root first, the enclave's own last. */
export type ChainBytes = readonly Uint8Array[]

/** An enclave keeps its chain for about three hours. */
const MAX_CHAINS = 500

/**
 * Creates a function that verifies chains by RFC 5280, section 6.1: names, signatures, basic constraints, path lengths
 * and key usages, and that no critical extension is ignored. It says when a chain is valid; whether that is now is for
 * the caller to check. Only chains that are good are remembered.
 *
 * @param rootFingerprint SHA-256 of the root's DER, in lower-case hexadecimal
 */
export function createChainVerifier(rootFingerprint: string): (chain: ChainBytes) => CertificateChain {
  const pinned = Buffer.from(rootFingerprint, "hex")
  const verified = createBoundedMap<CertificateChain>(MAX_CHAINS)
  return (chain) => {
    const id = identify(chain)
    const known = verified.get(id)
    if (known !== undefined) return known
    const fresh = verifyChain(chain, pinned)
    verified.set(id, fresh)
    return fresh
  }
}

/** Hashes each certificate by itself, so that bytes cannot move from one to the next. */
function identify(chain: ChainBytes): string {
  const hash = createHash("sha256")
  for (const der of chain) hash.update(sha256(der))
  return hash.digest("base64")
}

/** @throws InvalidAttestationError when any check fails */
function verifyChain(chain: ChainBytes, pinnedRoot: Buffer): CertificateChain {
  const [root] = chain
  // The root is trusted for its fingerprint: its signature by itself would prove nothing.
  if (root === undefined || !equalInConstantTime(sha256(root), pinnedRoot))
    throw new InvalidAttestationError()
  const certificates = chain.map(parseCertificate)
  const last = certificates.at(-1)
  if (last === undefined || certificates.length < 2) throw new InvalidAttestationError()
  if (last.isAuthority || !last.maySignData) throw new InvalidAttestationError()
  for (const [index, certificate] of certificates.entries()) {
    const issued = certificates[index + 1]
    const authoritiesBelow = certificates.length - index - 2
    if (issued !== undefined && !hasIssued(certificate, issued, authoritiesBelow)) {
      throw new InvalidAttestationError()
    }
  }
  return {
    publicKey: last.publicKey,
    notBeforeMs: Math.max(...certificates.map(({ notBeforeMs }) => notBeforeMs)),
    notAfterMs: Math.min(...certificates.map(({ notAfterMs }) => notAfterMs)),
  }
}

/** @param authoritiesBelow the number of authorities between `issuer` and the last certificate */
function hasIssued(issuer: Certificate, issued: Certificate, authoritiesBelow: number): boolean {
  const { isAuthority, maxAuthoritiesBelow, subject, publicKey } = issuer
  if (!isAuthority || !issued.issuer.equals(subject)) return false
  if (maxAuthoritiesBelow !== null && authoritiesBelow > maxAuthoritiesBelow) return false
  return issued.isSignedBy(publicKey)
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest()
}
