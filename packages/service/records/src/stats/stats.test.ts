import { createMemoryTable, exploreHistories, SimulatedService } from "@sealway/ports/testing"
import { describe, expect, test, vi } from "vitest"
import { DIMENSIONS, type Dimension } from "./figures.ts"
import { foldStats } from "./fold-stats.ts"
import { beginOf, INTERVAL_MS, type Interval } from "./intervals.ts"
import { readStats } from "./read-stats.ts"
import { createStats, type StatsOptions } from "./stats.ts"

const APP = "app_1"
const DAY_MS = Date.UTC(2026, 2, 2)
const HOUR_MS = INTERVAL_MS.hour
const MINUTE_MS = INTERVAL_MS.minute

function setUp(nowMs = DAY_MS, table = createMemoryTable()) {
  const clock = { ms: nowMs }
  const warnings: string[] = []
  const log = {
    warn: (text: string) => void warnings.push(text),
    error: (text: string) => void warnings.push(text),
  }
  const times = { now: () => clock.ms, wallClock: () => clock.ms }
  const process = (options: Partial<StatsOptions> = {}) =>
    createStats({ table, log, isFrozenBetweenRequests: true, ...times, ...options })
  const read = async (interval: Interval, fromMs: number, toMs = fromMs + INTERVAL_MS[interval]) =>
    (await readStats(table, APP, interval, { fromMs, toMs }, clock.ms, { dimensions: DIMENSIONS })).figures
  const decrypted = async (interval: Interval, atMs: number) => {
    const startMs = beginOf(interval, atMs)
    return (await read(interval, startMs)).get(startMs)?.total.get("decrypted") ?? 0
  }
  const fold = () => foldStats({ eventsTable: table, log, wallClock: times.wallClock })
  return { clock, table, warnings, process, read, decrypted, fold }
}

