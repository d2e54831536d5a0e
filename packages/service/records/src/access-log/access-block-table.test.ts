import { createId } from "@sealway/kernel"
import { createMemoryTable } from "@sealway/ports/testing"
import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { createAccessBlock, readAccessLog } from "./access-block-table.ts"
import { ACCESS_SHARDS, AccessBlocks, accessBlocksOf } from "./access-blocks.ts"
import type { AccessRecord } from "./access-record.ts"
import { PLACE, recordAt } from "./testing/records.ts"

const START_MS = 1_700_000_000_000

async function write(table: ReturnType<typeof createMemoryTable>, records: readonly AccessRecord[]) {
  for (const block of accessBlocksOf(records)) await createAccessBlock(table, block, null)
}
const read = (table: ReturnType<typeof createMemoryTable>, range = {}) =>
  Array.fromAsync(readAccessLog(table, PLACE, { before: null, notBefore: null, ...range }))
const newestFirst = (records: readonly AccessRecord[]) =>
  records.toSorted((left, right) => (left.id < right.id ? 1 : -1))

describe("the access log", () => {
  test("lists records newest first, each once, however often and in whichever blocks they were written", async () => {
    const offsets = fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 1, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(
        offsets,
        fc.array(fc.array(fc.nat(), { maxLength: 12 }), { maxLength: 8 }),
        async (times, batches) => {
          const records = times.map((offset) => recordAt(START_MS + offset))
          const table = createMemoryTable()
          await write(table, records)
          for (const batch of batches) {
            const some = batch.flatMap((index) => records[index % records.length] ?? [])
            await write(table, [...new Set(some)])
          }
          expect(await read(table)).toEqual(newestFirst(records))
          const middle = records[0]?.id ?? ""
          const sorted = newestFirst(records)
          expect(await read(table, { before: middle })).toEqual(sorted.filter(({ id }) => id < middle))
          expect(await read(table, { notBefore: middle })).toEqual(sorted.filter(({ id }) => id >= middle))
        },
      ),
      { numRuns: 40 },
    )
  })

  test("writes the same item for the same batch, and never changes an existing item", async () => {
    const records = [1, 2, 3].map((offset) => recordAt(START_MS + offset))
    const table = createMemoryTable()
    await write(table, records)
    const before = structuredClone([...table.items])
    await write(table, records.toReversed())
    expect([...table.items]).toEqual(before)
    await write(table, records.slice(2))
    expect(table.items.size).toBe(2)
    expect(await read(table)).toEqual(newestFirst(records))
  })

  test("does not show records of another app, or of the same app id in another team", async () => {
    const table = createMemoryTable()
    const mine = recordAt(START_MS)
    await write(table, [
      mine,
      recordAt(START_MS, { appId: "app_2" }),
      recordAt(START_MS, { teamId: "team_2" }),
    ])
    expect(await read(table)).toEqual([mine])
  })

  test.each([
    [999, 1],
    [1_000, 1],
    [1_001, 2],
  ])("splits %i records into %i blocks, each small enough for an item", (count, blocks) => {
    const made = accessBlocksOf(Array.from({ length: count }, () => recordAt(START_MS, { roles: {} })))
    expect(made.map((block) => block.count).reduce((sum, each) => sum + each, 0)).toBe(count)
    expect(made.length).toBeGreaterThanOrEqual(blocks)
    for (const { json } of made) expect(json.length).toBeLessThan(390_000)
  })

  test("splits records with very many roles into blocks that fit into an item", () => {
    const roles = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`role-of-long-name-${index}`, 1]),
    )
    const made = accessBlocksOf(Array.from({ length: 100 }, () => recordAt(START_MS, { roles })))
    expect(made.length).toBeGreaterThan(1)
    for (const { json } of made) expect(json.length).toBeLessThan(390_000)
  })

  test("reads records that were collected out of order, and blocks that began before others ended", async () => {
    const [first, second, third] = [1, 2, 3].map((offset) => recordAt(START_MS + offset))
    if (!first || !second || !third) throw new TypeError("There are three")
    const table = createMemoryTable()
    for (const records of [[third, first], [second]]) {
      const blocks = new AccessBlocks()
      for (const record of records) blocks.add(record)
      expect(blocks.count).toBe(records.length)
      for (const block of blocks.take()) await createAccessBlock(table, block, null)
      expect([blocks.count, blocks.take()]).toEqual([0, []])
    }
    expect(await read(table)).toEqual([third, second, first])
    expect(await read(table, { before: third.id })).toEqual([second, first])
  })

  test("puts records that are far apart in time into separate blocks", () => {
    const times = [0, 10_000, 10_001, 20_002]
    const made = accessBlocksOf(times.map((offset) => recordAt(START_MS + offset)))
    expect(made.map(({ count }) => count)).toEqual([2, 1, 1])
  })

  test("spreads blocks evenly over the app's partitions", async () => {
    const records = Array.from({ length: 400 }, (_, index) => recordAt(START_MS + index))
    const table = createMemoryTable()
    for (const record of records) await write(table, [record])
    const counts = Map.groupBy(table.items.keys(), (key) => key.split("\n")[0])
    expect(counts.size).toBe(ACCESS_SHARDS)
    for (const keys of counts.values()) expect(keys.length).toBeLessThan(75)
    expect(await read(table)).toEqual(newestFirst(records))
  })

  test("reads no more of the app's partitions than a page needs", async () => {
    const table = createMemoryTable()
    for (let index = 0; index < 400; index++) await write(table, [recordAt(START_MS + index)])
    const page = vi.fn(table.page)
    const first: AccessRecord[] = []
    for await (const record of readAccessLog({ page }, PLACE, { before: null, notBefore: null })) {
      first.push(record)
      if (first.length === 20) break
    }
    expect(first).toHaveLength(20)
    expect(page.mock.calls.length).toBeLessThan(2 * ACCESS_SHARDS)
  })

  test("writes records with the expiry that is set, counted from the last one of their block", async () => {
    const table = createMemoryTable()
    const records = [recordAt(START_MS), recordAt(START_MS + 5_000)]
    for (const block of accessBlocksOf(records)) await createAccessBlock(table, block, 30)
    const [item] = table.items.values()
    expect(item?.expiresAt).toBe(START_MS / 1000 + 5 + 30 * 24 * 60 * 60)
  })

  test("writes records without an expiry unless one is set, so they stay as long as the audit log", async () => {
    const table = createMemoryTable()
    await write(table, [recordAt(START_MS)])
    const [[key, item] = ["", {}]] = table.items
    expect(key).toMatch(/^team#team_1#access#app_1#\d+\naccess#access_/)
    expect(Object.keys(item).sort()).toEqual(["pk", "records", "sk"])
  })
})

test("encodes the record's time in its id, so a range of time is a range of ids", () => {
  expect(recordAt(START_MS).id.startsWith(createId("access", START_MS).slice(0, 17))).toBe(true)
})
