/** A server's limits for its clients. Sizes in bytes, times in milliseconds. */
export interface EdgeLimits {
  /** The request line and headers together. */
  readonly maxHeaderBytes: number
  /** Concurrent client connections. */
  readonly maxClients: number
  /** How long the request line and headers may take to arrive. */
  readonly headersTimeoutMs: number
  /**
   * How long a whole request, body included, may take to arrive, and an answer that is in memory to be read. Not less than
   * `headersTimeoutMs`.
   */
  readonly requestTimeoutMs: number
  /** How long a client's connection may idle between requests. Must be longer than load balancers keep theirs. */
  readonly keepAliveTimeoutMs: number
  /** How long a client may go without reading any of an answer. */
  readonly stallTimeoutMs: number
  /**
   * How long a client may go on sending after it is refused mid-request. Closing immediately would reset the
   * connection, and the reset can overtake the refusal.
   */
  readonly lingerMs: number
  /** How long `close` waits for requests in flight. */
  readonly drainTimeoutMs: number
}
