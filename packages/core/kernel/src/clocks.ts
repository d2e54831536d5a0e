/** The sources of time. Passed as a parameter wherever time is needed, so that a test can set it. */
export interface Clocks {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}
