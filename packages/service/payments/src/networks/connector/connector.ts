/** Bytes sealed with an app's keys. */
export interface SealedBytes {
  /** The version of the app's keys. */
  readonly keyVersion: number
  readonly sealed: Uint8Array
}

/** A secret that signs messages to and from a connector. */
export interface ConnectorSecret extends SealedBytes {
  /** Epoch milliseconds from which it is no longer valid; null for the current one. */
  readonly expiresAt: number | null
}

/** The details of a certificate that are shown. */
export interface CertificateParticulars {
  /** SHA-256 of its DER, hex. */
  readonly fingerprint: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Distinguished name. */
  readonly subject: string
}

/** A service of a production app's payment processor, through which its card networks are asked. */
export interface Connector {
  /** Distinguishes it from the app's earlier connectors. Not shown. */
  readonly id: string
  readonly appId: string
  /** https, without a trailing slash. */
  readonly url: string
  /** The client certificate and the authorities of the connector's certificate, sealed. */
  readonly tls: SealedBytes
  readonly clientCertificate: CertificateParticulars
  /** Null when a public authority issued the connector's certificate. */
  readonly caCertificate: CertificateParticulars | null
  /** Newest first. */
  readonly secrets: readonly ConnectorSecret[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; null until it is changed. */
  readonly updatedAt: number | null
  /** Incremented by each change. No other connector of the app, earlier or later, has the same ones. */
  readonly revision: number
}

/** Returns the secrets in force at a moment, newest first. @param atMs epoch milliseconds */
export function secretsInForce({ secrets }: Connector, atMs: number): readonly ConnectorSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > atMs)
}
