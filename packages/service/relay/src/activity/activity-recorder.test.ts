import { setTimeout as delay } from "node:timers/promises"
import { createMemoryTable } from "@sealway/ports/testing"
import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { activityAt, RELAY, timeout } from "../testing/activity.ts"
import type { Activity } from "./activity.ts"
import { ACTIVITY_KEPT_SECONDS, putActivityBlock } from "./activity-block-table.ts"
import { createActivityRecorder } from "./activity-recorder.ts"
import type { ActivityRank } from "./activity-sample.ts"
import { findActivity, listActivity } from "./read-activity.ts"

const START_MS = 1_700_000_000_000
const PLACE = { appId: RELAY.appId, relayId: RELAY.id }
const OTHER = { ...RELAY, id: "relay_00000000000000000000000002" }

function setUp({ table = createMemoryTable(), writeEveryMs = 5_000 } = {}) {
  const clock = { ms: 0 }
  const warnings: string[] = []
  const recorder = createActivityRecorder({
    eventsTable: table,
    log: { warn: (message) => void warnings.push(message) },
    now: () => clock.ms,
    writeEveryMs,
  })
  const note = (activity: Activity, rank: ActivityRank = "usual") =>
    recorder.note(RELAY, () => activity, rank)
  const all = async () => {
    const { data, dropped } = await listActivity(table, PLACE, { limit: 10_000 }, {})
    return { ids: data.map(({ id }) => id), dropped }
  }
  return { clock, warnings, table, recorder, note, all }
}

const sequence = (count: number, settings: Partial<Activity> = {}) =>
  Array.from({ length: count }, (_, index) => activityAt(START_MS + index, settings))
const newestFirst = (activities: readonly Activity[]) =>
  activities
    .map(({ id }) => id)
    .sort()
    .reverse()

