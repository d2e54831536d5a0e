import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  chunksOf as chunksOfBytes,
  type ReadRow,
  readBatches,
  renderSame,
  rowsOf,
  WIDE_LIMITS,
} from "../testing/read-table.ts"
import { bytesOf, utf8Of } from "./byte-string.ts"
import { createCsvFormat, readCsvHeader } from "./csv-format.ts"
import { MAX_ROW_BYTES, UnreadableTableError } from "./table-row.ts"
import { valuesOf } from "./values-document.ts"

const chunksOf = (text: string, size = 7) => chunksOfBytes(Buffer.from(text), size)

async function readTable(text: string, wanted: readonly string[], size = 7, delimiter = ",") {
  const header = await readCsvHeader(chunksOf(text, size), delimiter)
  if (header === null) throw new Error("There is no header")
  const format = createCsvFormat(header, wanted, delimiter)
  const body = Buffer.from(text).subarray(header.bytes.length)
  const batches = await readBatches(format, chunksOfBytes(body, size))
  return { header, format, batches, rows: rowsOf(batches) }
}

const textOf = (bytes: string) => bytesOf(bytes).toString()

const cell = fc.string({
  unit: fc.constantFrom("a", "é", "😀", '"', ",", ";", "\n", "\r\n", "\t", "\0", "\\", " "),
})
const spell = (text: string, quotes: boolean, delimiter: string) =>
  quotes || /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text

test("all bytes are restored with their values, for any quotes, line ends and chunks", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(fc.array(fc.tuple(cell, fc.boolean()), { minLength: 3, maxLength: 3 }), fc.boolean()),
      ),
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom(",", ";"),
      fc.boolean(),
      async (table, size, delimiter, endsWithLine) => {
        const lines = table.map(([cells, hasReturn]) => {
          const spelled = cells.map(([text, quotes]) => spell(text, quotes, delimiter))
          return spelled.join(delimiter) + (hasReturn ? "\r\n" : "\n")
        })
        const whole = `a${delimiter}"b"${delimiter}c\r\n${lines.join("")}`
        const last = lines.at(-1) ?? ""
        const cut = endsWithLine || last === "" ? whole : whole.replace(/\r?\n$/, "")
        const { header, format, batches, rows } = await readTable(cut, ["b", "c"], size, delimiter)
        expect(rows.map(({ number }) => number)).toEqual(table.map((_, index) => index + 1))
        expect(textOf(header.bytes) + renderSame(format, batches)).toBe(cut)
        const values = rows.flatMap(({ literals }) => literals.map((literal) => JSON.parse(textOf(literal))))
        const wanted = table.flatMap(([cells]) => cells.slice(1).map(([text]) => text))
        expect(values).toEqual(wanted.filter((text) => text !== ""))
      },
    ),
  ))

describe("a replaced CSV value", () => {
  const changed = async (row: string, literal: string) => {
    const { format, batches } = await readTable(`id,card\n${row}`, ["card"])
    const [rows] = batches
    return rows === undefined ? null : format.render(rows, 0, 1, valuesOf([utf8Of(literal)])).toString()
  }

  test.each([
    ["1,x\n", '"ev:token"', "1,ev:token\n"],
    ['1,"x"\r\n', '"ev:token"', '1,"ev:token"\r\n'],
    ["1,x", '"a,b"', '1,"a,b"'],
    ["1,x", '"a\\"b\\nc"', '1,"a""b\nc"'],
    ["1,x", '"\\u00e9é😀"', "1,éé😀"],
    ["1,x", "1.10", "1,1.10"],
    ["1,x", "12345678901234567890", "1,12345678901234567890"],
    ["1,x", "true", "1,true"],
    ["1,x", '""', "1,"],
  ])("in %j is written as CSV: %s becomes %j", async (row, literal, expected) => {
    expect(await changed(row, literal)).toBe(expected)
  })
})

describe("a CSV row", () => {
  const problemsOf = async (body: string) => {
    const { rows } = await readTable(`id,card\n${body}`, ["card"])
    return rows.map(({ number, problem }) => [number, problem?.code ?? null])
  }

  test("fails alone when it has a different number of cells", async () => {
    expect(await problemsOf("1,a\n2\n3,b,c\n4,d\n")).toEqual([
      [1, null],
      [2, "malformed-row"],
      [3, "malformed-row"],
      [4, null],
    ])
  })

  test("stays unchanged when it is blank", async () => {
    const { format, batches, rows } = await readTable("id,card\n\n1,a\n\n", ["card"])
    expect(rows.map(({ problem, literals }) => [problem, literals.length])).toEqual([
      [null, 0],
      [null, 1],
      [null, 0],
    ])
    expect(renderSame(format, batches).toString()).toBe("\n1,a\n\n")
  })

  test("fails when its value is not UTF-8, whereas other cells may be anything", async () => {
    const header = { columns: ["id", "card"], bytes: "id,card\n" }
    const format = createCsvFormat(header, ["card"], ",")
    const batches = await readBatches(format, chunksOfBytes(bytesOf("\xff,ok\nok,\xff\n"), 7))
    const problems = rowsOf(batches).map(({ problem }) => problem)
    expect(problems).toMatchObject([null, { code: "not-utf-8", name: "card" }])
    const [rows] = batches
    expect(rows && format.render(rows, 0, 1, valuesOf(['"x"'])).toString("latin1")).toBe("\xff,x\n")
  })

  test("returns both values of a column that occurs twice", async () => {
    const { rows } = await readTable("card,id,card\na,1,b\n", ["card"])
    expect(rows[0]?.literals).toEqual(['"a"', '"b"'])
  })
})

describe("unreadable CSV", () => {
  test.each([
    ["a quote that is never closed", '1,a\n2,"b\n3,c\n', 2],
    ["a quote inside a cell", '1,a\n2,b"c\n', 2],
    ["text behind a quote", '1,a\n2,"b"c\n', 2],
  ])("for %s ends after the rows before it, and repeats nothing of them", async (_, body, rowNumber) => {
    const format = createCsvFormat({ columns: ["id", "card"], bytes: "" }, ["card"], ",")
    const rows: ReadRow[] = []
    const reading = (async () => {
      for await (const some of format.readRows(chunksOf(body), 0, WIDE_LIMITS)) rows.push(...rowsOf([some]))
    })()
    const error = await reading.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UnreadableTableError)
    expect(error).toMatchObject({ rowNumber })
    expect(String(error)).not.toMatch(/b"?c/)
    expect(rows.map(({ number }) => number)).toEqual([1])
  })

  test("is refused because of its size, and accepted when just small enough", async () => {
    const read = async (bytes: number) => {
      const { rows } = await readTable(`id,card\n${"x".repeat(bytes - 2)},\n`, ["card"], 1024 * 1024)
      return rows.length
    }
    expect(await read(MAX_ROW_BYTES)).toBe(1)
    await expect(read(MAX_ROW_BYTES + 1)).rejects.toBeInstanceOf(UnreadableTableError)
  })
})

test("finds no header in an empty input, and one without a line break", async () => {
  expect(await readCsvHeader(chunksOf(""), ",")).toBeNull()
  expect(await readCsvHeader(chunksOf('a,"b,c"'), ",")).toEqual({ columns: ["a", "b,c"], bytes: 'a,"b,c"' })
})
