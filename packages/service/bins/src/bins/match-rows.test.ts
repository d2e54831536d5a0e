import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { arbitraryDigits, arbitraryRows, row } from "../testing/bin-rows.ts"
import type { BinRow } from "./bin-row.ts"
import { type BinMatch, matchRows } from "./match-rows.ts"

/** Finds the longest row for one whole ten-digit prefix, by comparing digits as text. */
function longestFor(rows: readonly BinRow[], digits: string): BinRow | null {
  const holding = rows.filter(({ from, to }) => {
    const prefix = digits.slice(0, from.length)
    return prefix >= from && prefix <= to
  })
  return holding.sort((left, right) => right.from.length - left.from.length)[0] ?? null
}

/** Does what `matchRows` promises, by trying every ten-digit prefix that starts with the digits. */
function matchNaively(rows: readonly BinRow[], digits: string): BinMatch | null {
  const rest = 10 - digits.length
  const found = new Set<BinRow>()
  for (let number = 0; number < 10 ** rest; number++) {
    const longest = longestFor(rows, digits + String(number).padStart(rest, "0").slice(0, rest))
    if (longest !== null) found.add(longest)
  }
  const [first, ...others] = [...found].map(({ from, to, ...facts }) => ({ ...facts }))
  if (first === undefined) return null
  const shared = Object.entries(first).filter(([name, value]) =>
    others.every((facts) => JSON.stringify(Reflect.get(facts, name)) === JSON.stringify(value)),
  )
  return {
    facts: Object.fromEntries(shared),
    matchPrecision: Math.min(digits.length, ...[...found].map(({ from }) => from.length)),
  }
}

describe("matching digits", () => {
  test("finds what trying every number finds", () => {
    fc.assert(
      fc.property(arbitraryRows, arbitraryDigits, (rows, digits) => {
        expect(matchRows(rows, digits)).toEqual(matchNaively(rows, digits))
      }),
      { numRuns: 300 },
    )
  })

  test("does not depend on the order of the rows", () => {
    fc.assert(
      fc.property(arbitraryRows, arbitraryDigits, (rows, digits) => {
        expect(matchRows(rows.toReversed(), digits)).toEqual(matchRows(rows, digits))
      }),
    )
  })

  test("uses the longest range that contains a number", () => {
    const rows = [
      row("400000", "400000", { issuer: "Six" }),
      row("40000012", "40000019", { issuer: "Eight" }),
      row("4000001234", "4000001234", { issuer: "Ten" }),
    ]
    const issuerOf = (digits: string) => {
      const found = matchRows(rows, digits)
      return [found?.facts.issuer, found?.matchPrecision]
    }
    expect(issuerOf("4000001234")).toEqual(["Ten", 10])
    expect(issuerOf("4000001235")).toEqual(["Eight", 8])
    expect(issuerOf("4000001999")).toEqual(["Eight", 8])
    expect(issuerOf("4000002000")).toEqual(["Six", 6])
    expect(matchRows(rows, "4000010000")).toBeNull()
  })

  test("only returns what all ranges of a short prefix share", () => {
    const rows = [
      row("40000010", "40000019", { issuer: "One", country: "us", type: "card" }),
      row("40000030", "40000039", { issuer: "Two", country: "us", type: "network-token" }),
    ]
    expect(matchRows(rows, "400000")).toEqual({ facts: { brand: "visa", country: "us" }, matchPrecision: 6 })
    expect(matchRows(rows, "4000001")?.facts.issuer).toBe("One")
    expect(matchRows(rows, "4000002")).toBeNull()
  })

  test("ignores a range that longer ones cover completely", () => {
    const rows = [
      row("400000", "400000", { issuer: "Covered" }),
      row("40000000", "40000049", { issuer: "Bank" }),
      row("40000050", "40000099", { issuer: "Bank" }),
    ]
    expect(matchRows(rows, "400000")).toMatchObject({ facts: { issuer: "Bank" }, matchPrecision: 6 })
  })

  test("ignores digits after the tenth", () => {
    const rows = [row("4000001234")]
    expect(matchRows(rows, "4000001234567890")).toEqual(matchRows(rows, "4000001234"))
  })
})
