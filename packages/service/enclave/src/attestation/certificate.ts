import { createPublicKey, type KeyObject, verify, X509Certificate } from "node:crypto"
import { AsnConvert } from "@peculiar/asn1-schema"
import {
  Certificate as Asn1Certificate,
  BasicConstraints,
  type Extension,
  id_ce_basicConstraints,
  id_ce_keyUsage,
  KeyUsage,
  KeyUsageFlags,
} from "@peculiar/asn1-x509"
import { InvalidAttestationError } from "./invalid-attestation-error.ts"

/** A certificate of the chain under Nitro Enclaves: X.509 version 3, with a key on P-384 and extensions that are understood. */
export interface Certificate {
  /** DER of the distinguished names. */
  readonly subject: Buffer
  readonly issuer: Buffer
  /** Epoch milliseconds, both inclusive. */
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** Whether it may sign certificates. */
  readonly isAuthority: boolean
  /** How many authorities may be between it and the last certificate; null for any number. */
  readonly maxAuthoritiesBelow: number | null
  /** Whether its key may sign anything but certificates. */
  readonly maySignData: boolean
  readonly publicKey: KeyObject
  /** Whether a key has signed it, with ECDSA and SHA-384. */
  isSignedBy(issuerKey: KeyObject): boolean
}

const VERSION_3 = 2
/** RFC 5758, section 3.2. */
const ECDSA_WITH_SHA384 = "1.2.840.10045.4.3.3"
/** The curves that OpenSSL calls P-384. */
const P384 = "secp384r1"

/** The extensions that are enforced: any other may not be critical (RFC 5280, section 4.2). */
const ENFORCED: readonly string[] = [id_ce_basicConstraints, id_ce_keyUsage]

/** Parses the DER of a certificate. @throws InvalidAttestationError when it is malformed, or of another kind */
export function parseCertificate(der: Uint8Array): Certificate {
  try {
    // The parser also takes BER, and ignores what follows: one certificate would have any number of spellings.
    if (!new X509Certificate(der).raw.equals(der)) throw new InvalidAttestationError()
    return certificateOf(AsnConvert.parse(der, Asn1Certificate))
  } catch (cause) {
    if (cause instanceof InvalidAttestationError) throw cause
    throw new InvalidAttestationError({ cause })
  }
}

function certificateOf({
  tbsCertificate,
  tbsCertificateRaw,
  signatureAlgorithm,
  signatureValue,
}: Asn1Certificate): Certificate {
  const { version, signature, subject, issuer, validity, subjectPublicKeyInfo, extensions } = tbsCertificate
  if (tbsCertificateRaw === undefined || version !== VERSION_3) throw new InvalidAttestationError()
  if (signature.algorithm !== ECDSA_WITH_SHA384 || signatureAlgorithm.algorithm !== ECDSA_WITH_SHA384) {
    throw new InvalidAttestationError()
  }
  const publicKey = publicKeyOf(AsnConvert.serialize(subjectPublicKeyInfo))
  const { constraints, usages } = enforcedExtensions(extensions ?? [])
  return {
    subject: Buffer.from(AsnConvert.serialize(subject)),
    issuer: Buffer.from(AsnConvert.serialize(issuer)),
    notBeforeMs: validity.notBefore.getTime().getTime(),
    notAfterMs: validity.notAfter.getTime().getTime(),
    isAuthority: constraints?.cA === true && (usages & KeyUsageFlags.keyCertSign) !== 0,
    maxAuthoritiesBelow: constraints?.pathLenConstraint ?? null,
    maySignData: (usages & KeyUsageFlags.digitalSignature) !== 0,
    publicKey,
    isSignedBy: (issuerKey) =>
      verify("sha384", Buffer.from(tbsCertificateRaw), issuerKey, Buffer.from(signatureValue)),
  }
}

function publicKeyOf(spki: ArrayBuffer): KeyObject {
  const key = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" })
  if (key.asymmetricKeyType !== "ec" || key.asymmetricKeyDetails?.namedCurve !== P384) {
    throw new InvalidAttestationError()
  }
  return key
}

/** @throws InvalidAttestationError when an extension occurs twice, or a critical one is not understood */
function enforcedExtensions(extensions: readonly Extension[]): {
  readonly constraints: BasicConstraints | null
  readonly usages: number
} {
  const byId = new Map(extensions.map((extension) => [extension.extnID, extension]))
  const isUnknown = ({ critical, extnID }: Extension) => critical && !ENFORCED.includes(extnID)
  if (byId.size < extensions.length || extensions.some(isUnknown)) throw new InvalidAttestationError()
  const constraints = byId.get(id_ce_basicConstraints)
  const usage = byId.get(id_ce_keyUsage)
  return {
    constraints: constraints === undefined ? null : AsnConvert.parse(constraints.extnValue, BasicConstraints),
    usages: usage === undefined ? 0 : AsnConvert.parse(usage.extnValue, KeyUsage).toNumber(),
  }
}
