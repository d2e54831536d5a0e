/** What a server takes of its clients, and waits for. Sizes in bytes, times in milliseconds. */
export interface EdgeLimits {
  /** A request's line and headers together. */
  readonly maxHeaderBytes: number
  /** Clients' connections at a time. */
  readonly maxClients: number
  /** How long a request's line and headers may take to arrive. */
  readonly headersTimeoutMs: number
  /** How long a whole request, body included, may take to arrive. Not less than `headersTimeoutMs`. */
  readonly requestTimeoutMs: number
  /** How long a client's connection may idle between requests: longer than load balancers keep theirs. */
  readonly keepAliveTimeoutMs: number
  /** How long a client may leave an answer without taking off any of it. */
  readonly stallTimeoutMs: number
  /**
   * How long a client that is refused before it has sent everything may go on sending. Closing at once would reset the
   * connection, and the reset can overtake the refusal.
   */
  readonly lingerMs: number
  /** How long `close` waits for requests in flight. */
  readonly drainTimeoutMs: number
}
