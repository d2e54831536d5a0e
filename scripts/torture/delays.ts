import type { Ledger } from "./ledger.ts"
import type { Receivers } from "./receivers.ts"

/** A time during which the service may be unavailable; milliseconds, monotonic. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface Delays {
  readonly measured: number
  readonly medianMs: number
  readonly p99Ms: number
  readonly mostMs: number
  /** How long the slowest answers of the API took meanwhile: the delay of the machine itself. */
  readonly answerP99Ms: number
  /** Later than a second, and than those answers. */
  readonly late: number
}

const LATE_MS = 1_000
/** After a start everything is slower for a moment, and leftover work comes first. */
const SETTLING_MS = 3_000
/** An event that is sent so shortly before a fault may meet it. */
const BEFORE_MS = 2_000

/** Measures how long test events took to quick receivers, from their acknowledgement, while nothing else was broken. */
export function measureDelays(
  ledgers: readonly Ledger[],
  receivers: Pick<Receivers, "taken">,
  faults: readonly Span[],
): Delays {
  const isCalm = (at: number) =>
    !faults.some(({ from, to }) => at > from - BEFORE_MS && at < to + SETTLING_MS)
  const calm = ledgers.flatMap(({ tests, receivers: own }) =>
    tests
      .filter(({ at }) => isCalm(at))
      .map((test) => ({ ...test, arrival: receivers.taken(own.quick).get(test.id) })),
  )
  const answers = sorted(calm.map(({ tookMs }) => tookMs))
  const delays = sorted(
    calm.flatMap(({ at, arrival }) => (arrival === undefined ? [] : [Math.max(0, arrival.at - at)])),
  )
  const answerP99Ms = quantile(answers, 0.99)
  return {
    measured: delays.length,
    medianMs: quantile(delays, 0.5),
    p99Ms: quantile(delays, 0.99),
    mostMs: quantile(delays, 1),
    answerP99Ms,
    late: delays.filter((delay) => delay > LATE_MS + answerP99Ms).length,
  }
}

const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)

function quantile(numbers: readonly number[], share: number): number {
  return numbers[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? 0
}
