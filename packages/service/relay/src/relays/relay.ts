import type { RelayRules } from "@sealway/relay-engine"

/** The destination of a relay's requests. */
export interface Destination {
  readonly scheme: "https" | "http"
  /** Lower case; an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
}

/** A client certificate with its key, sealed with the app's keys. */
export interface SealedClientCertificate {
  readonly format: "pem" | "pkcs12"
  readonly keyVersion: number
  /** JSON of `ClientCertificate`, see `client-certificates/client-certificate.ts`. */
  readonly sealed: Uint8Array
  /** The certificate's fingerprint: SHA-256 of its DER, hex. */
  readonly fingerprint: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Distinguished name, `CN=client, O=Example`. */
  readonly subject: string
}

/** How a destination is told at which address of its relay a request arrived. */
export const FORWARDED_HEADERS = ["off", "x-forwarded", "forwarded"] as const

/** A proxy in front of one destination. */
export interface Relay extends RelayRules {
  readonly id: string
  readonly teamId: string
  readonly appId: string
  /**
   * As given, without `https://`: a host, a port if it is not the scheme's default, and `http://` in front if allowed.
   */
  readonly destinationDomain: string
  readonly destination: Destination
  /** The relay's own domain, without a region label. */
  readonly relayDomain: string
  readonly authentication: "api-key" | null
  /** Whether URLs by which answers lead to the destination itself become the relay's. */
  readonly rewriteLocations: boolean
  readonly forwardedHeaders: (typeof FORWARDED_HEADERS)[number]
  /** Whether answers to requests with an API key tell what their time was spent on. */
  readonly serverTiming: boolean
  readonly clientCertificate: SealedClientCertificate | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
  /** Incremented by each change. */
  readonly revision: number
}