describe("figures", () => {
  test("of several processes are added up, by minute, hour and day", async () => {
    const { process, decrypted, clock, fold } = setUp()
    const [one, other] = [process(), process()]
    for (let minute = 0; minute < 180; minute++) {
      clock.ms = DAY_MS + minute * MINUTE_MS + 1
      one.count(APP, { decrypted: 1 })
      other.count(APP, { decrypted: 2 })
      await Promise.all([one.flush(), other.flush()])
    }
    expect(await decrypted("minute", DAY_MS)).toBe(3)
    // Nothing is folded yet: they are made of their parts.
    expect(await decrypted("hour", DAY_MS + 2 * HOUR_MS)).toBe(180)
    expect(await decrypted("day", DAY_MS)).toBe(540)
    expect(await fold()).toBe(2)
    expect(await fold()).toBe(0)
    expect(await decrypted("day", DAY_MS)).toBe(540)
    clock.ms = DAY_MS + 30 * HOUR_MS
    await fold()
    for (const hour of [0, 1, 2]) expect(await decrypted("hour", DAY_MS + hour * HOUR_MS)).toBe(180)
    clock.ms = DAY_MS + 100 * HOUR_MS
    expect(await decrypted("day", DAY_MS)).toBe(540)
  })

  test("count nothing twice when a write took effect and seemed to fail", async () => {
    const { table, process, decrypted, clock } = setUp()
    let fails = true
    const put: typeof table.put = async (key, item) => {
      await table.put(key, item)
      if (fails) throw new Error("The answer was lost")
    }
    const stats = process({ table: { put } })
    stats.count(APP, { decrypted: 5 })
    await stats.flush()
    fails = false
    stats.count(APP, { decrypted: 1 })
    await stats.flush()
    await stats.flush()
    expect(await decrypted("minute", clock.ms)).toBe(6)
  })

  test("are added up once when a process or the sweeper dies, or a write fails", async () => {
    const { histories } = await exploreHistories(async (explored) => {
      const simulated = new SimulatedService({ explored })
      const { process, decrypted, clock, fold } = setUp(DAY_MS, simulated.createTable("events"))
      explored.begin()
      let stats = process()
      for (const count of [1, 10, 100]) {
        stats.count(APP, { decrypted: count })
        const { flush } = stats
        if (!(await simulated.mortal(flush))) stats = process()
      }
      await stats.flush()
      const written = await decrypted("minute", DAY_MS)
      // What a process has counted since its last write is lost when it dies.
      expect([111, 110, 101, 11]).toContain(written)
      clock.ms += 2 * HOUR_MS
      // What it could not add up, the next one does.
      await simulated.mortal(() => fold().catch(() => undefined))
      await fold()
      expect([await decrypted("hour", DAY_MS), await decrypted("day", DAY_MS)]).toEqual([written, written])
      expect(await fold()).toBe(0)
    })
    expect(histories).toBeGreaterThan(20)
  })

  test("are written once in 10 seconds by a process that is frozen, with the request that is due", async () => {
    const { table, process, decrypted, clock } = setUp()
    const stats = process()
    expect(stats.settle()).toBeNull()
    stats.count(APP, { decrypted: 1 })
    await stats.settle()
    const written = table.calls.length
    stats.count(APP, { decrypted: 1 })
    expect(stats.settle()).toBeNull()
    clock.ms += 9_999
    expect(stats.settle()).toBeNull()
    clock.ms += 1
    await stats.settle()
    expect(table.calls.slice(written)).toEqual(["put"])
    expect(await decrypted("minute", clock.ms)).toBe(2)
  })

  test("are written by a timer in a process that keeps running, and make no request wait", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const { table, process } = setUp()
      const stats = process({ isFrozenBetweenRequests: false })
      stats.count(APP, { decrypted: 1 })
      expect(stats.settle()).toBeNull()
      await vi.advanceTimersByTimeAsync(9_999)
      expect(table.calls).toEqual([])
      await vi.advanceTimersByTimeAsync(1)
      await vi.waitFor(() => expect(table.calls).toEqual(["put", "put"]))
    } finally {
      vi.useRealTimers()
    }
  })

  test("that arrive after their hour was folded are added to it by the next fold", async () => {
    const { process, decrypted, clock, fold } = setUp()
    const [frozen, other] = [process(), process()]
    frozen.count(APP, { decrypted: 1 })
    await frozen.settle()
    frozen.count(APP, { decrypted: 10 })
    other.count(APP, { decrypted: 100 })
    await other.flush()
    clock.ms += 5 * HOUR_MS
    expect(await fold()).toBe(1)
    expect(await decrypted("hour", DAY_MS)).toBe(101)
    frozen.count(APP, { decrypted: 1_000 })
    await frozen.settle()
    expect(await fold()).toBe(1)
    expect(await decrypted("hour", DAY_MS)).toBe(111)
    expect(await decrypted("day", DAY_MS)).toBe(1_111)
  })

  test("keep the note of an hour that is noted again while it is folded", async () => {
    const { table, process, clock, fold } = setUp()
    const stats = process()
    stats.count(APP, { decrypted: 1 })
    await stats.flush()
    clock.ms += 2 * HOUR_MS
    const remove: typeof table.remove = async (key, revision) => {
      await table.put(key, { revision: revision + 1 })
      return table.remove(key, revision)
    }
    const log = { error: () => undefined }
    await foldStats({ eventsTable: { ...table, remove }, log, wallClock: () => clock.ms })
    expect(await fold()).toBe(1)
  })

  test("of other apps are folded when those of one cannot be read", async () => {
    const { table, process, decrypted, clock, fold } = setUp()
    const stats = process()
    stats.count(APP, { decrypted: 1 })
    // The latest hour is folded first: this one.
    stats.count("app_2", { decrypted: 1 })
    await stats.flush()
    const damaged = [...table.items.values()].filter(({ pk, sk }) => /app_2#stats.*minute/.test(`${pk}${sk}`))
    for (const { pk, sk } of damaged)
      await table.put({ pk: String(pk), sk: String(sk) }, { figures: new Uint8Array([0]) })
    expect(damaged).toHaveLength(1)
    clock.ms += 5 * HOUR_MS
    await expect(fold()).rejects.toThrow("The figures of 1 hours could not be added up.")
    expect(await decrypted("hour", DAY_MS)).toBe(1)
    // Its note stays.
    await expect(fold()).rejects.toThrow("1 hours")
  })

  test("stay in memory while they cannot be written, the newest of a bounded number", async () => {
    const { table, process, decrypted, clock, warnings } = setUp()
    let fails = true
    const put: typeof table.put = (key, item) =>
      fails ? Promise.reject(new Error("Throttled")) : table.put(key, item)
    const stats = process({ table: { put }, maxMinutes: 3 })
    for (let minute = 0; minute < 5; minute++) {
      clock.ms = DAY_MS + minute * MINUTE_MS
      stats.count(APP, { decrypted: 1 })
      await stats.flush()
    }
    expect(warnings).toContain("could not write figures yet")
    expect(warnings.join()).toContain("figures were lost 1 times")
    fails = false
    await stats.flush()
    const found = [0, 1, 2, 3, 4].map((minute) => decrypted("minute", DAY_MS + minute * MINUTE_MS))
    expect(await Promise.all(found)).toEqual([0, 0, 1, 1, 1])
  })

  test("of the process are told to others once in 10 seconds, those of strangers too, and nothing twice", async () => {
    const { process, clock } = setUp()
    const told: number[] = []
    const stats = process({ tell: (figures) => void told.push(figures.get("requests")) })
    stats.count(APP, { requests: 1 })
    await stats.settle()
    stats.countStranger({ requests: 10 })
    stats.count(APP, { requests: 100 })
    await stats.settle()
    expect(told).toEqual([1])
    clock.ms += 10_000
    stats.countStranger({ requests: 1_000 })
    expect(told).toEqual([1, 1_111])
    // The app's figures are still written.
    expect(stats.settle()).not.toBeNull()
    await stats.flush()
    expect(told).toEqual([1, 1_111])
    stats.countStranger({ requests: 10_000 })
    await stats.flush()
    expect(told).toEqual([1, 1_111, 11_111])
  })

  test("of strangers alone are told by a process that runs between its requests, which writes no row for them", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const { table, process } = setUp()
      const told: number[] = []
      const tell: StatsOptions["tell"] = (figures) => void told.push(figures.get("refusals"))
      process({ tell, isFrozenBetweenRequests: false }).countStranger({ refusals: 1 })
      await vi.advanceTimersByTimeAsync(10_000)
      expect(told).toEqual([1])
      await vi.advanceTimersByTimeAsync(60_000)
      expect(told).toEqual([1])
      expect(table.calls).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  })

  test("of more than 100 keys of a dimension are counted together", async () => {
    const { process, read, clock } = setUp()
    const stats = process()
    for (let role = 0; role < 150; role++) stats.count(APP, { decrypted: 1 }, { role: `role-${role}` })
    stats.countGroup(APP, "role", "role-0", { refusals: 1 })
    await stats.flush()
    const figures = (await read("minute", clock.ms)).get(clock.ms)
    const of = (dimension: Dimension, key: string) => figures?.by(dimension).get(key)
    expect(figures?.by("role").size).toBe(101)
    expect(of("role", "*")?.get("decrypted")).toBe(50)
    expect(of("role", "role-0")?.get("decrypted")).toBe(1)
    expect(of("role", "role-0")?.get("refusals")).toBe(1)
    expect(figures?.total.get("decrypted")).toBe(150)
    expect(figures?.total.get("refusals")).toBe(0)
  })

  test("of groups are read of the wanted dimensions only", async () => {
    const { table, process, clock } = setUp()
    const stats = process()
    stats.count(APP, { requests: 1 }, { endpoint: "encrypt", code: "invalid-request" })
    await stats.flush()
    const range = { fromMs: clock.ms, toMs: clock.ms + MINUTE_MS }
    const sizes = async (dimensions: readonly Dimension[]) => {
      const { figures } = await readStats(table, APP, "minute", range, clock.ms, { dimensions })
      const found = figures.get(clock.ms)
      return [found?.total.get("requests"), found?.by("endpoint").size, found?.by("code").size]
    }
    expect(await sizes([])).toEqual([1, 0, 0])
    expect(await sizes(["code"])).toEqual([1, 0, 1])
  })

  test("keep keys that are names of an object's own members", async () => {
    const { process, read, clock } = setUp()
    const stats = process()
    for (const key of ["__proto__", "constructor", ""])
      stats.count(APP, { functionRuns: 1 }, { function: key })
    await stats.flush()
    const figures = (await read("minute", clock.ms)).get(clock.ms)
    expect([...(figures?.by("function").keys() ?? [])]).toEqual(["__proto__", "constructor", ""])
  })

  test("are not read beyond a number of rows, and say that they are incomplete", async () => {
    const { table, process, clock } = setUp()
    for (let writer = 0; writer < 4; writer++) {
      const stats = process()
      stats.count(APP, { decrypted: 1 })
      await stats.flush()
    }
    const range = { fromMs: clock.ms, toMs: clock.ms + MINUTE_MS }
    const { figures, isComplete } = await readStats(table, APP, "minute", range, clock.ms, {
      dimensions: [],
      maxRows: 3,
    })
    expect([figures.get(clock.ms)?.total.get("decrypted"), isComplete]).toEqual([3, false])
  })

  test("of minutes expire after 2 days, of hours after 40, of days after 400", async () => {
    const { table, process, clock, fold } = setUp()
    const stats = process()
    stats.count(APP, { decrypted: 1 })
    await stats.flush()
    clock.ms += HOUR_MS
    await fold()
    const kept = [...table.items.values()].map(({ sk, expiresAt }) => [
      String(sk).split("#")[0],
      (Number(expiresAt) - DAY_MS / 1000) / 86_400,
    ])
    expect(Object.fromEntries(kept)).toEqual({ minute: 2, hour: 40, day: 400 })
  })
})
