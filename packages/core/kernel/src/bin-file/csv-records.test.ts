import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { cellOf, cellsOf, RecordScanner } from "./csv-records.ts"

const arbitraryCells = fc.array(
  fc.array(fc.string({ unit: fc.constantFrom(...'ab1,;"\r\n \u00e9') }), { minLength: 2, maxLength: 4 }),
  { minLength: 1, maxLength: 6 },
)

const spell = (cell: string) => (/[",\r\n;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** Returns the records of a text that arrives in chunks of some size. */
function recordsOf(text: string, chunkBytes: number): string[] {
  const bytes = Buffer.from(text)
  const scanner = new RecordScanner()
  const spans = []
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    spans.push(...scanner.scan(bytes.subarray(start, start + chunkBytes)))
  }
  const last = scanner.end()
  if (last !== null) spans.push(last)
  return spans.map(({ offset, length }) => bytes.toString("utf8", offset, offset + length))
}

describe("CSV records", () => {
  test("are parsed cell by cell, whatever the cells contain and however the file is split", () => {
    const breaks = fc.constantFrom("\n", "\r\n")
    fc.assert(
      fc.property(arbitraryCells, breaks, fc.integer({ min: 1, max: 9 }), (rows, end, chunkBytes) => {
        const lines = rows.map((cells) => cells.map(spell).join(","))
        for (const text of [lines.join(end), lines.join(end) + end]) {
          const records = recordsOf(text, chunkBytes)
          expect(records.map((record) => cellsOf(record, ","))).toEqual(rows)
          for (const [index, record] of records.entries()) {
            const cells = rows[index] ?? []
            expect(cells.map((_, column) => cellOf(record, ",", column))).toEqual(cells)
          }
        }
      }),
    )
  })

  test("are skipped when a line is empty", () => {
    expect(recordsOf("a,b\n\r\n\nc,d\n\n", 3)).toEqual(["a,b", "c,d"])
  })

  test.each(['"a', '"a"b,c', 'x,"a'])("have no cells when quotes do not match: %s", (record) => {
    expect(cellsOf(record, ",")).toBeNull()
  })

  test("are recognised as incomplete while the last cell's quotes are open", () => {
    const scanner = new RecordScanner()
    expect([...scanner.scan(Buffer.from('a,"b\n'))]).toEqual([])
    expect(scanner.isOpen).toBe(true)
  })
})
