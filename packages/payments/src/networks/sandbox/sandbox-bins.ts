import { matchRows } from "../../bins/match-rows.ts"
import { testRows } from "../../bins/test-rows.ts"
import type { BinAnswer, BinRequest } from "../messages/bin.ts"

/** What is known of published test numbers. */
export function sandboxBin({ number }: BinRequest): BinAnswer {
  const match = matchRows(testRows(), number)
  // A range is of one kind of number.
  if (match?.facts.type === undefined) return { range: null }
  return { range: { ...match.facts, type: match.facts.type, matchPrecision: match.matchPrecision } }
}
