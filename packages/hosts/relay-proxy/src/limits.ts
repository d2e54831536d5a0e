import type { EdgeLimits } from "@sealway/http/ingress"
import { KB } from "@sealway/kernel"
import { MESSAGE_LIMITS, type MessageLimits } from "@sealway/relay-engine"

/** The limits of a relay. Sizes in bytes, times in milliseconds. */
export interface RelayLimits extends MessageLimits, EdgeLimits {
  /** The limit for a chunked request body, whose size is not known in advance. */
  readonly maxChunkedBytes: number
  /** Up to this size a body of known size is passed on whole, which costs less than a stream. */
  readonly maxBufferedBytes: number
  /** The number of a request's header lines. */
  readonly maxHeaders: number
  /** A destination's status line and headers. */
  readonly maxReplyHeaderBytes: number
  /** From the request to the end of its answer, on the side of the destination. */
  readonly exchangeTimeoutMs: number
  /** Covers name resolution, TCP and TLS of a destination. */
  readonly connectTimeoutMs: number
  /** How many requests of one client's connection may wait for their turn (pipelining). */
  readonly maxPipelined: number
  /** Concurrent connections to one destination. */
  readonly maxConnections: number
  /** How many requests to one destination may be in flight or wait for a connection. */
  readonly maxInFlight: number
  /** How many destinations, per client certificate, keep connections. */
  readonly maxDestinations: number
}

/** Sizes of bodies and the exchange's time are from the specification (Limits). The rest is ours. */
export const RELAY_LIMITS: RelayLimits = {
  ...MESSAGE_LIMITS,
  maxChunkedBytes: 700 * KB,
  maxBufferedBytes: 64 * KB,
  maxHeaderBytes: 32 * KB,
  maxHeaders: 200,
  maxReplyHeaderBytes: 64 * KB,
  exchangeTimeoutMs: 120_000,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  keepAliveTimeoutMs: 65_000,
  stallTimeoutMs: 30_000,
  lingerMs: 1_000,
  drainTimeoutMs: 10_000,
  maxClients: 10_000,
  maxPipelined: 32,
  maxConnections: 128,
  maxInFlight: 1_024,
  maxDestinations: 1_000,
}
