import { createMemoryTable } from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import { readDecisions } from "../records/decision-record-table.ts"
import { contextOf } from "../testing/rules.ts"
import { createDecisionLog } from "./decision-log.ts"

const NOON_MS = Date.UTC(2026, 2, 2, 12)
const MINUTE_MS = 60_000

function setUp(table = createMemoryTable()) {
  const clock = { ms: NOON_MS, monotonicMs: 0 }
  const failures: unknown[] = []
  const log = createDecisionLog({
    table,
    now: () => clock.monotonicMs,
    wallClock: () => clock.ms,
    onFailure: (error) => failures.push(error),
  })
  const pass = (ms: number) => {
    clock.ms += ms
    clock.monotonicMs += ms
  }
  const read = (sinceMs = 0, max = 10_000) => readDecisions(table, "app_1", sinceMs, max)
  return { clock, pass, log, table, failures, read }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe("recorded decisions", () => {
  test("are combined when they are equal within a minute, and only then", async () => {
    const { log, pass, read } = setUp()
    for (let times = 0; times < 5; times++) log.note("app_1", "pci", contextOf(), "permit")
    log.note("app_1", "pci", contextOf(), "deny")
    log.note("app_1", "pii", contextOf(), "permit")
    log.note("app_1", "pci", contextOf({ ip: null }), "permit")
    pass(MINUTE_MS)
    log.note("app_1", "pci", contextOf(), "permit")
    await log.flush()
    const { records, truncated } = await read()
    expect(truncated).toBe(false)
    expect(
      records.map(({ role, decision, count, minuteMs }) => [role, decision, count, minuteMs - NOON_MS]),
    ).toEqual([
      ["pci", "permit", 5, 0],
      ["pci", "deny", 1, 0],
      ["pii", "permit", 1, 0],
      ["pci", "permit", 1, 0],
      ["pci", "permit", 1, MINUTE_MS],
    ])
    expect(records[0]?.context).toEqual(contextOf())
  })

  test("are written by the first request 10 seconds later, always to the same item", async () => {
    const { log, pass, table, read } = setUp()
    for (let second = 0; second < 10; second++) {
      log.note("app_1", "pci", contextOf(), "permit")
      pass(1_000)
    }
    expect(table.calls).toEqual([])
    log.note("app_1", "pci", contextOf(), "permit")
    await settle()
    expect(table.calls).toEqual(["put"])
    pass(10_000)
    log.note("app_1", "pci", contextOf(), "permit")
    await settle()
    expect(table.calls).toEqual(["put", "put"])
    expect(table.items.size).toBe(1)
    expect((await read()).records).toMatchObject([{ count: 12 }])
  })

  test("are kept and written the next time when a write fails", async () => {
    const table = createMemoryTable()
    const outage = new Error("throttled")
    let fails = true
    const { log, pass, failures, read } = setUp({
      ...table,
      put: (...call) => (fails ? Promise.reject(outage) : table.put(...call)),
    })
    log.note("app_1", "pci", contextOf(), "permit")
    pass(10_000)
    log.note("app_1", "pci", contextOf(), "permit")
    await settle()
    expect(failures).toEqual([outage])
    fails = false
    await log.flush()
    expect((await read()).records).toMatchObject([{ count: 2 }])
  })

  test("of many contexts are bounded, and dropped ones are reported", async () => {
    const { log, read, table } = setUp()
    for (let index = 0; index < 2_000; index++) {
      log.note("app_1", "pci", contextOf({ functionName: `f${index}` }), "permit")
    }
    await log.flush()
    const { records, truncated } = await read()
    expect(records.length).toBe(1_000)
    expect(truncated).toBe(true)
    for (const { records: text } of table.items.values()) expect(String(text).length).toBeLessThan(350_000)
  })

  test("of other apps are not found", async () => {
    const { log, table } = setUp()
    log.note("app_2", "pci", contextOf(), "permit")
    await log.flush()
    expect((await readDecisions(table, "app_1", 0, 100)).records).toEqual([])
    expect((await readDecisions(table, "app_2", 0, 100)).records.length).toBe(1)
  })

  test("are found since an instant, newest first, across many items, up to the requested number", async () => {
    const { log, pass, clock, read } = setUp()
    for (let stretch = 0; stretch < 60; stretch++) {
      log.note("app_1", "pci", contextOf(), "permit")
      pass(10 * MINUTE_MS)
      await settle()
    }
    await log.flush()
    const since = clock.ms - 100 * MINUTE_MS
    const { records, truncated } = await read(since)
    expect(records.map(({ minuteMs }) => (clock.ms - minuteMs) / MINUTE_MS)).toEqual([
      10, 20, 30, 40, 50, 60, 70, 80, 90, 100,
    ])
    expect(truncated).toBe(false)
    expect(await read(since, 3)).toMatchObject({ records: { length: 3 }, truncated: true })
    expect((await read()).records.length).toBe(60)
  })

  test("expire after seven days", async () => {
    const { log, table } = setUp()
    log.note("app_1", "pci", contextOf(), "permit")
    await log.flush()
    const [item] = table.items.values()
    expect(item?.expiresAt).toBe(Date.UTC(2026, 2, 9, 12) / 1000)
  })

  test("of two processes are kept apart, and a clock that goes back overwrites nothing", async () => {
    const first = setUp()
    const second = setUp(first.table)
    first.log.note("app_1", "pci", contextOf(), "permit")
    second.log.note("app_1", "pci", contextOf(), "permit")
    first.pass(20 * MINUTE_MS)
    first.log.note("app_1", "pci", contextOf(), "permit")
    await first.log.flush()
    first.clock.ms -= 20 * MINUTE_MS
    first.log.note("app_1", "pci", contextOf(), "permit")
    await Promise.all([first.log.flush(), second.log.flush()])
    const { records } = await first.read()
    expect(records.reduce((total, { count }) => total + count, 0)).toBe(4)
  })
})