describe("requests through a relay", () => {
  test("are written immediately when they are the first, and later ones as one item some seconds later", async () => {
    const { clock, recorder, note, table, all } = setUp()
    const [first, ...others] = sequence(40)
    if (first === undefined) throw new Error("There is a first")
    note(first)
    await recorder.settle()
    expect(table.calls).toEqual(["put"])
    for (const activity of others) {
      clock.ms += 100
      note(activity)
      await recorder.settle()
    }
    expect(table.calls).toEqual(["put"])
    clock.ms += 1_100
    const last = activityAt(START_MS + 40)
    note(last)
    await recorder.settle()
    expect(table.calls).toEqual(["put", "put"])
    expect(await all()).toEqual({ ids: newestFirst([first, ...others, last]), dropped: 0 })
    expect([...table.items.values()].map(({ expiresAt }) => expiresAt)).toEqual([
      START_MS / 1_000 + ACTIVITY_KEPT_SECONDS,
      START_MS / 1_000 + ACTIVITY_KEPT_SECONDS,
    ])
  })

  test("are written even if no other request follows", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const { clock, recorder, note, all } = setUp()
      const [first, second] = sequence(2)
      if (first === undefined || second === undefined) throw new Error("There are two")
      note(first)
      await recorder.settle()
      note(second)
      clock.ms += 5_000
      vi.advanceTimersByTime(5_000)
      await recorder.settle()
      expect((await all()).ids).toEqual([second.id, first.id])
    } finally {
      vi.useRealTimers()
    }
  })

  test("are one item per relay", async () => {
    const { recorder, table, note } = setUp()
    await recorder.flush()
    for (const activity of sequence(20)) {
      note(activity)
      recorder.note(OTHER, () => activity, "usual")
    }
    await recorder.flush()
    expect(table.items.size).toBe(2)
    expect(
      (await listActivity(table, { ...PLACE, relayId: OTHER.id }, { limit: 100 }, {})).data,
    ).toHaveLength(20)
    expect((await listActivity(table, { ...PLACE, appId: "app_2" }, { limit: 100 }, {})).data).toEqual([])
  })

  test("are only counted when there are too many; alerted ones, errors and leaks are kept first", async () => {
    const { recorder, note, all, table } = setUp()
    await recorder.flush()
    const usual = sequence(3_000)
    const notable = sequence(40, { error: timeout, status: 504 })
    const alerted = sequence(3)
    for (const activity of usual.slice(0, 1_500)) note(activity)
    for (const activity of notable) note(activity, "notable")
    for (const activity of alerted) note(activity, "alerted")
    for (const activity of usual.slice(1_500)) note(activity)
    await recorder.flush()
    const { ids, dropped } = await all()
    expect(ids).toHaveLength(100)
    expect(dropped).toBe(2_943)
    expect([...notable, ...alerted].every(({ id }) => ids.includes(id))).toBe(true)
    expect(table.calls.filter((call) => call === "put")).toHaveLength(1)
  })

  test("are equally likely to be kept at any time when there are too many", async () => {
    const { recorder, note, all } = setUp()
    await recorder.flush()
    const activities = sequence(10_000)
    for (const activity of activities) note(activity)
    await recorder.flush()
    const { ids } = await all()
    const early = activities.slice(0, 5_000).filter(({ id }) => ids.includes(id)).length
    // 50 of 100 on average; outside this range once in ten million runs.
    expect(early).toBeGreaterThan(22)
    expect(early).toBeLessThan(78)
  })

  test("are kept and written once each the next time when a write fails", async () => {
    const table = createMemoryTable()
    let outages = 2
    const { recorder, note, all, warnings } = setUp({
      table: {
        ...table,
        async put(...call) {
          if (outages === 1) await table.put(...call)
          if (outages-- > 0) throw new Error("throttled")
          await table.put(...call)
        },
      },
    })
    const activities = sequence(5)
    for (const activity of activities) note(activity)
    await recorder.flush()
    await recorder.flush()
    await recorder.flush()
    expect(await all()).toEqual({ ids: newestFirst(activities), dropped: 0 })
    expect(warnings).toEqual(["could not write relay activity", "could not write relay activity"])
  })

  test("take bounded memory when writes never succeed, and are counted as missing", async () => {
    const table = createMemoryTable()
    const { recorder, note, warnings } = setUp({
      table: { ...table, put: () => Promise.reject(new Error("throttled")) },
    })
    for (let round = 0; round < 201; round++) {
      note(activityAt(START_MS + round))
      await recorder.flush()
    }
    await recorder.settle()
    expect(warnings.at(-1)).toBe("1 requests are missing from the relays' activity")
  })

  test("take as many blocks as their size and time require", async () => {
    const { recorder, note, all, table } = setUp()
    await recorder.flush()
    const selector = `$.${"n".repeat(500)}`
    const selections = Array.from({ length: 100 }, () => ({
      ...({ direction: "request", action: "encrypt", type: "json" } as const),
      selector,
      matched: 1,
      changed: 1,
    }))
    const activities = [...sequence(20, { selections }), activityAt(START_MS - 60_000)]
    for (const activity of activities) note(activity)
    await recorder.flush()
    expect(table.items.size).toBeGreaterThan(3)
    expect((await all()).ids).toEqual(newestFirst(activities))
  })

  test("are stored without unneeded details", async () => {
    const { recorder, note, table } = setUp()
    const path = `$${".name".repeat(10_000)}`
    const leaks = Array.from({ length: 200 }, () => ({ direction: "request", path }) as const)
    note(activityAt(START_MS, { leaks }))
    await recorder.flush()
    const [kept] = (await listActivity(table, PLACE, { limit: 1 }, {})).data
    expect(kept?.leaks).toHaveLength(100)
    expect(kept?.leaks[0]?.path).toHaveLength(601)
  })

  test("are never waited for", () => {
    const { note } = setUp({
      table: { ...createMemoryTable(), put: () => delay(1e9, undefined, { ref: false }) },
    })
    expect(note(activityAt(START_MS))).toBeUndefined()
  })
})

