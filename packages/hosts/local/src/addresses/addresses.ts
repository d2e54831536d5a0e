/** The addresses of a service on one machine. */
export interface Addresses {
  /** The API: `http://127.0.0.1:<port>`. */
  readonly url: string
  /** The relays, selected by the domain in the `Host` header: `http://127.0.0.1:<port>`. */
  readonly relayUrl: string
  /** The forward proxy: `http://127.0.0.1:<port>`. */
  readonly proxyUrl: string
  /** The forward proxy for clients that only send credentials when challenged: `http://127.0.0.1:<port>`. */
  readonly strictProxyUrl: string
  /** The CA certificate, in PEM, that issues the forward proxy's certificates. */
  readonly caUrl: string
}
