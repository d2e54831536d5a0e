/** Keeps requests from a destination that fails again and again, and lets one through now and then to see. */
export interface CircuitBreaker {
  /** Whether a request may go out now. After each one that may, `report` is to be called. */
  admit(): boolean
  report(isSuccess: boolean): void
}

export interface CircuitBreakerOptions {
  /** Failures in a row that open the circuit. Default: 5. */
  readonly failures?: number
  /** How long nothing goes out once it is open. Default: 15,000. */
  readonly openMs?: number
  /** Milliseconds, monotonic. */
  readonly now: () => number
}

/**
 * Closed: all requests go out. Open: none do. Once it has been open long enough, one request goes out; its success closes the
 * circuit, its failure opens it again.
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
      // Whoever is next waits until this one has been reported, or is overdue.
      openUntil = now() + openMs
      return true
    },
    report(isSuccess) {
      failed = isSuccess ? 0 : failed + 1
      if (failed >= failures) openUntil = now() + openMs
    },
  }
}
