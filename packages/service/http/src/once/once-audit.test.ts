import { createMemoryTable } from "@sealway/ports/testing"
import {
  type AuditEntry,
  createAuditLog,
  createAuditTable,
  MAX_WAIT_MS,
  type NewEvent,
} from "@sealway/records"
import { expect, test } from "vitest"
import { type Attempt, createOnceAudit } from "./once-audit.ts"

const TEAM = "team_1"

function setUp() {
  const clock = { ms: 1_000_000 }
  const table = createMemoryTable()
  const published: NewEvent[] = []
  const events = { publish: async (event: NewEvent) => void published.push(event), forget: () => {} }
  const audit = createAuditLog({ table: createAuditTable(table), events, wallClock: () => clock.ms })
  const entryOf = (requestId: string, action = "policy.create"): AuditEntry => ({
    teamId: TEAM,
    appId: "app_1",
    actor: { type: "api-key", id: "key_1" },
    ip: null,
    requestId,
    action,
    target: { type: "policy", id: "policy_1" },
  })
  const attempt = (earlier: readonly Attempt[]) =>
    createOnceAudit({
      audit,
      auditHistory: audit,
      events,
      earlier,
      attemptMs: 60_000,
      createEventDraws: ({ seq }) => ({ newId: (prefix) => `${prefix}_${seq}` }),
    })
  const since = async (fromMs: number) => {
    const ids: (string | null)[] = []
    for await (const { requestId } of audit.since(TEAM, fromMs)) ids.push(requestId)
    return ids
  }
  const actions = async () => {
    const all: string[] = []
    for await (const { action } of audit.read(TEAM, null)) all.unshift(action)
    return all
  }
  return { clock, table, published, audit, entryOf, attempt, since, actions }
}

test("finds a team's records from any time on, in a log with blocks of any size", async () => {
  const { clock, table, audit, entryOf, since } = setUp()
  expect(await since(0)).toEqual([])
  const times: number[] = []
  for (let burst = 0; burst < 60; burst++) {
    clock.ms += 10
    const size = 1 + (burst % 4)
    await Promise.all(Array.from({ length: size }, () => audit.record(entryOf(String(clock.ms)))))
    for (let each = 0; each < size; each++) times.push(clock.ms)
  }
  const start = times[0] ?? 0
  for (let fromMs = start - 5; fromMs <= clock.ms; fromMs += 5) {
    const found = (await since(fromMs)).map(Number)
    expect(found).toEqual(times.slice(-found.length))
    expect(found.slice(-times.filter((ms) => ms >= fromMs).length)).toEqual(
      times.filter((ms) => ms >= fromMs),
    )
    // At most the previous block, whose last record may have exactly this time.
    expect(found.length - times.filter((ms) => ms >= fromMs).length).toBeLessThan(5)
  }
  table.calls.length = 0
  await since(clock.ms)
  expect(table.calls.length).toBeLessThan(12)
})

test("does not write a record again that an earlier attempt wrote, and publishes its event again", async () => {
  const { clock, published, entryOf, attempt, actions } = setUp()
  const first = { at: clock.ms, requestId: "first" }
  await attempt([]).record(entryOf("first"))
  clock.ms += 23 * 60 * 60_000
  await attempt([first]).record(entryOf("second"))
  expect(await actions()).toEqual(["policy.create"])
  expect(published.map(({ id }) => id)).toEqual(["webhook_event_1", "webhook_event_1"])
})

test("writes a record again after its failure was recorded, and when another request wrote it", async () => {
  const { clock, entryOf, attempt, actions } = setUp()
  const first = { at: clock.ms, requestId: "first" }
  await attempt([]).record(entryOf("first"))
  await attempt([]).record(entryOf("first", "policy.create.failed"))
  clock.ms += 60_000
  await attempt([first]).record(entryOf("second"))
  const created = "policy.create"
  expect(await actions()).toEqual([created, `${created}.failed`, created])
  await attempt([{ at: clock.ms, requestId: "stranger" }]).record(entryOf("third"))
  expect(await actions()).toEqual([created, `${created}.failed`, created, created])
})

