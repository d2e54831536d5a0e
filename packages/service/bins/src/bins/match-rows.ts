import { finish, Pace, type Work } from "@sealway/kernel"
import { type BinFacts, type BinRow, highestOf, lowestOf, MAX_BIN_DIGITS } from "./bin-row.ts"

const FACTS = [
  ...(["brand", "funding", "segment", "country", "currency", "issuer"] as const),
  ...(["productName", "type", "fastFunds", "threeDS"] as const),
] satisfies readonly (keyof BinFacts)[]

/** What is known about the numbers that start with some digits. */
export interface BinMatch {
  /** Only what all matching ranges share. */
  readonly facts: Partial<BinFacts>
  /** How many of the requested digits the ranges consider: 6 to 10. */
  readonly matchPrecision: number
}

/** The numbers that start with some digits, as their lowest and highest ten-digit prefix. */
export interface Window {
  readonly lowest: number
  readonly highest: number
}

/** @param digits 6 or more */
export function windowOf(digits: string): Window {
  const prefix = digits.slice(0, MAX_BIN_DIGITS)
  return { lowest: lowestOf(prefix), highest: highestOf(prefix) }
}

export function overlaps({ from, to }: BinRow, { lowest, highest }: Window): boolean {
  return lowestOf(from) <= highest && highestOf(to) >= lowest
}

/**
 * Finds what is known about the numbers that start with some digits: for each number, its longest range counts.
 *
 * @param rows the rows of one table in any order; no two ranges of the same length overlap
 * @param digits 6 or more; those after the tenth do not matter
 * @returns null when no range is known
 */
export function matchRows(rows: readonly BinRow[], digits: string): BinMatch | null {
  return finish(matchRowsInSteps(rows, digits))
}

/** `matchRows`, in steps: the shortest prefixes may have ten thousand rows. */
export function* matchRowsInSteps(rows: readonly BinRow[], digits: string): Work<BinMatch | null> {
  const applying = applyingRows(rows, windowOf(digits))
  const [first] = applying
  if (first === undefined) return null
  const lengths = applying.map(({ from }) => from.length)
  return {
    facts: yield* sharedFacts(first, applying),
    matchPrecision: Math.min(digits.length, MAX_BIN_DIGITS, ...lengths),
  }
}

/** Returns the rows that are the longest match for some number of the window. */
function applyingRows(rows: readonly BinRow[], window: Window): readonly BinRow[] {
  const found = rows.filter((row) => overlaps(row, window))
  const bounds = new Set([window.lowest])
  for (const { from, to } of found) {
    bounds.add(Math.max(lowestOf(from), window.lowest))
    bounds.add(highestOf(to) + 1)
  }
  const starts = [...bounds].filter((each) => each <= window.highest).sort((a, b) => a - b)
  const byLength = Map.groupBy(found, ({ from }) => from.length)
  const lanes = [...byLength]
    .sort(([left], [right]) => right - left)
    .map(([, lane]) => ({ lane: lane.sort((a, b) => lowestOf(a.from) - lowestOf(b.from)), next: 0 }))
  const applying = new Set<BinRow>()
  for (const start of starts) {
    for (const each of lanes) {
      let row = each.lane[each.next]
      while (row !== undefined && highestOf(row.to) < start) row = each.lane[++each.next]
      if (row === undefined || lowestOf(row.from) > start) continue
      applying.add(row)
      break
    }
  }
  return [...applying]
}

const ROWS_PER_STEP = 64

function* sharedFacts({ from, to, ...facts }: BinRow, rows: readonly BinRow[]): Work<Partial<BinFacts>> {
  const shared = new Map<string, unknown>(FACTS.map((name) => [name, comparable(facts[name])]))
  const pace = new Pace(ROWS_PER_STEP)
  for (const row of rows) {
    if (pace.isDue()) yield
    for (const name of FACTS) {
      if (shared.has(name) && comparable(row[name]) !== shared.get(name)) shared.delete(name)
    }
  }
  return Object.fromEntries(Object.entries(facts).filter(([name]) => shared.has(name)))
}

/** Makes two facts comparable. */
const comparable = (fact: unknown) => (typeof fact === "object" ? JSON.stringify(fact) : fact)
