import { matchTestNumber } from "@sealway/bins"
import type { BinAnswer, BinRequest } from "../messages/bin.ts"

/** Returns what is known about published test numbers. */
export function sandboxBin({ number }: BinRequest): BinAnswer {
  const match = matchTestNumber(number)
  // A range has one type of number.
  if (match?.facts.type === undefined) return { range: null }
  return { range: { ...match.facts, type: match.facts.type, matchPrecision: match.matchPrecision } }
}
