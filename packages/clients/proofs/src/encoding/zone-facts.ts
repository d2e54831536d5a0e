import { localTime } from "@sealway/policies/analysis"
import type { Script } from "../smt/script.ts"
import { and, atMost, equal, int, ite, not, type Term, within } from "../smt/terms.ts"
import type { ZoneClock } from "./request.ts"
import { DAY_MS } from "./times.ts"

const MINUTE_MS = 60_000
/** No zone changes its clocks and changes them back within this time. */
const STEP_MS = 3 * 60 * MINUTE_MS
const MINUTES_OF_DAY = 1_440

/** The times that a zone's rules are read for, in epoch milliseconds: from the first, before the second. */
export interface Horizon {
  readonly fromMs: number
  readonly untilMs: number
}

/** How far the clocks of a zone are ahead of UTC, from a time on. */
interface Period {
  readonly fromMs: number
  readonly offsetMinutes: number
}

/**
 * Relates what clocks show to the time, by the rules that the platform has for their zones, within a horizon. Without
 * it, clocks may show anything: what is impossible then is impossible whatever becomes of the rules.
 */
export function zoneFacts(script: Script, clocks: readonly ZoneClock[], time: Term, horizon: Horizon): Term {
  const [day, week, rest] = [script.fresh("Int"), script.fresh("Int"), script.fresh("Int")]
  const [minuteUtc, weekdayUtc] = [script.fresh("Int"), script.fresh("Int")]
  const facts = clocks.flatMap(({ zone, minute, weekday }) => {
    const [first, ...later] = periodsOf(zone, horizon)
    const offset = later.reduce(
      (before, { fromMs, offsetMinutes }) => ite(atMost(int(fromMs), time), int(offsetMinutes), before),
      int(first.offsetMinutes),
    )
    const local = script.fresh("Int")
    // The local day may be the one before or after that of UTC.
    const days = ite(atMost(local, "(- 1)"), "(- 1)", ite(atMost(int(MINUTES_OF_DAY), local), "1", "0"))
    const ahead = script.named("Int", `(+ ${weekdayUtc} ${days})`)
    return [
      equal(local, `(+ ${minuteUtc} ${offset})`),
      equal(minute, `(- ${local} (* ${MINUTES_OF_DAY} ${days}))`),
      equal(weekday, ite(equal(ahead, "0"), "7", ite(equal(ahead, "8"), "1", ahead))),
    ]
  })
  return and(
    atMost(int(horizon.fromMs), time),
    not(atMost(int(horizon.untilMs), time)),
    within(rest, 0, MINUTE_MS - 1),
    within(minuteUtc, 0, MINUTES_OF_DAY - 1),
    within(weekdayUtc, 1, 7),
    equal(time, `(+ (* ${DAY_MS} ${day}) (* ${MINUTE_MS} ${minuteUtc}) ${rest})`),
    // 1970 began on a Thursday, the fourth day.
    equal(`(+ ${day} 3)`, `(+ (* 7 ${week}) (- ${weekdayUtc} 1))`),
    ...facts,
  )
}

/** Finds the changes of a zone's clocks within a horizon, to the millisecond. */
export function periodsOf(zone: string, { fromMs, untilMs }: Horizon): readonly [Period, ...Period[]] {
  const first = { fromMs, offsetMinutes: offsetAt(zone, fromMs) }
  const periods: [Period, ...Period[]] = [first]
  let known = first.offsetMinutes
  for (let at = fromMs; at < untilMs; at += STEP_MS) {
    const next = Math.min(at + STEP_MS, untilMs)
    const offsetMinutes = offsetAt(zone, next)
    if (offsetMinutes === known) continue
    let [before, after] = [at, next]
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (offsetAt(zone, middle) === known) before = middle
      else after = middle
    }
    periods.push({ fromMs: after, offsetMinutes })
    known = offsetMinutes
  }
  return periods
}

/** How many minutes a zone's clock is ahead of UTC, from what both show: the same reading that policies get. */
function offsetAt(zone: string, timeMs: number): number {
  const [local, utc] = [localTime(timeMs, zone), localTime(timeMs, "UTC")]
  if (local === null || utc === null) throw new TypeError("There is no such time zone")
  const days = ((local.weekday - utc.weekday + 10) % 7) - 3
  return days * MINUTES_OF_DAY + local.minuteOfDay - utc.minuteOfDay
}
