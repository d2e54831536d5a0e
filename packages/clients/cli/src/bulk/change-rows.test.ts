import fc from "fast-check"
import { expect, test } from "vitest"
import { chunksOf, readBatches } from "../testing/read-table.ts"
import { changeRows } from "./change-rows.ts"
import { createCsvFormat } from "./csv-format.ts"
import { createNdjsonFormat } from "./ndjson-format.ts"
import type { TableFormat } from "./table-row.ts"
import { literalsOf, valuesOf } from "./values-document.ts"

const FAILURE = { code: "invalid-request", reason: "Why", name: null }

interface GivenRow {
  readonly cells: readonly string[]
  readonly ending: string
}

/** Changes `x` to `<x>`, and fails on `bad`. */
async function change(format: TableFormat, text: string, maxRows: number, size: number) {
  const limits = { maxRows, maxValues: 1_000, maxValueBytes: 100_000, maxRowBytes: 100_000 }
  let output = ""
  let sizeBytes = 0
  const failed: (readonly [number, string | null])[] = []
  for (const rows of await readBatches(format, chunksOf(Buffer.from(text), size), limits)) {
    const { parts } = await changeRows(rows, format, async (values) => {
      const given = literalsOf(values).map((literal) => String(JSON.parse(literal)))
      const failures = new Map(
        [...given.entries()].filter(([, value]) => value === "bad").map(([at]) => [at, FAILURE]),
      )
      return { values: valuesOf(given.map((value) => JSON.stringify(`<${value}>`))), failures }
    })
    expect(parts.reduce((count, part) => count + part.count, 0)).toBe(rows.ends.length)
    for (const part of parts) {
      output += part.output
      sizeBytes += part.sizeBytes
      if (part.failed !== null) failed.push([part.failed.number, part.failed.name])
    }
  }
  expect(sizeBytes).toBe(Buffer.byteLength(text))
  return { output, failed }
}

/** Some thousand rows, across several blocks of the input. */
const table = fc
  .array(
    fc.record({
      cells: fc.array(fc.constantFrom("", "a", "bad", "bb", "c".repeat(300), "d".repeat(20)), {
        minLength: 2,
        maxLength: 2,
      }),
      ending: fc.constantFrom("\n", "\r\n"),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((rows): readonly GivenRow[] => Array.from({ length: 40 }, () => rows).flat())
const maxRows = fc.integer({ min: 1, max: 300 })
const size = fc.integer({ min: 1_000, max: 200_000 })

function failuresOf(rows: readonly GivenRow[], names: readonly string[]) {
  return rows.flatMap(({ cells }, index) => {
    const bad = cells.indexOf("bad")
    return bad === -1 ? [] : [[index + 1, names[bad]] as const]
  })
}

test("CSV rows are changed in order, and failed ones left out, for any blocks and batches", () =>
  fc.assert(
    fc.asyncProperty(table, maxRows, size, async (rows, most, chunk) => {
      const format = createCsvFormat({ columns: ["n", "a", "b"], bytes: "" }, ["a", "b"], ",")
      const text = rows.map(({ cells: [a, b], ending }, n) => `${n},${a},"${b}"${ending}`).join("")
      const changed = (cell: string | undefined) => (cell === "" ? "" : `<${cell}>`)
      const { output, failed } = await change(format, text, most, chunk)
      expect(failed).toEqual(failuresOf(rows, ["a", "b"]))
      const good = rows
        .map(({ cells, ending }, n) => ({ cells, ending, n }))
        .filter((row) => !row.cells.includes("bad"))
      expect(output).toBe(
        good.map(({ cells: [a, b], ending, n }) => `${n},${changed(a)},"${changed(b)}"${ending}`).join(""),
      )
    }),
    { numRuns: 30 },
  ))

test("NDJSON lines are changed in order, and failed ones left out, for any blocks and batches", () =>
  fc.assert(
    fc.asyncProperty(table, maxRows, size, fc.boolean(), async (rows, most, chunk, isPlain) => {
      const selectors = ["$.a", isPlain ? "$.b.b" : "$.b.*"]
      const line = (a: string | undefined, b: string | undefined, n: number, ending: string) =>
        `{"n":${n}, "a":"${a}","b":{"b" :"${b}"}}${ending}`
      const text = rows.map(({ cells: [a, b], ending }, n) => line(a, b, n, ending)).join("")
      const { output, failed } = await change(createNdjsonFormat(selectors), text, most, chunk)
      expect(failed).toEqual(failuresOf(rows, selectors))
      const good = rows
        .map(({ cells, ending }, n) => ({ cells, ending, n }))
        .filter((row) => !row.cells.includes("bad"))
      expect(output).toBe(
        good.map(({ cells: [a, b], ending, n }) => line(`<${a}>`, `<${b}>`, n, ending)).join(""),
      )
    }),
    { numRuns: 30 },
  ))
