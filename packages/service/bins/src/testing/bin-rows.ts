import fc from "fast-check"
import { ChunkCompressor, ChunkWriter, type PackedChunk } from "../bins/bin-chunks.ts"
import { type BinRow, binRowSchema, highestOf, lowestOf } from "../bins/bin-row.ts"
import { compareRows } from "../bins/row-order.ts"

/** Digits that all ranges of `arbitraryRows` start with, so that they often overlap. */
export const COMMON_DIGITS = "40000"

export const row = (from: string, to = from, facts: object = {}): BinRow =>
  binRowSchema.parse({ from, to, brand: "visa", ...facts })

/** Rows as a request brings them. */
export const linesOf = (rows: readonly BinRow[]): Buffer =>
  Buffer.from(rows.map((each) => JSON.stringify(each)).join("\n"))

const arbitraryRow: fc.Arbitrary<BinRow> = fc
  .record({
    length: fc.integer({ min: 6, max: 10 }),
    numbers: fc.array(fc.integer({ min: 0, max: 99_999 }), { minLength: 2, maxLength: 2 }),
    brand: fc.constantFrom("visa", "mastercard"),
    issuer: fc.constantFrom("One", "Two", undefined),
    fastFunds: fc.constantFrom({ domestic: true, crossBorder: false }, undefined),
  })
  .map(({ length, numbers, issuer, fastFunds, ...facts }) => {
    const digits = length - COMMON_DIGITS.length
    const [from = "", to = ""] = numbers
      .map((number) => number % 10 ** digits)
      .sort((a, b) => a - b)
      .map((number) => COMMON_DIGITS + String(number).padStart(digits, "0"))
    return row(from, to, { ...facts, ...(issuer && { issuer }), ...(fastFunds && { fastFunds }) })
  })

/** Rows of a table, in order: ranges of the same length do not overlap. */
export const arbitraryRows: fc.Arbitrary<readonly BinRow[]> = fc
  .array(arbitraryRow, { maxLength: 24 })
  .map((rows) => {
    const kept: BinRow[] = []
    for (const each of rows) if (!kept.some((other) => isSameLane(each, other))) kept.push(each)
    return kept.sort(compareRows)
  })

/** Whether two ranges of the same length share a number. */
function isSameLane(left: BinRow, right: BinRow): boolean {
  return (
    left.from.length === right.from.length &&
    lowestOf(left.from) <= highestOf(right.to) &&
    lowestOf(right.from) <= highestOf(left.to)
  )
}

/** Digits to look up: near the ranges, and sometimes beside them. */
export const arbitraryDigits: fc.Arbitrary<string> = fc
  .record({
    length: fc.integer({ min: 6, max: 10 }),
    number: fc.integer({ min: 0, max: 99_999 }),
    common: fc.constantFrom(COMMON_DIGITS, COMMON_DIGITS, COMMON_DIGITS, "39999", "41000"),
  })
  .map(
    ({ length, number, common }) =>
      common + String(number % 10 ** (length - common.length)).padStart(length - common.length, "0"),
  )

/** Packs rows into chunks, as an import does. */
export async function packRows(
  rows: readonly BinRow[],
  open: readonly BinRow[] = [],
): Promise<readonly PackedChunk[]> {
  const writer = new ChunkWriter()
  const compressor = new ChunkCompressor()
  const written = rows.map((each) => writer.add(each, JSON.stringify(each), open))
  const packed: PackedChunk[] = []
  for (const chunk of [...written, writer.end()]) {
    if (chunk !== null) packed.push(await compressor.compress(chunk))
  }
  compressor.close()
  return packed
}
