import type { Invocation } from "@sealway/ports"
import { createMemoryTable, type MemoryTable } from "@sealway/ports/testing"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createRunSlots, forgetRunsInProgress, type RunLimits, type RunSlot } from "./run-slots.ts"

const START_MS = 1_700_000_000_000
const MINUTE_MS = 60_000
const TIMEOUT_SECONDS = 30
const ANSWERED: Invocation = { kind: "answered", answer: Buffer.from("{}") }

interface SetUp {
  readonly runLimits?: RunLimits
  readonly table?: MemoryTable
  readonly clock?: { ms: number }
}

/** Creates a process that counts runs. Others count in the same table. */
function setUp({
  runLimits = { perApp: 3, perStage: 5 },
  table = createMemoryTable(),
  clock = { ms: START_MS },
}: SetUp = {}) {
  const logged: unknown[] = []
  const log = { warn: (...told: unknown[]) => void logged.push(told) }
  const slots = createRunSlots({ runsTable: table, runLimits, log, wallClock: () => clock.ms })
  const take = (appId = "app_1", timeoutSeconds = TIMEOUT_SECONDS) => slots.take(appId, timeoutSeconds)
  const takeAll = async (appId: string, count: number) => {
    const taken = await Promise.all(Array.from({ length: count }, () => take(appId)))
    return taken.filter((slot) => slot !== null)
  }
  return { table, clock, logged, take, takeAll }
}

/** Returns the counts by record. Fails when a total is not the sum of its counters. */
function counted({ items }: MemoryTable): Record<string, number> {
  const totals = [...items.values()].map((item) => {
    const counters = Object.entries(item).filter(([name]) => name.startsWith("until-"))
    expect(counters.reduce((sum, [, leases]) => sum + Number(leases), 0)).toBe(item.total)
    expect(counters.every(([, leases]) => Number(leases) >= 0)).toBe(true)
    return [String(item.sk), Number(item.total)] as const
  })
  return Object.fromEntries(totals)
}

async function release(slots: readonly RunSlot[]): Promise<void> {
  await Promise.all(slots.map((slot) => slot.release()))
}

describe("concurrent runs", () => {
  test("are limited per app, and one more may start once one has ended", async () => {
    const { takeAll, take } = setUp()
    const taken = await takeAll("app_1", 10)
    expect(taken).toHaveLength(3)
    await release(taken.slice(0, 1))
    expect(await takeAll("app_1", 10)).toHaveLength(1)
    expect(await take("app_2")).not.toBeNull()
  })

  test("are limited for all apps of the stage", async () => {
    const { takeAll } = setUp()
    const taken = [...(await takeAll("app_1", 3)), ...(await takeAll("app_2", 3))]
    expect(taken).toHaveLength(5)
    expect(await takeAll("app_3", 1)).toEqual([])
    await release(taken)
    expect(await takeAll("app_3", 3)).toHaveLength(3)
  })

  test("are counted across all processes", async () => {
    const first = setUp()
    const second = setUp({ table: first.table, clock: first.clock })
    expect(await first.takeAll("app_1", 2)).toHaveLength(2)
    expect(await second.takeAll("app_1", 2)).toHaveLength(1)
    expect(await first.take()).toBeNull()
  })

  test("take no slot of the stage when the app is at its limit, and none of the app when the stage is", async () => {
    const { table, takeAll } = setUp()
    await takeAll("app_1", 3)
    await takeAll("app_1", 1)
    expect(counted(table)).toEqual({ "app#app_1#0": 3, "stage#0": 3 })
    await takeAll("app_2", 3)
    expect(counted(table)).toEqual({ "app#app_1#0": 3, "app#app_2#0": 2, "stage#0": 5 })
  })

  test("cost one write for the app and one for the stage, before and after", async () => {
    const { table, take } = setUp()
    await (await take())?.release()
    expect(table.calls).toEqual(["tally", "tally", "tally", "tally"])
  })

  test("are counted in several records when the stage's limit is high, with limits that add up", async () => {
    const { table, takeAll } = setUp({ runLimits: { perApp: 130, perStage: 130 } })
    const taken = await takeAll("app_1", 400)
    expect(taken).toHaveLength(130)
    expect(Object.values(counted(table)).sort()).toEqual([43, 43, 43, 43, 44, 44])
    await release(taken)
    expect(Object.values(counted(table))).toEqual([0, 0, 0, 0, 0, 0])
  })
})

