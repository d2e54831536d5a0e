import { execFileSync } from "node:child_process"

export interface KeyPair {
  /** PEM. */
  readonly privateKey: string
  /** PEM. */
  readonly certificate: string
}

/** A certificate by itself, on a P-256 key, good for some days. @param altNames such as `DNS:localhost,IP:127.0.0.1` */
export function createSelfSigned(altNames: string): KeyPair {
  const pem = execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90"],
      ...["-subj", "/CN=Test", "-addext", `subjectAltName=${altNames}`, "-keyout", "-", "-out", "-"],
    ],
    { stdio: ["ignore", "pipe", "ignore"] },
  ).toString()
  const blockOf = (label: string) =>
    new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----\n`).exec(pem)?.[0] ?? ""
  return { privateKey: blockOf("PRIVATE KEY"), certificate: blockOf("CERTIFICATE") }
}
