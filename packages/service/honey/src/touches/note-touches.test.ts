import { appPartition } from "@sealway/ports"
import { createMemoryTable, exploreHistories, SimulatedService, WRITE } from "@sealway/ports/testing"
import type { NewEvent } from "@sealway/records"
import type { AuditRecord } from "@sealway/records/audit-chain"
import { describe, expect, test } from "vitest"
import { createMark, type HoneyToken, honeyTokenRecords } from "../records/honey-token-table.ts"
import { touchRecords } from "../records/honey-touch-table.ts"
import { noteTouches } from "./note-touches.ts"

const APP = "app_1"
const AT = Date.UTC(2026, 0, 31, 12, 30)
const HOUR_MS = 60 * 60_000

const honeyToken: HoneyToken = {
  id: "honey_token_1",
  name: "Backup",
  type: "string",
  role: "pci",
  token: "ev:",
  mark: "AAAAAAAAAAAAAAAA",
  alertType: null,
  url: null,
  createdAt: 1,
  revision: 1,
}

const refusal = (seq: number, changes: Partial<AuditRecord> = {}): AuditRecord => ({
  id: `audit_${seq}`,
  seq,
  at: AT + seq,
  teamId: "team_1",
  appId: APP,
  action: "decryption.refused",
  actor: { type: "api-key", id: "key_1" },
  target: { type: "app", id: APP },
  ip: "192.0.2.1",
  requestId: `request-${seq}`,
  details: { honeyMarks: honeyToken.mark, endpoint: "decrypt" },
  previousHash: "",
  hash: "",
  ...changes,
})

async function createWorld(token: HoneyToken = honeyToken, eventsTable = createMemoryTable()) {
  const configTable = createMemoryTable()
  await honeyTokenRecords.create(configTable, APP, token)
  await createMark(configTable, APP, token)
  const published: NewEvent[] = []
  let fails = false
  const events = {
    async publish(event: NewEvent) {
      if (fails) throw new Error("throttled")
      published.push(event)
    },
  }
  return {
    configTable,
    eventsTable,
    published,
    events,
    fail: (does: boolean) => {
      fails = does
    },
    note: (record: AuditRecord) => noteTouches({ configTable, eventsTable, events }, record),
    touches: () => touchRecords.list(eventsTable, APP),
  }
}

