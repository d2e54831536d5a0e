import { CsvError } from "csv-parse"
import { parse } from "csv-parse/sync"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { chunksOf } from "../testing/read-table.ts"
import { readNames } from "./csv-format.ts"
import { CsvRowReader } from "./csv-rows.ts"
import { UnreadableTableError } from "./table-row.ts"

const piece = fc.constantFrom(
  ...['"', '"', '""', ",", ";", "\n", "\r\n", "\r", "a", "é", " ", '"a"', '"a,b"', '\n"'],
)

/** Returns the cells of all rows; null when they cannot be read. */
async function read(text: string, delimiter: string, size: number) {
  const rows: (readonly string[])[] = []
  try {
    for await (const { columns } of readNames(chunksOf(Buffer.from(text), size), delimiter))
      rows.push(columns)
    return rows
  } catch (error) {
    if (error instanceof UnreadableTableError) return null
    throw error
  }
}

function parseStrictly(text: string, delimiter: string): unknown {
  try {
    return parse(text, { delimiter, record_delimiter: ["\r\n", "\n"], relax_column_count: true })
  } catch (error) {
    if (error instanceof CsvError) return null
    throw error
  }
}

test("parses rows like csv-parse, for any chunks, and refuses the same", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 14 }),
      fc.constantFrom(",", ";"),
      fc.integer({ min: 1, max: 9 }),
      async (pieces, delimiter, size) => {
        const text = pieces.join("")
        expect(await read(text, delimiter, size)).toEqual(parseStrictly(text, delimiter))
      },
    ),
    { numRuns: 3_000 },
  ))

describe("a partly buffered row", () => {
  const text = '1,"a ""b""\r\n",c\r\n'

  test.each(Array.from({ length: text.length - 1 }, (_, length) => length + 1))(
    "is neither parsed nor refused with %i bytes",
    (length) => {
      const reader = new CsvRowReader(",", [false, true, false])
      expect(reader.read(Buffer.from(text.slice(0, length)), 0, false, 1)).toBe(false)
    },
  )

  test("is parsed when complete, returning the positions of the selected cells without quotes", () => {
    const reader = new CsvRowReader(",", [false, true, true])
    expect(reader.read(Buffer.from(text), 0, false, 1)).toBe(true)
    const { starts, ends, cells, end } = reader.row
    expect(starts.map((start, index) => text.slice(start, ends[index]))).toEqual(['a ""b""\r\n', "c"])
    expect([cells, end]).toEqual([3, text.length])
  })
})
