import { MB } from "@sealway/kernel"
import type { EdgeLimits } from "@sealway/platform/ingress"
import type { BodyForm } from "./event-body.ts"

/** What a gateway takes, hands on and waits for. Sizes are in bytes, times in milliseconds. */
export interface GatewayLimits extends Omit<EdgeLimits, "maxClients"> {
  /** The largest request body. A larger one is refused as soon as that is known, without being read to its end. */
  readonly maxRequestBytes: number
  /** How handlers take bodies. Those in the same process need none of them written as text first. */
  readonly bodyForm: BodyForm
  /** The largest event, as JSON: body (escaped, in base64 or in bytes), headers and all. */
  readonly maxEventBytes: number
  /** The largest result of a handler, as JSON. */
  readonly maxResponseBytes: number
  /** Connections at a time. What comes beyond them is refused, and closed. */
  readonly maxConnections: number
  /** Requests that wait for their handler or its answer, at a time; half of them to one endpoint. */
  readonly maxRequestsInFlight: number
  /**
   * Bodies of requests until they are handled, and of answers until their readers have taken them off, together. Three
   * quarters at most are for large ones, so that a larger request or answer than that never fits.
   */
  readonly maxBytesInFlight: number
  /** How long a handler may take before the caller is told that the service is unavailable. */
  readonly timeoutMs: number
  /** How long a sender may pause within a body, and a reader of an answer may take for 64 KiB of it. */
  readonly stallTimeoutMs: number
}

/** What one process takes at a time, whatever it is in front of. */
export const LOAD_LIMITS = {
  maxConnections: 4096,
  maxRequestsInFlight: 256,
  maxBytesInFlight: 256 * MB,
  stallTimeoutMs: 10_000,
} satisfies Partial<GatewayLimits>

export type LoadLimits = Pick<GatewayLimits, keyof typeof LOAD_LIMITS>

/**
 * An HTTP API in front of Lambda functions.
 *
 * Sources: "Quotas for configuring and running an HTTP API in API Gateway" (payload 10 MB, request line and header
 * values 10,240 bytes, integration time-out 30 s) and "Lambda quotas" (synchronous payload 6 MB each way, which
 * Lambda's own refusal puts at 6,291,556 bytes). How long a request may take to arrive, and what one machine stands,
 * is not published; those figures are ours.
 */
export const API_GATEWAY_LIMITS: GatewayLimits = {
  ...LOAD_LIMITS,
  maxRequestBytes: 10 * MB,
  bodyForm: "text",
  maxEventBytes: 6_291_556,
  maxResponseBytes: 6_291_556,
  maxHeaderBytes: 10_240,
  timeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  lingerMs: 1_000,
  drainTimeoutMs: 10_000,
}

/**
 * A long-running server: files of 25 MB with room for what encryption or a form adds to them, and no cap on events
 * and results but what memory should hold. Idle connections outlive the 60 s after which load balancers drop theirs.
 */
export const CONTAINER_LIMITS: GatewayLimits = {
  ...LOAD_LIMITS,
  maxRequestBytes: 26.5 * MB,
  bodyForm: "bytes",
  maxEventBytes: 128 * MB,
  maxResponseBytes: 128 * MB,
  maxHeaderBytes: 10_240,
  timeoutMs: 120_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  keepAliveTimeoutMs: 65_000,
  lingerMs: 1_000,
  drainTimeoutMs: 25_000,
}
