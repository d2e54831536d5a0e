// The library requires this to be loaded first.
import "reflect-metadata"
import { KeyObject, type webcrypto } from "node:crypto"
import {
  BasicConstraintsExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from "@peculiar/x509"

/** A certificate, and the key in it. */
export interface Issued {
  readonly name: string
  readonly der: Uint8Array
  readonly keys: webcrypto.CryptoKeyPair
  /** For signing documents. */
  readonly privateKey: KeyObject
}

/** What a certificate says. */
export interface Wanted {
  readonly name: string
  readonly extensions: readonly Extension[]
  /** Default: P-384. */
  readonly curve?: "P-256" | "P-384"
  /** Of its signature. Default: SHA-384. */
  readonly hash?: "SHA-256" | "SHA-384"
  readonly notBefore?: Date
  readonly notAfter?: Date
  /** Default: that of the issuer. */
  readonly issuerName?: string
}

export const NOT_BEFORE = new Date(Date.UTC(2020, 0, 1))
export const NOT_AFTER = new Date(Date.UTC(2049, 0, 1))

/** @param maxBelow how many authorities may be below it */
export function authority(maxBelow?: number): readonly Extension[] {
  return [
    new BasicConstraintsExtension(true, maxBelow, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
  ]
}

export function signer(): readonly Extension[] {
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
  ]
}

/** Issues a certificate. @param issuer null for a root, which signs itself */
export async function issue(issuer: Issued | null, wanted: Wanted): Promise<Issued> {
  const {
    name,
    extensions,
    curve = "P-384",
    hash = "SHA-384",
    notBefore = NOT_BEFORE,
    notAfter = NOT_AFTER,
  } = wanted
  const algorithm = { name: "ECDSA", namedCurve: curve }
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: `CN=${wanted.issuerName ?? issuer?.name ?? name}`,
    notBefore,
    notAfter,
    extensions: [...extensions],
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: { name: "ECDSA", hash },
  })
  return { name, der: new Uint8Array(certificate.rawData), keys, privateKey: KeyObject.from(keys.privateKey) }
}
