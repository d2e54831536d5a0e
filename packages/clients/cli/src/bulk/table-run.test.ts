import { expect, test } from "vitest"
import { createOutput } from "../terminal/output.ts"
import { chunksOf } from "../testing/read-table.ts"
import { createTestHost } from "../testing/test-host.ts"
import { createCsvFormat } from "./csv-format.ts"
import { CSV_FAILURES } from "./failure-lines.ts"
import { type Progress, startOfTable } from "./journal.ts"
import type { ChangeValues } from "./table-command.ts"
import type { TableInput } from "./table-input.ts"
import { TableRun } from "./table-run.ts"
import type { TableSink } from "./table-sink.ts"

const BODY = Array.from({ length: 20 }, (_, row) => `${row}\n`).join("")

/**
 * Starts a run of twenty rows, one per request, with a clock that advances a second on each look; returns its effects
 * on the sink.
 */
function startRun(checkpoint: (count: number) => Promise<void>) {
  const done: string[] = []
  const kept: Progress[] = []
  const sink: TableSink = {
    start: startOfTable(1),
    expectedInput: null,
    write: async (rows) => void done.push(rows.toString()),
    async checkpoint(progress) {
      kept.push(progress)
      await checkpoint(kept.length)
      done.push("checkpoint")
    },
    finish: async () => void done.push("finish"),
    close: async () => void done.push("close"),
  }
  const input: TableInput = {
    sizeBytes: BODY.length,
    peek: () => chunksOf(Buffer.from(BODY), 100),
    chunks: () => chunksOf(Buffer.from(BODY), 100),
    identityAt: () => "input",
  }
  let nowMs = 0
  const host = createTestHost({
    folder: "/",
    wallClock() {
      nowMs += 1_000
      return nowMs
    },
  })
  const format = createCsvFormat({ columns: ["card"], bytes: "card\n" }, ["card"], ",")
  const parts = { input, format, sink, change, failureLines: CSV_FAILURES }
  const options = { concurrency: 2, maxRows: 1, keepsGoing: false }
  const run = new TableRun(host, createOutput(host, "quiet"), parts, options)
  return { done, kept, ended: run.toEnd() }
}

/** Changes nothing. */
const change: ChangeValues = async (values) => ({ values, failures: new Map() })

test("rows are still written while a checkpoint waits for the disk, and the end waits for it", async () => {
  const { promise: disk, resolve } = Promise.withResolvers<void>()
  // The first is that of the start.
  const { done, kept, ended } = startRun((count) => (count === 2 ? disk : Promise.resolve()))
  await expect.poll(() => done.filter((each) => each !== "checkpoint").join("")).toBe(`card\n${BODY}`)
  expect(done.filter((each) => each === "checkpoint")).toHaveLength(1)
  expect(kept).toMatchObject([{ rows: 0 }, { rows: 1, outputBytes: "card\n0\n".length }])
  resolve()
  await ended
  expect(done.slice(-3)).toEqual(["checkpoint", "finish", "close"])
})

test("each checkpoint covers more rows, one after another", async () => {
  const { kept, ended } = startRun(() => Promise.resolve())
  await ended
  const rows = kept.map((progress) => progress.rows)
  expect(rows.length).toBeGreaterThan(5)
  expect(rows).toEqual([...new Set(rows)].sort((one, other) => one - other))
})

test("a failed checkpoint ends the run, which tries a last one for what is written", async () => {
  const full = new Error("The disk is full")
  const { done, kept, ended } = startRun((count) => (count === 3 ? Promise.reject(full) : Promise.resolve()))
  await expect(ended).rejects.toBe(full)
  expect(done).not.toContain("finish")
  expect(done.slice(-2)).toEqual(["checkpoint", "close"])
  const written = done.filter((each) => each.endsWith("\n")).join("")
  expect(kept.at(-1)?.outputBytes).toBe(written.length)
})

test("a failed checkpoint at the very end is reported", async () => {
  const { promise: disk, reject } = Promise.withResolvers<void>()
  const { done, ended } = startRun((count) => (count === 2 ? disk : Promise.resolve()))
  await expect.poll(() => done.filter((each) => each !== "checkpoint").join("")).toBe(`card\n${BODY}`)
  const full = new Error("The disk is full")
  reject(full)
  await expect(ended).rejects.toBe(full)
  expect(done).not.toContain("finish")
})
