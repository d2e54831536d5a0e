/** Bytes that are sealed with an app's keys. */
export interface SealedBytes {
  /** The version of the app's keys. */
  readonly keyVersion: number
  readonly sealed: Uint8Array
}

/** A secret that signs what goes to a connector and what comes from it. */
export interface ConnectorSecret extends SealedBytes {
  /** Epoch milliseconds from which on it is no good; null for the one in force until the next rotation. */
  readonly expiresAt: number | null
}

/** What is shown of a certificate. */
export interface CertificateParticulars {
  /** SHA-256 of its DER, hex. */
  readonly fingerprint: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Distinguished name. */
  readonly subject: string
}

/** Where a production app's card networks are asked: a service of its processor. */
export interface Connector {
  /** Tells it from the connectors that the app had before. Not shown. */
  readonly id: string
  readonly appId: string
  /** https, without a slash at the end. */
  readonly url: string
  /** The client certificate and who may have issued the connector's, sealed. */
  readonly tls: SealedBytes
  readonly clientCertificate: CertificateParticulars
  /** Null where the connector's certificate is issued by a public authority. */
  readonly caCertificate: CertificateParticulars | null
  /** Newest first. */
  readonly secrets: readonly ConnectorSecret[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; null until it is changed. */
  readonly updatedAt: number | null
  /** Raised by each change. No other connector of the app, before or after, has the same ones. */
  readonly revision: number
}

/** The secrets in force at a moment, newest first. @param atMs epoch milliseconds */
export function secretsInForce({ secrets }: Connector, atMs: number): readonly ConnectorSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > atMs)
}
