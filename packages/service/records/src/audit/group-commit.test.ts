import { createMemoryTable } from "@sealway/ports/testing"
import { expect, test } from "vitest"
import { type AuditRecord, createAuditChainVerifier, EMPTY_CHAIN, linkAuditRecords } from "./audit-chain.ts"
import { MAX_WAIT_MS, placesOf, receiptKey, type Waiting, waitingKey } from "./audit-group.ts"
import { createAuditLog, SYSTEM } from "./audit-log.ts"
import { type AuditTable, blockKey, createAuditTable, MAX_BLOCK, readLastBlock } from "./audit-table.ts"
import { commitInGroup } from "./group-commit.ts"

const TEAM = "team_1"
const NOW_MS = 1_700_000_000_000
const recordOf = (id: string, details: Readonly<Record<string, string>> = {}) => ({
  ...SYSTEM,
  at: NOW_MS,
  teamId: TEAM,
  appId: null,
  action: "app.update",
  target: { type: "app", id },
  details,
})

function setUp(change: (table: AuditTable) => Partial<AuditTable> = () => ({})) {
  const memory = createMemoryTable()
  const clock = { ms: NOW_MS }
  const wallClock = () => clock.ms
  const inner = createAuditTable(memory)
  const table = { ...inner, ...change(inner) }
  const dependencies = { table, wallClock, random: () => 0 }
  const commit = (...records: readonly ReturnType<typeof recordOf>[]) =>
    commitInGroup(dependencies, TEAM, records, 1)
  const events = { publish: async () => undefined, forget() {} }
  const audit = createAuditLog({ table, events, wallClock })
  /** Returns whose records the log has, oldest first. */
  async function logged(): Promise<readonly string[]> {
    const log = (await Array.fromAsync(audit.read(TEAM, null))).toReversed()
    const verifier = createAuditChainVerifier()
    for (const record of log) verifier.add(record)
    expect(verifier.result().state).toBe("intact")
    return log.map(({ target }) => target.id)
  }
  const blocks = () => [...memory.items.keys()].filter((key) => key.startsWith(`team#${TEAM}\n`)).length
  return { memory, clock, audit, commit, logged, blocks }
}

const idOf = (record: AuditRecord | undefined) => record?.target.id

test("writes what several writers have waiting as one block, and tells each where its own records are", async () => {
  const { commit, logged, blocks, memory } = setUp()
  const all = await Promise.all([
    commit(recordOf("a"), recordOf("b")),
    commit(recordOf("c")),
    commit(recordOf("d")),
  ])
  expect(all.map((each) => each?.records.map(({ target }) => target.id))).toEqual([["a", "b"], ["c"], ["d"]])
  const log = await logged()
  expect(log.toSorted()).toEqual(["a", "b", "c", "d"])
  for (const each of all)
    for (const record of each?.records ?? []) expect(log[record.seq - 1]).toBe(idOf(record))
  expect(blocks()).toBe(1)
  // What waited, the block, and the receipt.
  expect(memory.items.size).toBe(all.length + 1 + 1)
})

test("writes nothing twice when whoever wrote the block died before its receipt", async () => {
  const memory = createMemoryTable()
  const inner = createAuditTable(memory)
  const table: AuditTable = {
    ...inner,
    // As processes do that cannot write a receipt themselves.
    lastBlock: (teamId) => readLastBlock(memory, teamId),
    async wait(teamId, slot, waiting) {
      await inner.wait(teamId, slot, waiting)
      await memory.create(blockKey(teamId, 1), { ...blockOf(slot, waiting) })
    },
  }
  const found = await commitInGroup(
    { table, wallClock: () => NOW_MS, random: () => 0 },
    TEAM,
    [recordOf("a")],
    1,
  )
  expect(found?.records).toEqual((await readLastBlock(memory, TEAM))?.records)
  expect(memory.calls.filter((call) => call === "create")).toHaveLength(2)
})

test("writes a group's records although one of them cannot be read", async () => {
  const { commit, logged, memory } = setUp((table) => ({
    async wait(teamId, slot, waiting) {
      await table.wait(teamId, slot, waiting)
      await memory.create(waitingKey(teamId, slot, "unreadable"), { records: "of another version" })
    },
  }))
  await Promise.all([commit(recordOf("a")), commit(recordOf("b"))])
  expect((await logged()).toSorted()).toEqual(["a", "b"])
})

test("writes a record that has waited for as long as it may, and refuses older ones with service-unavailable", async () => {
  const slow = { ms: 0 }
  const { audit, clock, commit, logged } = setUp((table) => ({
    async lastBlock(teamId) {
      clock.ms += slow.ms
      return table.lastBlock(teamId)
    },
  }))
  const { at, ...entry } = recordOf("late")
  slow.ms = MAX_WAIT_MS + 1
  await expect(audit.record(entry)).rejects.toMatchObject({ code: "service-unavailable" })
  clock.ms = at
  expect(await commit(recordOf("late"))).toBeNull()
  slow.ms = 0
  clock.ms = at + MAX_WAIT_MS + 1
  expect(await commit(recordOf("late"))).toBeNull()
  clock.ms = at + MAX_WAIT_MS
  expect(await commit(recordOf("in time"))).not.toBeNull()
  expect(await logged()).toEqual(["in time"])
})

test("leaves another writer's records out of its block when they have waited too long", async () => {
  const old = { ...recordOf("old"), at: NOW_MS - MAX_WAIT_MS - 1 }
  const { commit, logged } = setUp((table) => ({
    async wait(teamId, slot, waiting) {
      await table.wait(teamId, slot, waiting)
      await table.wait(teamId, slot, { id: "0", records: [old] })
    },
  }))
  await commit(recordOf("a"))
  expect(await logged()).toEqual(["a"])
})

test("believes no receipt for records that are not its own, and writes them", async () => {
  const { commit, logged, memory } = setUp((table) => ({
    async wait(teamId, slot, waiting) {
      await table.wait(teamId, slot, waiting)
      const forged = blockOf(slot, { ...waiting, records: [recordOf("another")] })
      const key = receiptKey(forged)
      if (key !== null) await memory.create(key, { places: placesOf(forged) })
    },
  }))
  expect((await commit(recordOf("a")))?.records.map(idOf)).toEqual(["a"])
  expect(await logged()).toEqual(["a"])
})

test("fills no block with more than one item may hold, by number or by size", async () => {
  const { commit, logged, blocks } = setUp()
  const many = Array.from({ length: MAX_BLOCK / 2 }, (_, index) => recordOf(`many ${index}`))
  const large = () => recordOf("large", { text: "x".repeat(150_000) })
  await Promise.all([commit(...many), commit(...many), commit(...many), commit(large()), commit(large())])
  expect(await logged()).toHaveLength(3 * many.length + 2)
  expect(blocks()).toBe(3)
})

/** Returns the first block of the team's chain, with what one member has waiting. */
function blockOf(slot: number, { id, records }: Waiting) {
  const members = [{ id, count: records.length }]
  return { records: linkAuditRecords(records, EMPTY_CHAIN), group: { slot, members } }
}
