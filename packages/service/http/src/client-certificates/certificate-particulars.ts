import { createPrivateKey, X509Certificate } from "node:crypto"
import { Duplex } from "node:stream"
import { createSecureContext, type SecureContextOptions, TLSSocket } from "node:tls"
import type { ClientCertificateInput } from "./client-certificate-input.ts"
import { openingRounds, openingRoundsOfPem } from "./opening-rounds.ts"

/** More than tools use for the files they make, and a few seconds of work at most. */
const MAX_OPENING_ROUNDS = 2_000_000
const TOO_MANY_ROUNDS =
  "The file takes more than 2,000,000 rounds of key derivation to open. Export it with fewer iterations."

/** The details of a client certificate that are shown. */
export interface CertificateParticulars {
  /** SHA-256 of its DER, hex. */
  readonly fingerprint: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Distinguished name, `CN=client, O=Example`. */
  readonly subject: string
}

export type ExaminedCertificate =
  /** `member`: the input field that holds the certificate. */
  | { readonly ok: true; readonly particulars: CertificateParticulars; readonly member: string }
  /** `member`: the input field that is wrong. `reason`: a sentence that quotes nothing of the input. */
  | { readonly ok: false; readonly member: string; readonly reason: string }

/**
 * Loads a client certificate the way TLS does, which requires that the key matches the certificate. Does not check
 * expiry.
 */
export function examineCertificate(input: ClientCertificateInput): ExaminedCertificate {
  return input.format === "pem" ? examinePem(input) : examinePkcs12(input)
}

function examinePem({
  certificate,
  privateKey,
  password,
}: Extract<ClientCertificateInput, { format: "pem" }>): ExaminedCertificate {
  const refused = (member: string, reason: string) => ({ ok: false, member, reason }) as const
  const passphrase = password ?? ""
  const parsed = attempt(() => new X509Certificate(certificate))
  if (parsed === null) return refused("certificate", "Not a PEM certificate.")
  if (openingRoundsOfPem(privateKey) > MAX_OPENING_ROUNDS) return refused("privateKey", TOO_MANY_ROUNDS)
  const key = attempt(() => createPrivateKey({ key: privateKey, passphrase }))
  if (key === null) {
    return refused("privateKey", "Not a PEM private key, or the password is wrong.")
  }
  if (!parsed.checkPrivateKey(key)) {
    return refused(
      "privateKey",
      "The private key does not match the first certificate. Put the client's own certificate first.",
    )
  }
  const usable = attempt(() => createSecureContext({ cert: certificate, key: privateKey, passphrase }))
  if (usable === null) return refused("certificate", "The certificate cannot be used for TLS.")
  return { ok: true, particulars: particularsOf(parsed), member: "certificate" }
}

function examinePkcs12({
  content,
  password,
}: Extract<ClientCertificateInput, { format: "pkcs12" }>): ExaminedCertificate {
  const pfx = Buffer.from(content, "base64")
  if (openingRounds(pfx) > MAX_OPENING_ROUNDS) {
    return { ok: false, member: "content", reason: TOO_MANY_ROUNDS }
  }
  const certificate = attempt(() => loadedCertificate({ pfx, passphrase: password ?? "" }))
  if (certificate !== null) return { ok: true, particulars: particularsOf(certificate), member: "content" }
  return {
    ok: false,
    member: "content",
    reason:
      "Not a PKCS#12 file with a certificate and its private key, or the password is wrong, or the file uses outdated encryption such as RC2.",
  }
}

/** Node.js only opens PKCS#12 files for TLS, so the certificate is read from a socket that is never connected. */
function loadedCertificate(options: SecureContextOptions): X509Certificate | null {
  const nowhere = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  const socket = new TLSSocket(nowhere, { isServer: true, secureContext: createSecureContext(options) })
  try {
    return socket.getX509Certificate() ?? null
  } finally {
    socket.destroy()
  }
}

function particularsOf(certificate: X509Certificate): CertificateParticulars {
  return {
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    expiresAt: Date.parse(certificate.validTo),
    subject: certificate.subject.split("\n").join(", "),
  }
}

/** Hides OpenSSL's message from callers, because it may quote parts of the file. */
function attempt<Value>(load: () => Value): Value | null {
  try {
    return load()
  } catch {
    return null
  }
}
