import type { RelayErrorCode } from "@sealway/kernel"
import type { ExchangeStage, Leak, SelectionActivity } from "@sealway/relay-engine"

/** How a request reached a relay. */
export type ProxyMode = "reverse" | "forward"

/** A request without a route; a body of a type that no selection is for. */
export const TOLERATED = ["unmatched", "request-type", "response-type"] as const
export type Tolerated = (typeof TOLERATED)[number]

/** One request through a relay: what happened to it, and nothing of its content. */
export interface Activity {
  readonly id: string
  readonly mode: ProxyMode
  readonly method: string
  /** The patterns of the matching routes; the path itself may contain data. */
  readonly routes: readonly string[]
  readonly status: number
  /** Null: the destination's own answer was forwarded. */
  readonly error: {
    readonly code: RelayErrorCode
    readonly stage: ExchangeStage
    readonly detail: string
  } | null
  readonly selections: readonly SelectionActivity[]
  readonly leaks: readonly Leak[]
  /** What no route or no selection describes, and passed only because the relay passes it. */
  readonly tolerated: readonly Tolerated[]
  readonly timing: {
    readonly totalMs: number
    /** Waiting for the destination, from the first byte sent to its headers. */
    readonly destinationMs: number
    /** Reading bodies, selecting and changing values. */
    readonly engineMs: number
  }
  /** Epoch milliseconds. */
  readonly createdAt: number
}
