/** Blocks requests to a destination that keeps failing, and lets one through from time to time to test it. */
export interface CircuitBreaker {
  /** Whether a request may be sent now. Call `report` after each request that may. */
  admit(): boolean
  report(isSuccess: boolean): void
}

export interface CircuitBreakerOptions {
  /** How many failures in a row open the circuit. Default: 5. */
  readonly failures?: number
  /** How long an open circuit blocks all requests. Default: 15,000. */
  readonly openMs?: number
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

/**
 * Creates a circuit breaker. Closed: all requests are sent. Open: none are. When it has been open long enough, one
 * request is sent; its success closes the circuit, its failure opens it again.
 */
export function createCircuitBreaker({
  failures = 5,
  openMs = 15_000,
  now,
}: CircuitBreakerOptions): CircuitBreaker {
  let failed = 0
  let openUntil = Number.NEGATIVE_INFINITY
  return {
    admit() {
      if (failed < failures) return true
      if (now() < openUntil) return false
      // The next request waits until this one is reported, or overdue.
      openUntil = now() + openMs
      return true
    },
    report(isSuccess) {
      failed = isSuccess ? 0 : failed + 1
      if (failed >= failures) openUntil = now() + openMs
    },
  }
}
