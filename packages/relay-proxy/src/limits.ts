import { KB } from "@sealway/kernel"
import type { EdgeLimits } from "@sealway/platform/ingress"
import { MESSAGE_LIMITS, type MessageLimits } from "@sealway/relay-engine"

/** What a relay takes, hands on and waits for. Sizes in bytes, times in milliseconds. */
export interface RelayLimits extends MessageLimits, EdgeLimits {
  /** A request's body that comes in chunks, which nobody knows the size of beforehand. */
  readonly maxChunkedBytes: number
  /** Up to here a body of known size is handed on whole, which is cheaper than a stream. */
  readonly maxBufferedBytes: number
  /** A request's header lines. */
  readonly maxHeaders: number
  /** A destination's status line and headers. */
  readonly maxReplyHeaderBytes: number
  /** From the request to the end of its answer, as the destination is concerned. */
  readonly exchangeTimeoutMs: number
  /** Name, TCP and TLS of a destination. */
  readonly connectTimeoutMs: number
  /** Requests of one client's connection that may wait for their turn (pipelining). */
  readonly maxPipelined: number
  /** Connections to one destination at a time. */
  readonly maxConnections: number
  /** Requests to one destination that are in flight or wait for a connection. */
  readonly maxInFlight: number
  /** Destinations, client certificates told apart, that connections are kept for. */
  readonly maxDestinations: number
}

/** Sizes of bodies and the exchange's time are the specification's (Limits). The rest is ours. */
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
