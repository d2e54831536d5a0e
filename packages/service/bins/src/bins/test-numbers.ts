import { type BinFacts, MAX_BIN_DIGITS } from "./bin-row.ts"
import { type BinMatch, matchRows } from "./match-rows.ts"
import { testRows } from "./test-rows.ts"

/** Published numbers that differ from others with the same ten digits. */
const NUMBERS: ReadonlyMap<string, Partial<BinFacts>> = new Map([
  ["4000002500001001", { brand: "cartes-bancaires" }],
  ["6200000000000047", { funding: "debit" }],
])

/**
 * Returns what is known about published test numbers.
 *
 * @param digits a whole number, or its first 6 digits or more
 */
export function matchTestNumber(digits: string): BinMatch | null {
  const match = matchRows(testRows(), digits)
  const own = NUMBERS.get(digits)
  return own === undefined ? match : { facts: { ...match?.facts, ...own }, matchPrecision: MAX_BIN_DIGITS }
}
