import { createMemoryTable, type MemoryTable } from "@sealway/ports/testing"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PERIODS } from "../rules/conditions.ts"
import { budgetWindow } from "./budget-window.ts"
import { createBudgets } from "./budgets.ts"

const START_MS = Date.UTC(2026, 2, 2, 12, 0, 30)

function setUp({
  values = 10,
  per = "minute" as const,
  table = createMemoryTable(),
  startMs = START_MS,
} = {}) {
  const clock = { ms: startMs }
  const failures: unknown[] = []
  const budgets = createBudgets({
    table,
    wallClock: () => clock.ms,
    onFailure: (error) => failures.push(error),
  })
  const account = {
    appId: "app_1",
    role: "pci",
    policyId: "policy_1",
    apiKeyId: "key_1",
    budget: { values, per },
  }
  const spend = async (amount: number, changes = {}) =>
    (await budgets.spend({ ...account, ...changes }, amount)) !== null
  return { clock, table, failures, budgets, account, spend }
}

/** Waits for background prefetches to finish. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

const counted = (table: MemoryTable) =>
  [...table.items.values()].reduce((total, item) => total + Number(item.values), 0)

describe("a small budget", () => {
  test("permits exactly its number of values", async () => {
    const { spend } = setUp({ values: 10 })
    expect(await spend(4)).toBe(true)
    expect(await spend(6)).toBe(true)
    expect(await spend(1)).toBe(false)
  })

  test("refuses more than remains, counts nothing for that, and still permits less", async () => {
    const { spend, table } = setUp({ values: 10 })
    expect(await spend(11)).toBe(false)
    expect(counted(table)).toBe(0)
    expect(await spend(10)).toBe(true)
  })

  test("is counted separately per app, role, policy and API key, with requests without a key as one", async () => {
    const { spend } = setUp({ values: 1 })
    for (const other of [
      {},
      { appId: "app_2" },
      { role: "pii" },
      { policyId: "policy_2" },
      { apiKeyId: "key_2" },
      { apiKeyId: null },
    ]) {
      expect(await spend(1, other)).toBe(true)
      expect(await spend(1, other)).toBe(false)
    }
  })

  test("is not asked for again in the same window once it is spent", async () => {
    const { spend, table, clock } = setUp({ values: 3 })
    await spend(3)
    await spend(1)
    const calls = table.calls.length
    for (let times = 0; times < 100; times++) expect(await spend(1)).toBe(false)
    expect(table.calls.length).toBe(calls)
    clock.ms += 60_000
    expect(await spend(1)).toBe(true)
  })

  test("is shared by two processes", async () => {
    const table = createMemoryTable()
    const [first, second] = [setUp({ values: 10, table }), setUp({ values: 10, table })]
    expect(await first.spend(7)).toBe(true)
    expect(await second.spend(4)).toBe(false)
    expect(await second.spend(3)).toBe(true)
    expect(await first.spend(1)).toBe(false)
  })

  test("below 100 is counted exactly, value by value", async () => {
    const { spend, table } = setUp({ values: 99 })
    for (let spent = 1; spent <= 99; spent++) {
      expect(await spend(1)).toBe(true)
      await settle()
      expect(counted(table)).toBe(spent)
    }
    expect(await spend(1)).toBe(false)
  })

  test("below 100 can be spent to the last value by two processes in turns", async () => {
    const table = createMemoryTable()
    const processes = [setUp({ values: 99, table }), setUp({ values: 99, table })]
    for (let spent = 0; spent < 99; spent++) {
      expect(await processes[spent % 2]?.spend(1)).toBe(true)
      await settle()
    }
    for (const { spend } of processes) expect(await spend(1)).toBe(false)
  })

  test("takes back returned values without counting them again", async () => {
    const { budgets, account, spend, table } = setUp({ values: 5 })
    const spending = await budgets.spend(account, 5)
    expect(await spend(1)).toBe(false)
    spending?.giveBack()
    expect(await spend(5)).toBe(true)
    expect(counted(table)).toBe(5)
  })
})

describe("a large budget", () => {
  test("is prefetched from 100 on", async () => {
    const { spend, table } = setUp({ values: 100 })
    await spend(1)
    await settle()
    expect(counted(table)).toBeGreaterThan(1)
  })

  test("is prefetched, so that few requests wait for the table", async () => {
    const { spend, table } = setUp({ values: 100_000 })
    for (let times = 0; times < 500; times++) {
      expect(await spend(10)).toBe(true)
      await settle()
    }
    expect(table.calls.length).toBeLessThan(10)
    expect(counted(table)).toBeGreaterThanOrEqual(5_000)
  })

  test.each([
    [100, 200],
    [101, 101],
  ])(
    "of 1,000 prefetches as much as a request wants, up to a tenth: %d values count %d",
    async (values, total) => {
      const { spend, table } = setUp({ values: 1_000 })
      await spend(values)
      await settle()
      expect(counted(table)).toBe(total)
    },
  )

  test("is prefetched by at most two shares", async () => {
    const { spend, table } = setUp({ values: 100_000 })
    for (let times = 1; times <= 300; times++) {
      await spend(7)
      await settle()
      expect(counted(table)).toBeLessThanOrEqual(times * 7 + 2_000)
    }
  })

  test("can be spent to the last value by one process", async () => {
    const { spend } = setUp({ values: 1_000 })
    let spent = 0
    while (await spend(3)) {
      spent += 3
      await settle()
    }
    while (await spend(1)) spent++
    expect(spent).toBe(1_000)
  })

  test("keeps working when a prefetch fails, and reports it", async () => {
    const table = createMemoryTable()
    const outage = new Error("throttled")
    let fails = false
    const { spend, failures } = setUp({
      values: 1_000,
      table: { ...table, add: (...call) => (fails ? Promise.reject(outage) : table.add(...call)) },
    })
    expect(await spend(6)).toBe(true)
    await settle()
    fails = true
    expect(await spend(10)).toBe(true)
    await settle()
    expect(failures).toEqual([outage])
    expect(await spend(1)).toBe(true)
    await settle()
    await expect(spend(9)).rejects.toBe(outage)
    fails = false
    expect(await spend(9)).toBe(true)
  })
})

describe("a budget window", () => {
  test.each([
    ["minute", "2026-03-02T12:59:59.999Z", "2026-03-02T12:59:00.000Z", "2026-03-02T13:00:00.000Z"],
    ["minute", "2026-03-02T13:00:00.000Z", "2026-03-02T13:00:00.000Z", "2026-03-02T13:01:00.000Z"],
    ["hour", "2026-03-02T12:59:59.999Z", "2026-03-02T12:00:00.000Z", "2026-03-02T13:00:00.000Z"],
    ["day", "2026-03-02T23:59:59.999Z", "2026-03-02T00:00:00.000Z", "2026-03-03T00:00:00.000Z"],
    ["day", "2026-03-03T00:00:00.000Z", "2026-03-03T00:00:00.000Z", "2026-03-04T00:00:00.000Z"],
  ] as const)("is the UTC %s: at %s", (per, at, start, end) => {
    expect(budgetWindow(per, Date.parse(at))).toEqual({ startMs: Date.parse(start), endMs: Date.parse(end) })
  })

  test("includes its instant, and the next one starts where it ends", () => {
    fc.assert(
      fc.property(fc.constantFrom(...PERIODS), fc.nat(4_000_000_000_000), (per, timeMs) => {
        const { startMs, endMs } = budgetWindow(per, timeMs)
        expect(startMs <= timeMs && timeMs < endMs).toBe(true)
        expect(budgetWindow(per, endMs).startMs).toBe(endMs)
      }),
    )
  })

  test("restarts to the millisecond", async () => {
    const { spend, clock } = setUp({ values: 2, startMs: Date.UTC(2026, 2, 2, 12, 0, 59, 999) })
    expect(await spend(2)).toBe(true)
    expect(await spend(1)).toBe(false)
    clock.ms += 1
    expect(await spend(2)).toBe(true)
    expect(await spend(1)).toBe(false)
  })

  test("is as spent as before when a clock goes back to it", async () => {
    const { spend, clock } = setUp({ values: 2 })
    expect(await spend(2)).toBe(true)
    clock.ms += 60_000
    expect(await spend(1)).toBe(true)
    clock.ms -= 60_000
    expect(await spend(1)).toBe(false)
    clock.ms += 60_000
    expect(await spend(1)).toBe(true)
    expect(await spend(1)).toBe(false)
  })

  test("is kept in the table until well after its end", async () => {
    const { spend, table } = setUp()
    await spend(1)
    const [item] = table.items.values()
    expect(item?.expiresAt).toBe(Date.UTC(2026, 2, 3, 12, 1) / 1000)
  })
})

test("never exceeds a budget, whatever requests run in parallel, in however many processes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3_000 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(
        fc.record({ process: fc.nat(2), values: fc.integer({ min: 1, max: 400 }), givesBack: fc.boolean() }),
        { maxLength: 60 },
      ),
      async (limit, processes, requests) => {
        const table = createMemoryTable()
        const all = Array.from({ length: processes }, () => setUp({ values: limit, table }))
        let passed = 0
        await Promise.all(
          requests.map(async ({ process, values, givesBack }) => {
            const chosen = all[process % processes]
            const spending = await chosen?.budgets.spend(chosen.account, values)
            if (!spending) return
            if (givesBack) spending.giveBack()
            else passed += values
          }),
        )
        await settle()
        expect(passed).toBeLessThanOrEqual(limit)
        expect(counted(table)).toBeLessThanOrEqual(limit)
      },
    ),
    { numRuns: 200 },
  )
})
