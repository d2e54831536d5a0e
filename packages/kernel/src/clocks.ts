/** Where time comes from. Whoever needs it takes it as a parameter, so that a test can set it. */
export interface Clocks {
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}
