import fc from "fast-check"
import { expect, test } from "vitest"
import { type Draw, makeUpCell } from "./made-up-cell.ts"

const drawing = (seed: number): Draw => {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % bound
  }
}
const column = (cellOf: (index: number) => string) => Array.from({ length: 100 }, (_, index) => cellOf(index))

test.each([
  ["of choices is one of them", column((index) => ["de", "ie", "fr"][index % 3] ?? ""), /^(?:de|ie|fr)$/],
  [
    "with dates is a date of the column",
    column((index) => `20${10 + (index % 30)}-02-28`),
    /^20[1-3][0-9]-02-28$/,
  ],
  [
    "with numbers has as many digits, and no zero in front",
    column((index) => String(1000 + index)),
    /^[1-9][0-9]{3}$/,
  ],
  [
    "with telephone numbers keeps their form",
    column((index) => `+353 1 ${100 + index}-99`),
    /^\+[1-9][0-9]{2} [1-9] [1-9][0-9]{2}-[1-9][0-9]$/,
  ],
  [
    "with identifiers has hexadecimal digits in their places",
    column((index) => `a${index}b-f${index}`),
    /^[0-9a-f]+-[0-9a-f]+$/,
  ],
  [
    "with addresses keeps the domain",
    column((index) => `person${index}@example.com`),
    /^person[0-9]+@example\.com$/,
  ],
  ["with names has words of the column", column((index) => `Ada${"a".repeat(index)} Byron`), /^Adaa* Byron$/],
] as const)("a made-up cell of a column %s", (_name, cells, form) => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      expect(makeUpCell(cells, drawing(seed))).toMatch(form)
    }),
  )
})

test("a made-up cell is empty as often as others of its column", () => {
  const cells = column((index) => (index % 2 === 0 ? "" : String(1000 + index)))
  const made = Array.from({ length: 1_000 }, (_, seed) => makeUpCell(cells, drawing(seed * 7_919)))
  const empty = made.filter((cell) => cell === "").length
  expect(empty).toBeGreaterThan(300)
  expect(empty).toBeLessThan(700)
})
