import { type FieldProblem, InvalidRequestError } from "@sealway/kernel"
import { beginOf, INTERVAL_MS, type Interval } from "@sealway/records"

/** The range of a request for figures: bounds of intervals, in epoch milliseconds. The end is not included. */
export interface StatsRange {
  readonly fromMs: number
  readonly toMs: number
}

/** How many intervals one answer may have: 6 hours, 14 days, a leap year. */
export const MAX_POINTS: Readonly<Record<Interval, number>> = { minute: 360, hour: 336, day: 366 }
const DEFAULT_POINTS: Readonly<Record<Interval, number>> = { minute: 60, hour: 24, day: 30 }

/**
 * Returns the range between two instants, widened to whole intervals. Without an end it reaches to the current interval,
 * this one included; without a begin it is an hour, a day or 30 days.
 *
 * @throws InvalidRequestError when it is empty, or longer than `MAX_POINTS`
 */
export function statsRangeOf(
  interval: Interval,
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
  nowMs: number,
): StatsRange {
  const lengthMs = INTERVAL_MS[interval]
  if (from !== undefined && from >= (to ?? nowMs)) {
    throw badRange({
      pointer: "/query/from",
      reason: `This must be before ${to === undefined ? "the current time" : "`to`"}.`,
    })
  }
  const toMs = beginOf(interval, (to ?? nowMs + 1) - 1) + lengthMs
  const fromMs = from === undefined ? toMs - DEFAULT_POINTS[interval] * lengthMs : beginOf(interval, from)
  if (toMs - fromMs > MAX_POINTS[interval] * lengthMs) {
    throw badRange({
      pointer: "/query/from",
      reason: `The range has more than ${MAX_POINTS[interval]} intervals. Use a longer interval or a shorter range.`,
    })
  }
  return { fromMs, toMs }
}

function badRange(problem: FieldProblem): InvalidRequestError {
  return new InvalidRequestError("The range is invalid.", { fields: [problem] })
}
