import { expect, test } from "vitest"
import type { ChangedRows } from "./change-rows.ts"
import { CSV_FAILURES, NDJSON_FAILURES } from "./failure-lines.ts"
import { parseJournal, startOfTable, writeJournal } from "./journal.ts"
import { countRows, formatDuration, progressLine } from "./progress-line.ts"
import { TableTally } from "./table-tally.ts"

const good = (output: string): ChangedRows => ({
  count: 1,
  sizeBytes: 10,
  failed: null,
  output: Buffer.from(output),
})
const bad = (number: number): ChangedRows => ({
  count: 1,
  sizeBytes: 10,
  output: Buffer.alloc(0),
  failed: { number, code: "invalid-request", reason: "Why, oh why", name: "=card" },
})

test("rows and failures are counted when they are written", () => {
  const tally = new TableTally(startOfTable(2), CSV_FAILURES)
  tally.addPreamble(7)
  const { rows, failures } = tally.add({ parts: [good("abc"), bad(2), good("de")], found: [true, false] })
  expect(rows.toString()).toBe("abcde")
  expect(failures).toBe('row,column,code,reason\n2,\'=card,invalid-request,"Why, oh why"\n')
  expect(tally.progress).toEqual({
    rows: 3,
    failedRows: 1,
    position: 37,
    outputBytes: 12,
    failureBytes: failures.length,
    found: [true, false],
  })
  expect(tally.add({ parts: [bad(4)], found: [false, true] }).failures).toMatch(/^4,/)
  expect(tally.progress.found).toEqual([true, true])
})

test("progress before consecutive failures is kept, across several batches", () => {
  const tally = new TableTally(startOfTable(1), NDJSON_FAILURES)
  tally.add({ parts: [bad(1), good("abc"), bad(3)], found: [true] })
  tally.add({ parts: [bad(4), bad(5)], found: [true] })
  expect(tally.failuresInARow).toBe(3)
  expect(tally.beforeFailures).toMatchObject({ rows: 2, failedRows: 1, position: 20, outputBytes: 3 })
  const line = '{"row":1,"field":"=card","code":"invalid-request","reason":"Why, oh why"}\n'
  expect(tally.beforeFailures.failureBytes).toBe(line.length)
  tally.add({ parts: [good("d")], found: [true] })
  expect(tally.failuresInARow).toBe(0)
})

test("a journal is read as written, and nothing else is accepted as one", () => {
  const journal = { pid: 7, command: "c", input: "file 1 2", progress: startOfTable(1) }
  const text = writeJournal(journal)
  expect(parseJournal(text)).toEqual({ format: "sealway-table-1", ...journal })
  expect(parseJournal(text.slice(0, -3))).toBeNull()
  expect(parseJournal(text.replace("table-1", "table-2"))).toBeNull()
  expect(parseJournal(text.replace('"position":0', '"position":-1'))).toBeNull()
  expect(parseJournal("")).toBeNull()
})

test("progress is formatted in words", () => {
  const report = { rows: 120_000, failedRows: 2, rowsOfRun: 60_000, bytesOfRun: 100, elapsedMs: 1_000 }
  expect(progressLine({ ...report, bytesLeft: 7_150 })).toBe(
    "120,000 rows, 2 failed, 60,000 rows/s, 1 min 12 s left",
  )
  expect(progressLine({ ...report, failedRows: 0, bytesLeft: null })).toBe("120,000 rows, 60,000 rows/s")
  expect(progressLine({ ...report, rowsOfRun: 0, bytesOfRun: 0, elapsedMs: 0, bytesLeft: 9 })).toBe(
    "120,000 rows, 2 failed",
  )
  expect([0, 999, 59_000, 60_000, 3_600_000, 7_261_000].map(formatDuration)).toEqual([
    ...["0 s", "1 s", "59 s", "1 min 0 s", "1 h 0 min", "2 h 1 min"],
  ])
  expect([0, 1, 2].map(countRows)).toEqual(["0 rows", "1 row", "2 rows"])
})
