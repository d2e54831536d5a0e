import { NEW_KEY, withOpenSsl } from "./openssl.ts"

export interface KeyPair {
  /** PEM. */
  readonly privateKey: string
  /** PEM. */
  readonly certificate: string
}

/**
 * Creates a self-signed certificate, on a P-256 key, valid for some days.
 *
 * @param altNames such as `DNS:localhost,IP:127.0.0.1`
 */
export function createSelfSigned(altNames: string): KeyPair {
  return withOpenSsl(({ run, read }) => {
    run(
      ...["req", "-x509", ...NEW_KEY, "-nodes", "-days", "90", "-subj", "/CN=Test"],
      ...["-addext", `subjectAltName=${altNames}`, "-keyout", "key.pem", "-out", "cert.pem"],
    )
    return { privateKey: read("key.pem").toString(), certificate: read("cert.pem").toString() }
  })
}
