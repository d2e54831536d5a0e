import type { Cell, Dimension, Interval } from "../encoding/dimensions.ts"
import { ABSENT, FIRST_OTHER, LAST_INSTANT_MS } from "../encoding/request.ts"
import type { Texts } from "../encoding/texts.ts"
import { spellAddresses } from "./spell-addresses.ts"

/** Values of a dimension: these, or all but these. */
export interface Values {
  readonly isExcluded: boolean
  readonly values: readonly string[]
}

/** A text that is not there, and an address that is not known. */
export const NONE = "none"
const GIVEN = "given"
const ATTESTED = "attested"
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

/** Spells values of a dimension, or those that are missing from all, whichever is shorter. */
export function spellCells(dimension: Dimension, cells: readonly Cell[], texts: Texts): Values {
  const spell = SPELLINGS[dimension.name] ?? ((intervals) => spellTexts(intervals, texts))
  const missing = dimension.cells.filter((cell) => !cells.includes(cell))
  // A single value that is in no cell: of what is missing, nothing is known.
  const isWhole = cells.every((cell) => dimension.cells.includes(cell))
  const [included, excluded] = [spell(merged(cells.flat())), isWhole ? spell(merged(missing.flat())) : null]
  if (excluded === null) return { isExcluded: false, values: included ?? ["others"] }
  if (included === null || excluded.length < included.length) return { isExcluded: true, values: excluded }
  return { isExcluded: false, values: included }
}

/** Joins neighbours. */
function merged(intervals: readonly Interval[]): Interval[] {
  const joined: Interval[] = []
  for (const each of intervals.toSorted((left, right) => (left.first < right.first ? -1 : 1))) {
    const before = joined.at(-1)
    if (before !== undefined && before.last + 1n >= each.first) {
      joined.pop()
      joined.push({ first: before.first, last: each.last > before.last ? each.last : before.last })
    } else joined.push(each)
  }
  return joined
}

/** Returns null for what has no spelling of its own: texts that no policy names. */
type Spelling = (intervals: readonly Interval[]) => readonly string[] | null

const SPELLINGS: Partial<Record<Dimension["name"], Spelling>> = {
  ip: (intervals) => spellAddresses(intervals, NONE),
  time: (intervals) => intervals.map(spellPeriod),
  weekday: (intervals) => numbersOf(intervals).map((day) => WEEKDAYS[day - 1] ?? ""),
  minute: spellMinutes,
  masked: (intervals) => numbersOf(intervals).map((is) => (is === 1 ? "masked" : "full")),
  reason: (intervals) => numbersOf(intervals).map((is) => (is === 1 ? GIVEN : NONE)),
  enclave: (intervals) => numbersOf(intervals).map((is) => (is === 1 ? ATTESTED : NONE)),
}

function spellTexts(intervals: readonly Interval[], texts: Texts): readonly string[] | null {
  const codes = numbersOf(intervals)
  if (codes.includes(FIRST_OTHER)) return null
  return codes.map((code) => (code === ABSENT ? NONE : (texts.textOf(BigInt(code)) ?? "others")))
}

function numbersOf(intervals: readonly Interval[]): number[] {
  return intervals.flatMap(({ first, last }) =>
    Array.from({ length: Number(last - first) + 1 }, (_, index) => Number(first) + index),
  )
}

/** `09:00-17:30`, without the last minute. What goes on at midnight is one window. */
function spellMinutes(intervals: readonly Interval[]): string[] {
  const last = intervals.at(-1)
  const first = intervals[0]
  const isAcross = intervals.length > 1 && first?.first === 0n && last?.last === 1_439n
  const windows =
    isAcross && first && last
      ? [...intervals.slice(1, -1), { first: last.first, last: first.last }]
      : intervals
  return windows.map((window) => `${timeOfDay(window.first)}-${timeOfDay(window.last + 1n)}`)
}

function timeOfDay(minute: bigint): string {
  const two = (number: bigint) => String(number).padStart(2, "0")
  return `${two(minute / 60n)}:${two(minute % 60n)}`
}

function spellPeriod({ first, last }: Interval): string {
  const until = last >= BigInt(LAST_INSTANT_MS) ? "on" : `until ${instant(last + 1n)}`
  return `from ${instant(first)} ${until}`
}

function instant(ms: bigint): string {
  return new Date(Number(ms)).toISOString().replace(".000", "")
}
