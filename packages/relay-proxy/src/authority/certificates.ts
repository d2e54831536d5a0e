// The library needs this before it is loaded.
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

/** How long certificates are good for. */
const VALIDITY_MS = { root: 10 * YEAR_MS, app: 5 * YEAR_MS, leaf: 7 * DAY_MS } as const

/**
 * What an authority has left when it is certified anew, with the same key and name, so that whoever trusts the older
 * certificate goes on to trust what is signed. A root is renewed early enough to outlive every app's authority.
 */
export const RENEWED_BEFORE_MS = { root: 6 * YEAR_MS, app: YEAR_MS } as const

/** Clocks of clients may be behind. */
const BACKDATED_MS = 60 * 60_000

const KEY = { name: "ECDSA", namedCurve: "P-256" } as const
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const
const AUTHORITY_USAGES = KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign

/** Somebody who signs certificates. */
export interface Authority {
  readonly certificate: X509Certificate
  readonly keys: webcrypto.CryptoKeyPair
}

/** A P-256 key pair. */
export function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY, true, ["sign", "verify"])
}

/** Certifies a root by itself. It may sign apps' authorities, which sign nothing but leaves, and leaves. */
export async function issueRoot(keys: webcrypto.CryptoKeyPair, nowMs: number): Promise<X509Certificate> {
  const keyId = await SubjectKeyIdentifierExtension.create(keys.publicKey)
  return X509CertificateGenerator.createSelfSigned({
    // Part of the key's identifier tells the roots of two deployments apart where a client trusts both.
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
 * Certifies the authority of an app. There are no name constraints: an app's relays may go to any host, and their list
 * changes while the certificate does not. It may sign leaves of servers only, and no further authority.
 *
 * @param appId as it stands in the authority's name
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
 * Certifies a server that is called by these names.
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

/** Both as DER; the key is PKCS #8. */
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

/** @throws Error when the bytes are not what `exportAuthority` made */
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

/** A private key as PEM (PKCS #8). */
export function privateKeyPem(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ format: "pem", type: "pkcs8" }).toString()
}

/** A certificate as PEM, with a line's end behind it. */
export function certificatePem(certificate: X509Certificate): string {
  return `${certificate.toString("pem").trim()}\n`
}
