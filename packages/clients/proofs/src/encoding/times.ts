import { int, ite, type Term } from "../smt/terms.ts"
import { overflows } from "./numbers.ts"
import type { Operator, OperatorTable } from "./operator.ts"
import { long, type Value } from "./symbol.ts"

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const DATETIME =
  /^(?<date>[0-9]{4}-[0-9]{2}-[0-9]{2})(?<time>T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3})?)?(?<zone>Z|[-+][0-9]{4})?$/
const DURATION =
  /^(?<sign>-?)(?:(?<d>[0-9]+)d)?(?:(?<h>[0-9]+)h)?(?:(?<m>[0-9]+)m)?(?:(?<s>[0-9]+)s)?(?:(?<ms>[0-9]+)ms)?$/

/** Parses a point in time as Cedar does; null when it is invalid. */
export function parseDatetime(text: string): number | null {
  const { date, time, zone } = DATETIME.exec(text)?.groups ?? {}
  if (date === undefined || (time === undefined) !== (zone === undefined)) return null
  const offset = zone?.replace(/(?<hours>[0-9]{2})(?<minutes>[0-9]{2})$/, "$<hours>:$<minutes>")
  const ms = Date.parse(`${date}${time ?? "T00:00:00"}${offset ?? "Z"}`)
  const written = Date.parse(`${date}${time ?? "T00:00:00"}Z`)
  // Date.parse turns the 30th of February into the 2nd of March.
  return Number.isFinite(ms) && new Date(written).toISOString().startsWith(date) ? ms : null
}

function parseDuration(text: string): bigint | null {
  const groups = DURATION.exec(text)?.groups
  if (groups === undefined || /^-?$/.test(text)) return null
  const { sign, d = 0, h = 0, m = 0, s = 0, ms = 0 } = groups
  const parts: readonly [string | number, number][] = [
    [d, DAY_MS],
    [h, HOUR_MS],
    [m, MINUTE_MS],
    [s, SECOND_MS],
    [ms, 1],
  ]
  const total = parts.reduce((sum, [count, unit]) => sum + BigInt(count) * BigInt(unit), 0n)
  const signed = sign === "-" ? -total : total
  return BigInt.asIntN(64, signed) === signed ? signed : null
}

const datetime = (number: Term): Value => ({ kind: "datetime", number })
const duration = (number: Term): Value => ({ kind: "duration", number })

function literalOf(operand: Value | undefined): string | null {
  return operand?.kind === "text" ? (operand.literal ?? null) : null
}

/** Whole units of a duration, rounded towards zero as Cedar does. SMT-LIB rounds down. */
function wholeUnits(unitMs: number): Operator {
  return (operand) => {
    if (operand?.kind !== "duration") return null
    const { number } = operand
    const down = (term: Term) => (unitMs === 1 ? term : `(div ${term} ${int(unitMs)})`)
    return { value: long(ite(`(<= 0 ${number})`, down(number), `(- ${down(`(- ${number})`)})`)) }
  }
}

/** Points in time and durations. */
export const TIME_OPERATORS: OperatorTable = new Map<string, Operator>([
  [
    "datetime",
    (text) => {
      const ms = parseDatetime(literalOf(text) ?? "")
      return ms === null ? null : { value: datetime(int(ms)) }
    },
  ],
  [
    "duration",
    (text) => {
      const ms = parseDuration(literalOf(text) ?? "")
      return ms === null ? null : { value: duration(int(ms)) }
    },
  ],
  [
    "offset",
    (time, by) => {
      if (time?.kind !== "datetime" || by?.kind !== "duration") return null
      const number = `(+ ${time.number} ${by.number})`
      return { value: datetime(number), error: overflows(number) }
    },
  ],
  [
    "durationSince",
    (time, since) => {
      if (time?.kind !== "datetime" || since?.kind !== "datetime") return null
      const number = `(- ${time.number} ${since.number})`
      return { value: duration(number), error: overflows(number) }
    },
  ],
  [
    "toDate",
    (time) => {
      if (time?.kind !== "datetime") return null
      const number = `(* ${int(DAY_MS)} (div ${time.number} ${int(DAY_MS)}))`
      return { value: datetime(number), error: overflows(number) }
    },
  ],
  [
    "toTime",
    (time) => (time?.kind === "datetime" ? { value: duration(`(mod ${time.number} ${int(DAY_MS)})`) } : null),
  ],
  ["toMilliseconds", wholeUnits(1)],
  ["toSeconds", wholeUnits(SECOND_MS)],
  ["toMinutes", wholeUnits(MINUTE_MS)],
  ["toHours", wholeUnits(HOUR_MS)],
  ["toDays", wholeUnits(DAY_MS)],
])
