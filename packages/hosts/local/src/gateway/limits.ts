import type { EdgeLimits } from "@sealway/http/ingress"
import { MB } from "@sealway/kernel"
import type { Hosting } from "@sealway/ports"
import type { BodyForm } from "./event-body.ts"

/** The limits of a gateway. Sizes are in bytes, times in milliseconds. */
export interface GatewayLimits extends Omit<EdgeLimits, "maxClients"> {
  /** The largest request body. A larger one is refused as soon as that is known, without reading it to its end. */
  readonly maxRequestBytes: number
  /** The form in which handlers accept bodies. Handlers in the same process need no conversion to text. */
  readonly bodyForm: BodyForm
  /** The largest event, as JSON: body (escaped, in base64 or as bytes), headers and all. */
  readonly maxEventBytes: number
  /** The largest result of a handler, as JSON. */
  readonly maxResponseBytes: number
  /** Concurrent connections. Further ones are refused and closed. */
  readonly maxConnections: number
  /**
   * Concurrent requests whose handlers have not ended; at most half of them to one endpoint, and half of those with large
   * bodies.
   */
  readonly maxRequestsInFlight: number
  /** How long a handler may take before it is cancelled and the caller gets service-unavailable. */
  readonly timeoutMs: number
  /** How long a sender may pause within a body, and a reader may take for 64 KiB of an answer. */
  readonly stallTimeoutMs: number
}

/** What one process accepts at a time, behind any kind of gateway. */
export const LOAD_LIMITS = {
  maxConnections: 4096,
  maxRequestsInFlight: 256,
  stallTimeoutMs: 10_000,
} satisfies Partial<GatewayLimits>

export type LoadLimits = Pick<GatewayLimits, keyof typeof LOAD_LIMITS>

/**
 * The limits of an HTTP API in front of Lambda functions.
 *
 * Sources: "Quotas for configuring and running an HTTP API in API Gateway" (payload 10 MB, request line and header
 * values 10,240 bytes, integration timeout 30 s) and "Lambda quotas" (synchronous payload 6 MB each way, which Lambda's
 * own refusal puts at 6,291,556 bytes). How long a request may take to arrive, and what one machine can handle, is not
 * published; those figures are ours.
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
 * The limits of a long-running server: files of 25 MB with room for what encryption or a form adds, and events and
 * results limited only to protect memory. Idle connections outlive the 60 s after which load balancers drop theirs.
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

/** Returns the limits of a service that stands for one in the cloud. */
export function limitsOf(hosting: Hosting, load: Partial<LoadLimits> = {}): GatewayLimits {
  return { ...(hosting === "container" ? CONTAINER_LIMITS : API_GATEWAY_LIMITS), ...load }
}