describe("touches", () => {
  test("of one caller in one way and hour are one, and raise one event", async () => {
    const { note, touches, published } = await createWorld()
    for (let seq = 1; seq <= 30; seq++) await note(refusal(seq, { ip: `192.0.2.${seq}` }))
    expect(await touches()).toMatchObject([{ count: 30, firstAt: AT + 1, lastAt: AT + 30 }])
    const [touch] = await touches()
    expect(touch?.ips).toHaveLength(10)
    expect(touch?.requestIds[0]).toBe("request-30")
    expect(published).toMatchObject([
      {
        type: "honey-token.touched",
        teamId: "team_1",
        appId: APP,
        data: {
          honeyToken: { id: "honey_token_1", name: "Backup", role: "pci" },
          actor: { type: "api-key", id: "key_1" },
          way: { endpoint: "decrypt" },
          ip: "192.0.2.1",
          at: AT + 1,
        },
        recipients: [],
      },
    ])
  })

  test.each([
    ["another caller", { actor: { type: "api-key", id: "key_2" } }],
    ["another way", { details: { honeyMarks: honeyToken.mark, relay: "relay_1", direction: "request" } }],
    ["another hour", { at: AT + HOUR_MS }],
  ] as const)("of %s are another one, with an event of its own", async (_name, changes) => {
    const { note, touches, published } = await createWorld()
    await note(refusal(1))
    await note(refusal(2, changes))
    expect(await touches()).toMatchObject([{ count: 1 }, { count: 1 }])
    expect(new Set(published.map(({ id }) => id)).size).toBe(2)
  })

  test("are counted once, however often and in whatever order a record comes", async () => {
    const { note, touches, published } = await createWorld()
    for (const seq of [2, 1, 2, 3, 1, 3]) await note(refusal(seq))
    expect(await touches()).toMatchObject([{ count: 3, firstAt: AT + 1, lastAt: AT + 3 }])
    // The same event, which is published once.
    expect(new Set(published.map(({ id }) => id)).size).toBe(1)
  })

  test("are counted each when many come at the same time", async () => {
    const { note, touches } = await createWorld()
    await Promise.all(Array.from({ length: 5 }, (_, index) => note(refusal(index + 1))))
    expect(await touches()).toMatchObject([{ count: 5 }])
  })

  test("raise their event when the record comes again after an outage", async () => {
    const { note, touches, published, fail } = await createWorld()
    fail(true)
    await expect(note(refusal(1))).rejects.toThrow("throttled")
    fail(false)
    await note(refusal(1))
    expect(await touches()).toMatchObject([{ count: 1 }])
    expect(published).toHaveLength(1)
  })

  test("are counted once, with one event, when the worker dies or a call fails, and the record comes again", async () => {
    const { histories } = await exploreHistories(async (explored) => {
      const simulated = new SimulatedService({ explored })
      const world = await createWorld(honeyToken, simulated.createTable("events"))
      const { publish } = world.events
      world.events.publish = (event) =>
        simulated.reach({ text: "publish", access: null, faults: WRITE }, () => void publish(event))
      explored.begin()
      for (const seq of [1, 2]) await simulated.mortal(() => world.note(refusal(seq)))
      for (const seq of [1, 2]) await world.note(refusal(seq))
      expect(await world.touches()).toMatchObject([{ count: 2 }])
      expect(new Set(world.published.map(({ id }) => id)).size).toBe(1)
    })
    expect(histories).toBeGreaterThan(8)
  })

  test("are also posted to the honey token's own receiver", async () => {
    const { note, published } = await createWorld({
      ...honeyToken,
      alertType: "chat",
      url: "https://chat.example",
    })
    await note(refusal(1))
    expect(published[0]?.recipients).toEqual([
      {
        id: "honey_token_1",
        recordKey: "honey-token#honey_token_1",
        body: {
          text: "Somebody tried to decrypt the honey token Backup (honey_token_1). Who: api-key key_1. Where: endpoint decrypt, address 192.0.2.1. When: 2026-01-31T12:30:00.001Z, request request-1.",
        },
      },
    ])
  })

  test("of the other honey tokens of a request are noted when one cannot be", async () => {
    const { note, touches, published, configTable } = await createWorld()
    const broken = "BBBBBBBBBBBBBBBB"
    await configTable.create({ pk: appPartition(APP), sk: `honey-mark#${broken}` }, {})
    const details = { honeyMarks: `${broken} ${honeyToken.mark}` }
    await expect(note(refusal(1, { details }))).rejects.toThrow()
    expect(await touches()).toMatchObject([{ honeyToken: honeyToken.id, count: 1 }])
    expect(published).toHaveLength(1)
  })

  test("of a deleted honey token, of another app and of other records are none", async () => {
    const { note, touches, published, configTable } = await createWorld()
    await note(refusal(1, { action: "honey-token.delete" }))
    await note(refusal(2, { details: { reason: "forbidden" } }))
    await note(refusal(3, { appId: "app_2" }))
    await note(refusal(4, { appId: null }))
    await honeyTokenRecords.remove(configTable, APP, honeyToken)
    await note(refusal(5))
    expect(await touches()).toEqual([])
    expect(published).toEqual([])
  })

  test("expire after 400 days", async () => {
    const { note, eventsTable } = await createWorld()
    await note(refusal(1))
    const [item] = await eventsTable.list(appPartition(APP), "honey-touch#")
    expect(item?.expiresAt).toBe((Date.UTC(2026, 0, 31, 12) + 400 * 24 * HOUR_MS) / 1000)
  })

  test("of several runs of one function are one, which has the way of the first", async () => {
    const { note, touches } = await createWorld()
    const byRun = (seq: number, run: string) =>
      note(refusal(seq, { details: { honeyMarks: honeyToken.mark, function: "charge", run, other: "x" } }))
    await byRun(1, "run_1")
    await byRun(2, "run_2")
    expect(await touches()).toMatchObject([{ count: 2, way: { function: "charge", run: "run_1" } }])
    expect((await touches())[0]?.way).not.toHaveProperty("other")
  })

  test.each(["relay", "direction", "function", "enclave", "endpoint"])(
    "of callers who differ only in their %s are two",
    async (name) => {
      const { note, touches } = await createWorld()
      for (const [seq, value] of [
        [1, "a"],
        [2, "b"],
      ] as const) {
        await note(refusal(seq, { details: { honeyMarks: honeyToken.mark, [name]: value } }))
      }
      expect(await touches()).toHaveLength(2)
    },
  )

  test("are of the hour in which they were, to the millisecond", async () => {
    const { note, touches } = await createWorld()
    const hourMs = Date.UTC(2026, 0, 31, 13)
    for (const [seq, at] of [hourMs - HOUR_MS, hourMs - 1, hourMs].entries()) await note(refusal(seq, { at }))
    expect((await touches()).map(({ count }) => count).sort()).toEqual([1, 2])
  })

  test("of a caller without an address or a request say so in the alert", async () => {
    const { note, touches, published } = await createWorld({
      ...honeyToken,
      alertType: "chat",
      url: "https://chat.example",
    })
    await note(refusal(1, { ip: null, requestId: null, actor: { type: "system", id: "sealway" } }))
    expect(await touches()).toMatchObject([{ ips: [], requestIds: [] }])
    const [recipient] = published[0]?.recipients ?? []
    expect(recipient?.body).toMatchObject({ text: expect.stringContaining("address unknown.") })
    expect(recipient?.body).toMatchObject({ text: expect.stringMatching(/request unknown\.$/) })
  })

  test("are posted to a webhook as the event", async () => {
    const { note, published } = await createWorld({
      ...honeyToken,
      alertType: "webhook",
      url: "https://hook.example",
    })
    await note(refusal(1))
    expect(published[0]?.recipients).toMatchObject([{ id: "honey_token_1", body: published[0]?.data }])
  })

  test("are remembered by the last hundred records, and the first", async () => {
    const { note, touches } = await createWorld()
    for (let seq = 1; seq <= 102; seq++) await note(refusal(seq))
    const [touch] = await touches()
    expect([touch?.seqs.length, touch?.seqs[0], touch?.firstSeq]).toEqual([100, 102, 1])
    for (const seq of [1, 3, 102]) await note(refusal(seq))
    expect(await touches()).toMatchObject([{ count: 102 }])
  })

  test("are counted with one change of the record each", async () => {
    const { note, eventsTable } = await createWorld()
    await note(refusal(1))
    eventsTable.calls.length = 0
    await note(refusal(2))
    expect(eventsTable.calls).toEqual(["get", "replace"])
  })

  test("that others count all the time come again", async () => {
    const { note, eventsTable, configTable, touches } = await createWorld()
    await note(refusal(1))
    const busy = { ...eventsTable, replace: async () => false }
    const events = { publish: async () => {} }
    const noted = noteTouches({ configTable, eventsTable: busy, events }, refusal(2))
    await expect(noted).rejects.toThrow("count it all the time")
    expect(await touches()).toMatchObject([{ count: 1 }])
  })
})
