import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { chunksOf, readBatches, renderSame, rowsOf } from "../testing/read-table.ts"
import { utf8Of } from "./byte-string.ts"
import { createNdjsonFormat } from "./ndjson-format.ts"
import { MAX_ROW_BYTES, MAX_ROW_VALUES } from "./table-row.ts"
import { valuesOf } from "./values-document.ts"

async function readRows(text: string | Buffer, fields: readonly string[], size = 5) {
  const format = createNdjsonFormat(fields)
  const batches = await readBatches(format, chunksOf(Buffer.from(text), size))
  return { format, batches, rows: rowsOf(batches) }
}

test("all bytes are restored with their values, for any white space, line ends and chunks", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.json(), fc.constantFrom("\n", "\r\n", " \n", "\n\n"))),
      fc.integer({ min: 1, max: 30 }),
      async (lines, size) => {
        const text = lines.map(([json, end]) => json + end).join("")
        const { format, batches, rows } = await readRows(text, ["$..a", "$"], size)
        expect(rows.every(({ problem }) => problem === null)).toBe(true)
        expect(renderSame(format, batches).toString()).toBe(text)
        expect(rows.reduce((total, { sizeBytes }) => total + sizeBytes, 0)).toBe(Buffer.byteLength(text))
      },
    ),
  ))

test("keeps the digits of numbers, and the spelling of everything unselected", async () => {
  const line = '{ "n":1e400 ,"i": 12345678901234567890, "a": {"b":[1.10,null,true,"\\u00e9"]}, "n":-0 }\n'
  const { format, batches, rows } = await readRows(line, ["$.n", "$.a"])
  expect(rows[0]?.literals).toEqual(["1e400", "1.10", "true", '"\\u00e9"', "-0"])
  const values = valuesOf(["1", "2", "3", utf8Of('"é"'), "5"])
  const [batch] = batches
  expect(batch && format.render(batch, 0, 1, values).toString()).toBe(
    '{ "n":1 ,"i": 12345678901234567890, "a": {"b":[2,null,3,"é"]}, "n":5 }\n',
  )
})

test("assigns a value to every selector that selects it", async () => {
  const { rows } = await readRows('{"a":{"b":1}}', ["$.a", "$..b", "$.c"])
  expect(rows[0]).toMatchObject({ literals: ["1"], nameIndexes: [[0, 1]] })
})

describe("an NDJSON line", () => {
  test("fails alone when it cannot be read, and stays when it is blank", async () => {
    const bad = Buffer.from('{"a":1}\n{"a":\n\n{"a":"\xff"}\n{"a":1} {"a":2}\n[]', "latin1")
    const { rows } = await readRows(bad, ["$.a"])
    expect(rows.map(({ number, problem }) => [number, problem?.code ?? null])).toEqual([
      [1, null],
      [2, "invalid-json"],
      [3, null],
      [4, "not-utf-8"],
      [5, "invalid-json"],
      [6, null],
    ])
  })

  test("is skipped when it is too large, and read when just small enough", async () => {
    const fits = `"${"x".repeat(MAX_ROW_BYTES - 3)}"\n`
    const { rows } = await readRows(`${fits}"${fits}1\n`, ["$"], 1024 * 1024)
    expect(rows.map(({ problem, sizeBytes }) => [problem?.code ?? null, sizeBytes])).toEqual([
      [null, MAX_ROW_BYTES],
      ["row-too-large", MAX_ROW_BYTES + 1],
      [null, 2],
    ])
  })

  test.each([
    [MAX_ROW_VALUES, null],
    [MAX_ROW_VALUES + 1, "row-too-large"],
  ])("has at most the allowed number of selected values: %i", async (count, code) => {
    const { rows } = await readRows(`[${"1,".repeat(count - 1)}1]`, ["$"], 1024 * 1024)
    expect(rows[0]?.problem?.code ?? null).toBe(code)
  })
})