test("publishes no event of a quiet record again", async () => {
  const { clock, published, entryOf, attempt } = setUp()
  const quiet = { ...entryOf("first"), isQuiet: true }
  await attempt([]).record(quiet)
  await attempt([{ at: clock.ms, requestId: "first" }]).record(quiet)
  expect(published).toEqual([])
})

test.each([
  [-10_000, true],
  [80_000, true],
  [80_001, false],
])("takes a record %i ms after an attempt began for its own: %s", async (ms, isOwn) => {
  const { clock, entryOf, attempt, actions } = setUp()
  const first = { at: clock.ms, requestId: "first" }
  clock.ms += ms
  await attempt([]).record(entryOf("first"))
  clock.ms += 60_000
  await attempt([first]).record(entryOf("second"))
  expect(await actions()).toHaveLength(isOwn ? 1 : 2)
})

test("finds an earlier attempt's record among records that waited for their place as long as they may", async () => {
  const { clock, entryOf, attempt, actions } = setUp()
  const first = { at: clock.ms, requestId: "first" }
  const others = attempt([])
  await others.record(entryOf("before"))
  await others.record(entryOf("first"))
  // As by processes whose clocks are slow.
  clock.ms -= MAX_WAIT_MS + 10_000
  for (let late = 0; late < 4; late++) await others.record(entryOf(`late ${late}`))
  clock.ms = first.at + 60_000
  await attempt([first]).record(entryOf("second"))
  expect(await actions()).toHaveLength(6)
})

test("writes a record of another target, and each of its own records once", async () => {
  const { clock, table, entryOf, attempt, actions } = setUp()
  const first = { at: clock.ms, requestId: "first" }
  await attempt([]).record(entryOf("first"))
  const second = attempt([first])
  await second.record({ ...entryOf("second"), target: { type: "policy", id: "policy_2" } })
  await second.record({ ...entryOf("second"), target: { type: "role", id: "policy_1" } })
  expect(await actions()).toHaveLength(3)
  await second.record(entryOf("second"))
  expect(await actions()).toHaveLength(3)
  table.calls.length = 0
  // It has recorded this before, so that this is another change.
  await second.record(entryOf("second"))
  expect([await actions(), table.calls.filter((call) => call === "create")]).toMatchObject([
    { length: 4 },
    ["create"],
  ])
})

test("is read as the audit log itself", async () => {
  const { entryOf, attempt } = setUp()
  await attempt([]).record(entryOf("first"))
  const read = await Array.fromAsync(attempt([]).read(TEAM, null))
  expect(read).toMatchObject([{ action: "policy.create", requestId: "first" }])
})

test("tells whether an attempt began a change that is not known to have failed", async () => {
  const { clock, entryOf, attempt } = setUp()
  const first = { at: clock.ms, requestId: "first" }
  expect(await attempt([first]).hasOpenRecord(TEAM)).toBe(false)
  await attempt([]).record(entryOf("first"))
  expect(await attempt([]).hasOpenRecord(TEAM)).toBe(false)
  expect(await attempt([first]).hasOpenRecord(TEAM)).toBe(true)
  const second = attempt([first])
  await second.record(entryOf("second"))
  await second.record(entryOf("second", "policy.create.failed"))
  expect(await second.hasOpenRecord(TEAM)).toBe(false)
  expect(await attempt([first, { at: clock.ms, requestId: "second" }]).hasOpenRecord(TEAM)).toBe(false)
})

test("reads nothing when a request has no earlier attempt", async () => {
  const { table, entryOf, attempt } = setUp()
  const once = attempt([])
  await once.record(entryOf("first"))
  table.calls.length = 0
  await once.record(entryOf("first", "policy.update"))
  expect(table.calls).toEqual(["create"])
})
