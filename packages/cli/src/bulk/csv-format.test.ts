import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { bytesOf, utf8Of } from "./byte-string.ts"
import { createCsvFormat, readCsvHeader } from "./csv-format.ts"
import { MAX_ROW_BYTES, type TableRow, UnreadableTableError } from "./table-row.ts"

/** The bytes of a text in chunks of a size. */
async function* chunksOf(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function readTable(text: string, wanted: readonly string[], size = 7, delimiter = ",") {
  const header = await readCsvHeader(chunksOf(text, size), delimiter)
  if (header === null) throw new Error("There is no header")
  const format = createCsvFormat(header, wanted, delimiter)
  const rows: TableRow[] = []
  const body = bytesOf(utf8Of(text)).subarray(header.bytes.length).toString()
  for await (const some of format.readRows(chunksOf(body, size), 0)) rows.push(...some)
  return { header, format, rows }
}

const same = (row: TableRow) => row.values.map(({ literal }) => literal)
const textOf = (bytes: string) => bytesOf(bytes).toString()

const cell = fc.string({
  unit: fc.constantFrom("a", "é", "😀", '"', ",", ";", "\n", "\r\n", "\t", "\0", "\\", " "),
})
const spell = (text: string, quotes: boolean, delimiter: string) =>
  quotes || /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text

test("all bytes come back when values do, whatever the quotes, line ends and chunks", () =>
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
        const { header, format, rows } = await readTable(cut, ["b", "c"], size, delimiter)
        expect(rows.map(({ number }) => number)).toEqual(table.map((_, index) => index + 1))
        expect(textOf(header.bytes + rows.map((row) => format.render(row, same(row))).join(""))).toBe(cut)
        const values = rows.flatMap(({ values: own }) =>
          own.map(({ literal }) => JSON.parse(textOf(literal))),
        )
        const wanted = table.flatMap(([cells]) => cells.slice(1).map(([text]) => text))
        expect(values).toEqual(wanted.filter((text) => text !== ""))
      },
    ),
  ))

describe("a value that takes the place of another", () => {
  const changed = async (row: string, literal: string) => {
    const { format, rows } = await readTable(`id,card\n${row}`, ["card"])
    const [first] = rows
    return first === undefined ? null : textOf(format.render(first, [utf8Of(literal)]))
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
  ])("in %j is spelled as CSV: %s becomes %j", async (row, literal, expected) => {
    expect(await changed(row, literal)).toBe(expected)
  })
})

describe("a row", () => {
  const problemsOf = async (body: string) => {
    const { rows } = await readTable(`id,card\n${body}`, ["card"])
    return rows.map(({ number, problem }) => [number, problem?.code ?? null])
  }

  test("with another number of cells fails alone", async () => {
    expect(await problemsOf("1,a\n2\n3,b,c\n4,d\n")).toEqual([
      [1, null],
      [2, "malformed-row"],
      [3, "malformed-row"],
      [4, null],
    ])
  })

  test("that is blank stays as it is", async () => {
    const { format, rows } = await readTable("id,card\n\n1,a\n\n", ["card"])
    expect(rows.map(({ problem, values }) => [problem, values.length])).toEqual([
      [null, 0],
      [null, 1],
      [null, 0],
    ])
    expect(rows.map((row) => format.render(row, same(row))).join("")).toBe("\n1,a\n\n")
  })

  test("whose value is not UTF-8 fails; other cells may be anything", async () => {
    const header = { columns: ["id", "card"], bytes: "id,card\n" }
    const format = createCsvFormat(header, ["card"], ",")
    async function* bytes() {
      yield Buffer.from("\xff,ok\nok,\xff\n", "latin1")
    }
    const rows: TableRow[] = []
    for await (const some of format.readRows(bytes(), 0)) rows.push(...some)
    expect(rows.map(({ problem }) => problem)).toMatchObject([null, { code: "not-utf-8", name: "card" }])
    expect(rows[0] && format.render(rows[0], ['"x"'])).toBe("\xff,x\n")
  })

  test("of a column that stands twice gives both values", async () => {
    const { rows } = await readTable("card,id,card\na,1,b\n", ["card"])
    expect(rows[0]?.values.map(({ literal }) => literal)).toEqual(['"a"', '"b"'])
  })
})

describe("what cannot be read", () => {
  test.each([
    ["a quote that is never closed", '1,a\n2,"b\n3,c\n', 2],
    ["a quote inside a cell", '1,a\n2,b"c\n', 2],
    ["text behind a quote", '1,a\n2,"b"c\n', 2],
  ])("for %s ends behind the rows before it, and repeats nothing of them", async (_, body, rowNumber) => {
    const format = createCsvFormat({ columns: ["id", "card"], bytes: "" }, ["card"], ",")
    const rows: TableRow[] = []
    const reading = (async () => {
      for await (const some of format.readRows(chunksOf(body), 0)) rows.push(...some)
    })()
    const error = await reading.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UnreadableTableError)
    expect(error).toMatchObject({ rowNumber })
    expect(String(error)).not.toMatch(/b"?c/)
    expect(rows.map(({ number }) => number)).toEqual([1])
  })

  test("for its size is refused, and what is just small enough is not", async () => {
    const read = async (bytes: number) => {
      const { rows } = await readTable(`id,card\n${"x".repeat(bytes - 2)},\n`, ["card"], 1024 * 1024)
      return rows.length
    }
    expect(await read(MAX_ROW_BYTES)).toBe(1)
    await expect(read(MAX_ROW_BYTES + 1)).rejects.toBeInstanceOf(UnreadableTableError)
  })
})

test("there is no header in an empty input, and one without a line break is one", async () => {
  expect(await readCsvHeader(chunksOf(""), ",")).toBeNull()
  expect(await readCsvHeader(chunksOf('a,"b,c"'), ",")).toEqual({ columns: ["a", "b,c"], bytes: 'a,"b,c"' })
})
