import type { SelectionType } from "./engine/selection.ts"
import type { ProxyMode } from "./exchange.ts"
import type { ExchangeStage, RelayErrorCode } from "./relay-error.ts"

/** What one selection of a route did with one message. */
export interface SelectionActivity {
  readonly direction: "request" | "response"
  readonly action: "encrypt" | "decrypt"
  readonly type: SelectionType
  readonly selector: string
  /** Values that it selected. */
  readonly matched: number
  /** Those of them that became others: tokens are left alone by `encrypt`, other values by `decrypt`. */
  readonly changed: number
}

/** A card number in a field that no selection selects. */
export interface Leak {
  readonly direction: "request" | "response"
  /** Where: a path of the body. Never the value. */
  readonly path: string
}

/** One request through a relay: what happened to it, and nothing of what was in it. */
export interface Activity {
  readonly id: string
  readonly mode: ProxyMode
  readonly method: string
  /** The patterns of the routes that matched; the path itself may hold data. */
  readonly routes: readonly string[]
  readonly status: number
  /** Null: the destination's own answer was passed on. */
  readonly error: {
    readonly code: RelayErrorCode
    readonly stage: ExchangeStage
    readonly detail: string
  } | null
  readonly selections: readonly SelectionActivity[]
  readonly leaks: readonly Leak[]
  readonly timing: {
    readonly totalMs: number
    /** Waiting for the destination, from the first byte sent to its headers. */
    readonly destinationMs: number
    /** Reading bodies, choosing and changing values. */
    readonly engineMs: number
  }
  /** Epoch milliseconds. */
  readonly createdAt: number
}