describe("pages of activity", () => {
  /** Blocks as several processes write them: each covers at most 10 seconds, and they overlap. */
  const blocks = fc.array(
    fc.record({
      startMs: fc.integer({ min: 0, max: 40_000 }),
      offsetsMs: fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 8 }),
      dropped: fc.nat(5),
    }),
    { maxLength: 25 },
  )

  test("contain each request once, newest first, for any overlap of blocks and any page size", () =>
    fc.assert(
      fc.asyncProperty(blocks, fc.integer({ min: 1, max: 30 }), async (written, limit) => {
        const table = createMemoryTable()
        const ids: string[] = []
        for (const { startMs, offsetsMs, dropped } of written) {
          const entries = offsetsMs
            .map((offsetMs) => activityAt(START_MS + startMs + offsetMs))
            .sort((left, right) => (left.id < right.id ? -1 : 1))
          ids.push(...entries.map(({ id }) => id))
          await putActivityBlock(table, { ...PLACE, entries, dropped })
        }
        const listed: string[] = []
        let dropped = 0
        for (let startingAfter: string | undefined; ; ) {
          const page = await listActivity(table, PLACE, { limit, startingAfter }, {})
          listed.push(...page.data.map(({ id }) => id))
          dropped += page.dropped
          expect(page.hasMore).toBe(listed.length < ids.length)
          if (page.continueAfter === null) break
          expect(page.data).toHaveLength(limit)
          startingAfter = page.continueAfter
        }
        expect(listed).toEqual([...ids].sort().reverse())
        expect(dropped).toBe(written.reduce((total, block) => total + block.dropped, 0))
        for (const id of ids) expect((await findActivity(table, PLACE, id))?.id).toBe(id)
      }),
      { numRuns: 50 },
    ))

  test("are filtered by status and error, with a cursor to continue", async () => {
    const { recorder, note, table } = setUp()
    await recorder.flush()
    const statuses = [200, 204, 302, 400, 404, 502, 504]
    for (const [index, status] of statuses.entries()) note(activityAt(START_MS + index, { status }))
    note(activityAt(START_MS + 99, { status: 504, error: timeout }))
    await recorder.flush()
    const list = async (filter: Parameters<typeof listActivity>[3], limit = 100) =>
      (await listActivity(table, PLACE, { limit }, filter)).data.map(({ status }) => status)
    expect(await list({ statusClass: "2XX" })).toEqual([204, 200])
    expect(await list({ statusClass: "4XX" })).toEqual([404, 400])
    expect(await list({ statusClass: "5XX" })).toEqual([504, 504, 502])
    expect(await list({ statusClass: "5XX", errorCode: "request-timeout" })).toEqual([504])
    expect(await list({ errorCode: "forbidden" })).toEqual([])
    expect(await list({ statusClass: "2XX" }, 1)).toEqual([204])
  })

  test("examine at most 1,000 requests", async () => {
    const table = createMemoryTable()
    for (let block = 0; block < 12; block++) {
      const entries = Array.from({ length: 100 }, (_, index) => activityAt(START_MS + block * 100 + index))
      await putActivityBlock(table, { ...PLACE, entries, dropped: 0 })
    }
    const first = await listActivity(table, PLACE, { limit: 1 }, { statusClass: "5XX" })
    expect(first).toMatchObject({ data: [], hasMore: true })
    const startingAfter = first.continueAfter ?? ""
    expect(
      await listActivity(table, PLACE, { limit: 1, startingAfter }, { statusClass: "5XX" }),
    ).toMatchObject({ data: [], hasMore: false, continueAfter: null })
    expect((await listActivity(table, PLACE, { limit: 500, startingAfter }, {})).data).toHaveLength(200)
  })

  test("are empty, and nothing is found, for malformed ids", async () => {
    const { recorder, note, table } = setUp()
    note(activityAt(START_MS))
    await recorder.flush()
    for (const id of [
      "relay_activity_uuuuuuuuuuuuuuuuuuuuuuuuuu",
      "relay_activity_000000000000",
      activityAt(START_MS - 1).id,
    ]) {
      expect(await findActivity(table, PLACE, id)).toBeNull()
      expect((await listActivity(table, PLACE, { limit: 9, startingAfter: id }, {})).data).toEqual([])
    }
    expect(await findActivity(table, PLACE, activityAt(START_MS + 60_000).id)).toBeNull()
    expect(await findActivity(table, PLACE, "relay_activity_zzzzzzzzzzzzzzzzzzzzzzzzzz")).toBeNull()
  })
})
