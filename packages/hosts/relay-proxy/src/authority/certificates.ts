// The library requires this to be loaded first.
import "reflect-metadata"
import { KeyObject, webcrypto } from "node:crypto"
import { isIP } from "node:net"
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509"

const DAY_MS = 24 * 60 * 60_000
const YEAR_MS = 365 * DAY_MS

/** How long certificates are valid. */
const VALIDITY_MS = { root: 10 * YEAR_MS, app: 5 * YEAR_MS, leaf: 7 * DAY_MS } as const

/** Clients' clocks may be slow. */
const BACKDATED_MS = 60 * 60_000

const KEY = { name: "ECDSA", namedCurve: "P-256" } as const
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const
const AUTHORITY_USAGES = KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign

/** A signer of certificates. */
export interface Authority {
  readonly certificate: X509Certificate
  readonly keys: webcrypto.CryptoKeyPair
}

/** Generates a P-256 key pair. */
export function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY, true, ["sign", "verify"])
}

/** Issues a self-signed root. It may sign leaves, and apps' authorities, which sign nothing but leaves. */
export async function issueRoot(keys: webcrypto.CryptoKeyPair, nowMs: number): Promise<X509Certificate> {
  const keyId = await SubjectKeyIdentifierExtension.create(keys.publicKey)
  return X509CertificateGenerator.createSelfSigned({
    // Part of the key's identifier distinguishes the roots of two deployments for a client that trusts both.
    name: nameOf(`Sealway Relay Root ${keyId.keyId.slice(0, 8)}`),
    keys,
    ...validity(nowMs, VALIDITY_MS.root),
    signingAlgorithm: SIGNATURE,
    extensions: [
      new BasicConstraintsExtension(true, 1, true),
      new KeyUsagesExtension(AUTHORITY_USAGES, true),
      keyId,
    ],
  })
}

/**
 * Issues the authority of an app. It has no name constraints: an app's relays may go to any host, and their list
 * changes while the certificate does not. It may only sign server leaves, and no further authority.
 *
 * @param appId shown in the authority's name
 */
export async function issueAppAuthority(
  root: Authority,
  keys: webcrypto.CryptoKeyPair,
  appId: string,
  nowMs: number,
): Promise<X509Certificate> {
  return issue(root, keys.publicKey, nameOf(`Sealway Relay ${appId}`), validity(nowMs, VALIDITY_MS.app), [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(AUTHORITY_USAGES, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
  ])
}

/**
 * Issues a certificate for a server with these names.
 *
 * @param names DNS names, or IP addresses without brackets
 */
export async function issueLeaf(
  issuer: Authority,
  publicKey: webcrypto.CryptoKey,
  names: readonly string[],
  nowMs: number,
): Promise<X509Certificate> {
  const alternatives = names.map((value) => ({
    type: isIP(value) ? ("ip" as const) : ("dns" as const),
    value,
  }))
  return issue(issuer, publicKey, [{ O: ["Sealway"] }], validity(nowMs, VALIDITY_MS.leaf), [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(alternatives),
  ])
}

async function issue(
  issuer: Authority,
  publicKey: webcrypto.CryptoKey,
  subject: JsonName,
  { notBefore, notAfter }: Validity,
  extensions: readonly Extension[],
): Promise<X509Certificate> {
  const last = issuer.certificate.notAfter
  return X509CertificateGenerator.create({
    subject,
    issuer: issuer.certificate.subjectName.toJSON(),
    notBefore,
    notAfter: notAfter < last ? notAfter : last,
    publicKey,
    signingKey: issuer.keys.privateKey,
    signingAlgorithm: SIGNATURE,
    extensions: [
      ...extensions,
      await SubjectKeyIdentifierExtension.create(publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer.keys.publicKey),
    ],
  })
}

interface Validity {
  readonly notBefore: Date
  readonly notAfter: Date
}

function validity(nowMs: number, lengthMs: number): Validity {
  return { notBefore: new Date(nowMs - BACKDATED_MS), notAfter: new Date(nowMs + lengthMs) }
}

function nameOf(commonName: string): JsonName {
  return [{ O: ["Sealway"] }, { CN: [commonName] }]
}

/** Both in DER; the key in PKCS #8. */
export interface AuthorityBytes {
  readonly certificate: Buffer
  readonly privateKey: Buffer
}

export async function exportAuthority({ certificate, keys }: Authority): Promise<AuthorityBytes> {
  return {
    certificate: Buffer.from(certificate.rawData),
    privateKey: Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)),
  }
}

/** Imports an authority. @throws Error when the bytes were not written by `exportAuthority` */
export async function importAuthority({ certificate: der, privateKey }: AuthorityBytes): Promise<Authority> {
  const certificate = new X509Certificate(new Uint8Array(der))
  return {
    certificate,
    keys: {
      publicKey: await certificate.publicKey.export(KEY, ["verify"]),
      privateKey: await webcrypto.subtle.importKey("pkcs8", privateKey, KEY, true, ["sign"]),
    },
  }
}

/** Returns a private key as PEM (PKCS #8). */
export function privateKeyPem(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ format: "pem", type: "pkcs8" }).toString()
}

/** Returns a certificate as PEM, with a final line end. */
export function certificatePem(certificate: X509Certificate): string {
  return `${certificate.toString("pem").trim()}\n`
}
