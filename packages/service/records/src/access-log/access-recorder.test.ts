import { promisify } from "node:util"
import { deflateRaw } from "node:zlib"
import { createMemoryTable } from "@sealway/ports/testing"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { readAccessLog } from "./access-block-table.ts"
import { createAccessRecorder } from "./access-recorder.ts"
import { PLACE, recordAt } from "./testing/records.ts"

const START_MS = 1_700_000_000_000

function setUp({
  maxKept,
  beforeWrite,
}: {
  readonly maxKept?: number
  readonly beforeWrite?: () => void
} = {}) {
  const state = { isDown: false }
  const logged: string[] = []
  const table = createMemoryTable({
    beforeCall: () => {
      beforeWrite?.()
      if (state.isDown) throw new Error("The table cannot be written")
    },
  })
  const recorder = createAccessRecorder({
    table,
    log: {
      warn: (message) => void logged.push(`warn: ${message}`),
      error: (message) => void logged.push(`error: ${message}`),
    },
    ...(maxKept !== undefined && { maxKept }),
  })
  const note = (count: number) => {
    const records = Array.from({ length: count }, (_, index) => recordAt(START_MS + index))
    for (const record of records) recorder.record(record)
    return records.map(({ id }) => id).sort()
  }
  const stored = async () => {
    const found = await Array.fromAsync(readAccessLog(table, PLACE, { before: null, notBefore: null }))
    return found.map(({ id }) => id).reverse()
  }
  const writes = () => table.calls.filter((call) => call === "create").length
  return { state, logged, recorder, note, stored, writes }
}

/** The writer compresses on other threads, one item after the other. */
const compressed = promisify(deflateRaw)

/** Advances the clock by a second and waits for the work that this starts. */
async function passSecond() {
  await vi.advanceTimersByTimeAsync(1_000)
  for (let turn = 0; turn < 20; turn++) await compressed("")
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

describe("the access recorder", () => {
  test("writes records together, as one item, within a second of the first", async () => {
    const { note, stored, writes } = setUp()
    const ids = note(50)
    await vi.advanceTimersByTimeAsync(999)
    expect(writes()).toBe(0)
    await passSecond()
    expect(writes()).toBe(1)
    expect(await stored()).toEqual(ids)
  })

  test("leaves records that arrive during a write to the next one, instead of writing each alone", async () => {
    let arriving = 5
    const { note, stored, writes } = setUp({
      beforeWrite: () => {
        if (arriving-- > 0) note(1)
      },
    })
    note(10)
    await passSecond()
    expect(writes()).toBe(1)
    arriving = 0
    await passSecond()
    expect(writes()).toBe(2)
    expect((await stored()).length).toBe(11)
  })

  test("writes immediately when there are many records", async () => {
    const { note, recorder, stored } = setUp()
    const ids = note(2_500)
    await recorder.flush()
    expect(await stored()).toEqual(ids)
  })

  test("does not wait for the second once there are 2,000 records, and does with fewer", async () => {
    for (const [count, isWritten] of [
      [1_999, false],
      [2_000, true],
    ] as const) {
      const { note, stored } = setUp()
      const ids = note(count)
      for (let turn = 0; turn < 50; turn++) await compressed("")
      expect(await stored()).toEqual(isWritten ? ids : [])
    }
  })

  test("tries only the oldest records again while the table cannot be written, with one warning a second", async () => {
    const { state, logged, note, stored, writes } = setUp()
    state.isDown = true
    const ids = note(5)
    await passSecond()
    const more = note(5)
    for (const second of [1, 2, 3]) {
      expect([logged.length, writes()]).toEqual([second, second])
      await passSecond()
    }
    state.isDown = false
    await passSecond()
    expect(await stored()).toEqual([...ids, ...more].sort())
    await passSecond()
    // Nothing is left to try.
    expect([logged.length, writes()]).toEqual([4, 6])
  })

  test("writes nothing and logs nothing on flush when there are no records", async () => {
    const { recorder, logged, writes } = setUp()
    await recorder.flush()
    await passSecond()
    expect([logged, writes()]).toEqual([[], 0])
  })

  test("writes everything on flush, including records that arrive during the write", async () => {
    const { note, recorder, stored } = setUp()
    const first = note(3)
    const flushed = recorder.flush()
    const later = note(3)
    await flushed
    await recorder.flush()
    expect(await stored()).toEqual([...first, ...later].sort())
  })

  test("keeps records while the table cannot be written, and writes them once it can be", async () => {
    const { state, logged, note, stored, writes } = setUp()
    state.isDown = true
    const ids = note(5)
    await passSecond()
    expect(logged).toEqual(["warn: access records could not be written yet"])
    state.isDown = false
    const more = note(5)
    await passSecond()
    await passSecond()
    expect(await stored()).toEqual([...ids, ...more].sort())
    expect(writes()).toBe(3)
  })

  test("counts records as lost, and keeps the rest, when too many are waiting", async () => {
    const { state, logged, recorder, note, stored } = setUp({ maxKept: 10 })
    state.isDown = true
    note(25)
    await passSecond()
    expect(logged).toContain("error: 15 access records were lost: writing failed, and too many were queued")
    state.isDown = false
    await recorder.flush()
    expect((await stored()).length).toBe(10)
    const ids = note(10)
    await recorder.flush()
    expect((await stored()).filter((id) => ids.includes(id))).toEqual(ids)
  })

  test("reports how many records the last flush could not write, and nothing else about them", async () => {
    const { state, logged, recorder, note } = setUp()
    state.isDown = true
    note(7)
    await recorder.flush()
    expect(logged.at(-1)).toBe("error: 7 access records were not written")
  })
})