describe("a run slot", () => {
  const outcomes: readonly [string, Invocation | Error, boolean][] = [
    ["answered", ANSWERED, true],
    ["was stopped at its time limit", { kind: "timed-out", isStopped: true }, true],
    ["found no capacity", { kind: "busy" }, true],
    ["is not waited for any more", { kind: "timed-out", isStopped: false }, false],
    ["was called by a connection that broke", new Error("socket hang up"), false],
  ]

  test.each(outcomes)(
    "is released only when the code has ended: it %s (%#)",
    async (_, outcome, isGivenBack) => {
      const { table, take } = setUp()
      const slot = await take()
      const call = async () => {
        if (outcome instanceof Error) throw outcome
        return outcome
      }
      await slot?.during(call).catch(() => undefined)
      await slot?.release()
      expect(counted(table)["app#app_1#0"]).toBe(isGivenBack ? 0 : 1)
    },
  )

  test("is released when the code was never called", async () => {
    const { table, take } = setUp()
    await (await take())?.release()
    expect(counted(table)).toEqual({ "app#app_1#0": 0, "stage#0": 0 })
  })

  test("is freed, if nobody released it, once the code must have ended, and not before", async () => {
    const { clock, takeAll } = setUp()
    await takeAll("app_1", 3)
    clock.ms += TIMEOUT_SECONDS * 1000 + 14_999
    expect(await takeAll("app_1", 1)).toEqual([])
    clock.ms += MINUTE_MS + 1
    expect(await takeAll("app_1", 9)).toHaveLength(3)
  })

  test("is released without taking another's when it has already expired", async () => {
    const { table, clock, take, takeAll } = setUp()
    const late = await take()
    clock.ms += 2 * MINUTE_MS
    expect(await takeAll("app_1", 9)).toHaveLength(3)
    await late?.release()
    expect(counted(table)).toEqual({ "app#app_1#0": 3, "stage#0": 3 })
  })

  test("is left to expire, with a line in the log, when the table does not answer", async () => {
    const table = createMemoryTable()
    let fails = false
    const failing = {
      ...table,
      tally: (...call: Parameters<typeof table.tally>) =>
        fails ? Promise.reject(new Error("throttled")) : table.tally(...call),
    }
    const { take, logged } = setUp({ table: failing })
    const slot = await take()
    fails = true
    await slot?.release()
    expect(logged).toHaveLength(2)
    await expect(take()).rejects.toThrow("throttled")
  })
})

test("counts no runs as in progress after a service restart", async () => {
  const { table, takeAll } = setUp({ runLimits: { perApp: 130, perStage: 130 } })
  const taken = await takeAll("app_1", 130)
  await forgetRunsInProgress(table)
  await release(taken)
  expect(new Set(Object.values(counted(table)))).toEqual(new Set([0]))
  expect(await takeAll("app_1", 200)).toHaveLength(130)
})

test("keeps records small, however often runs come and go and processes die", async () => {
  const { table, clock, take } = setUp()
  for (let minute = 0; minute < 500; minute++) {
    const slot = await take("app_1", 1 + (minute % 900))
    if (minute % 7 !== 0) await slot?.release()
    clock.ms += MINUTE_MS
  }
  for (const item of table.items.values()) expect(Object.keys(item).length).toBeLessThan(30)
})

test("never exceeds a limit and never loses a slot, whatever starts, ends and dies concurrently", async () => {
  const step = fc.record({
    process: fc.nat(2),
    app: fc.constantFrom("app_1", "app_2", "app_3"),
    timeoutSeconds: fc.integer({ min: 1, max: 900 }),
    end: fc.constantFrom("release", "die", "go-on"),
    waitMs: fc.integer({ min: 0, max: 30_000 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 12 }), async (rounds) => {
      const runLimits = { perApp: 3, perStage: 5 }
      const clock = { ms: START_MS }
      const table = createMemoryTable()
      const processes = [1, 2, 3].map(() => setUp({ runLimits, table, clock }))
      /** When the code of each run must have ended. */
      const running: { readonly app: string; readonly untilMs: number }[] = []
      for (const round of rounds) {
        const begun = await Promise.all(
          round.map(async (each) => ({
            ...each,
            slot: await processes[each.process]?.take(each.app, each.timeoutSeconds),
          })),
        )
        const taken = begun.filter(({ slot }) => slot)
        for (const { app, timeoutSeconds } of taken) {
          running.push({ app, untilMs: clock.ms + timeoutSeconds * 1000 })
        }
        const inProgress = running.filter(({ untilMs }) => untilMs > clock.ms)
        expect(inProgress.length).toBeLessThanOrEqual(runLimits.perStage)
        for (const app of ["app_1", "app_2", "app_3"]) {
          expect(inProgress.filter((run) => run.app === app).length).toBeLessThanOrEqual(runLimits.perApp)
        }
        await Promise.all(
          taken.map(async ({ slot, end, app, timeoutSeconds }) => {
            if (end === "die") return
            const abandoned: Invocation = { kind: "timed-out", isStopped: false }
            await slot?.during(async () => (end === "release" ? ANSWERED : abandoned))
            await slot?.release()
            const untilMs = clock.ms + timeoutSeconds * 1000
            const at = running.findIndex((run) => run.app === app && run.untilMs === untilMs)
            if (end === "release") running.splice(at, 1)
          }),
        )
        counted(table)
        clock.ms += Math.max(0, ...round.map(({ waitMs }) => waitMs))
      }
      clock.ms += 20 * MINUTE_MS
      const free = async (app: string) => (await processes[0]?.take(app)) !== null
      for (const app of ["app_1", "app_1", "app_1", "app_2", "app_2"]) expect(await free(app)).toBe(true)
    }),
    { numRuns: 200 },
  )
})
