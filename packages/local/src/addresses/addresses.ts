/** Where a service on one machine is found. */
export interface Addresses {
  /** Of the API: `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Of the relays, each by its domain in the `Host` header: `http://127.0.0.1:<port>`. */
  readonly relayUrl: string
  /** Of the forward proxy: `http://127.0.0.1:<port>`. */
  readonly proxyUrl: string
  /** Of the forward proxy for clients that send credentials only when asked: `http://127.0.0.1:<port>`. */
  readonly strictProxyUrl: string
  /** Of the certificate, in PEM, that the forward proxy's certificates are issued by. */
  readonly caUrl: string
}
