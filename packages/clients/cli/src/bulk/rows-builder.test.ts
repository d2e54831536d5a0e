import fc from "fast-check"
import { expect, test } from "vitest"
import { rowsOf, WIDE_LIMITS } from "../testing/read-table.ts"
import { RowsBuilder } from "./rows-builder.ts"
import { rowFailure, type TableRows } from "./table-row.ts"
import { literalsOf } from "./values-document.ts"

/** Generated rows of values, each followed by a comma, and of this many more bytes. */
interface GivenRow {
  readonly values: readonly string[]
  readonly more: number
  readonly isBroken: boolean
}

const bytesOfRow = ({ values, more }: GivenRow) =>
  values.map((value) => `${value},`).join("") + "-".repeat(more)

function build(rows: readonly GivenRow[], limits: typeof WIDE_LIMITS): readonly TableRows[] {
  const builder = new RowsBuilder(limits, 0, "unquoted")
  let block = Buffer.from(rows.map(bytesOfRow).join(""))
  const batches: TableRows[] = []
  for (const row of rows) {
    let at = builder.size
    const end = at + bytesOfRow(row).length
    if (row.isBroken) builder.addBrokenRow(end, rowFailure("malformed-row"))
    else {
      for (const value of row.values) {
        builder.addValue(at, at + value.length, [0], value === "~" ? '"tilde"' : undefined)
        at += value.length + 1
      }
      builder.addRow(end)
    }
    const due = builder.takeDue(block)
    if (due === null) continue
    batches.push(due)
    block = block.subarray(due.bytes.length)
  }
  const rest = builder.takeRest(block)
  return rest === null ? batches : [...batches, rest]
}

const givenRow = fc.record({
  values: fc.array(fc.constantFrom("~", "b", "cc", "d".repeat(30)), { maxLength: 4 }),
  more: fc.integer({ min: 1, max: 30 }),
  isBroken: fc.boolean(),
})

test("puts every row into one batch, in order, within the limits unless a batch is one row", () =>
  fc.assert(
    fc.property(fc.array(givenRow), (rows) => {
      const limits = { maxRows: 4, maxValues: 6, maxValueBytes: 50, maxRowBytes: 60 }
      const batches = build(rows, limits)
      const read = rowsOf(batches)
      expect(read.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1))
      expect(read.map(({ bytes }) => bytes)).toEqual(rows.map(bytesOfRow))
      expect(read.map(({ problem }) => problem !== null)).toEqual(rows.map(({ isBroken }) => isBroken))
      const literalOf = (value: string) => (value === "~" ? '"tilde"' : `"${value}"`)
      expect(read.map(({ literals }) => literals)).toEqual(
        rows.map(({ values, isBroken }) => (isBroken ? [] : values.map(literalOf))),
      )
      for (const batch of batches) {
        const { ends, bytes, values, spanStarts, spanEnds } = batch
        expect(JSON.parse(values.bytes.toString())).toHaveLength(spanStarts.length)
        for (const [index, literal] of literalsOf(values).entries()) {
          const replaced = bytes.toString("latin1", spanStarts[index], spanEnds[index])
          expect(literalOf(replaced)).toBe(literal)
        }
        expect(ends.length).toBeGreaterThan(0)
        expect(ends.length).toBeLessThanOrEqual(limits.maxRows)
        if (ends.length === 1) continue
        expect(values.starts.length).toBeLessThanOrEqual(limits.maxValues)
        expect(values.bytes.length - 2).toBeLessThanOrEqual(limits.maxValueBytes)
        expect(bytes.length).toBeLessThanOrEqual(limits.maxRowBytes)
      }
    }),
  ))

test("fills batches as far as allowed", () => {
  const rows = Array.from({ length: 7 }, () => ({ values: ["1"], more: 1, isBroken: false }))
  const numbers = (limits: Partial<typeof WIDE_LIMITS>) =>
    build(rows, { ...WIDE_LIMITS, ...limits }).map((batch) => rowsOf([batch]).map(({ number }) => number))
  expect(numbers({ maxRows: 3 })).toEqual([[1, 2, 3], [4, 5, 6], [7]])
  expect(numbers({ maxValues: 2 })).toEqual([[1, 2], [3, 4], [5, 6], [7]])
  expect(numbers({ maxValueBytes: 12 })).toEqual([[1, 2, 3], [4, 5, 6], [7]])
  expect(numbers({ maxRowBytes: 6 })).toEqual([[1, 2], [3, 4], [5, 6], [7]])
})
