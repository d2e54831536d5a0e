import { NEW_KEY, type OpenSsl, withOpenSsl } from "./openssl.ts"
import type { KeyPair } from "./self-signed.ts"

export interface ConnectorCertificates {
  /** PEM of the issuer of the others. */
  readonly authority: string
  /** For 127.0.0.1. */
  readonly server: KeyPair
  readonly client: KeyPair
  /** Of another authority. */
  readonly stranger: KeyPair
}

/** Creates an authority, and what it issues for a connector on loopback and for its callers. */
export function createConnectorCertificates(): ConnectorCertificates {
  return withOpenSsl((openssl) => {
    createAuthority(openssl, "ca")
    createAuthority(openssl, "other")
    return {
      authority: openssl.read("ca.crt").toString(),
      server: issue(openssl, "ca", "server", "IP:127.0.0.1"),
      client: issue(openssl, "ca", "client", "DNS:client.example.com"),
      stranger: issue(openssl, "other", "stranger", "DNS:client.example.com"),
    }
  })
}

function createAuthority({ run }: OpenSsl, name: string): void {
  run(
    ...["req", "-x509", ...NEW_KEY, "-nodes", "-days", "90", "-subj", `/CN=${name}`],
    ...["-addext", "basicConstraints=critical,CA:TRUE", "-keyout", `${name}.key`, "-out", `${name}.crt`],
  )
}

function issue({ run, read }: OpenSsl, authority: string, name: string, altName: string): KeyPair {
  run(
    ...["req", ...NEW_KEY, "-nodes", "-subj", `/CN=${name}`, "-addext", `subjectAltName=${altName}`],
    ...["-keyout", `${name}.key`, "-out", `${name}.csr`],
  )
  run(
    ...["x509", "-req", "-in", `${name}.csr`, "-CA", `${authority}.crt`, "-CAkey", `${authority}.key`],
    ...["-CAcreateserial", "-days", "90", "-copy_extensions", "copy", "-out", `${name}.crt`],
  )
  return { privateKey: read(`${name}.key`).toString(), certificate: read(`${name}.crt`).toString() }
}
