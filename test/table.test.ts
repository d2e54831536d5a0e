import { duplexPair } from "node:stream"
import { createCloudClients, type EmbeddedCloud, startEmbeddedCloud } from "@sealway/local"
import {
  ATTEMPT,
  createAwsClients,
  createDynamoDbTable,
  EVENTS_TABLE,
  TABLES,
  type Table,
} from "@sealway/platform"
import { createMemoryTable } from "@sealway/platform/testing"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createCaller } from "../packages/local/src/cloud/calls/create-caller.ts"
import { serveCalls } from "../packages/local/src/cloud/calls/serve-calls.ts"
import { databaseMethods, databaseOver } from "../packages/local/src/cloud/dynamodb/table/database-calls.ts"
import { createDatabaseTable } from "../packages/local/src/cloud/dynamodb/table/database-table.ts"

let cloud: EmbeddedCloud
const tables = new Map<string, Table>()
const clock = { ms: 1_000_000 }
const wallClock = () => clock.ms
const calls: string[] = []

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: [] })
  const { configuration, clients } = createCloudClients(cloud, {
    onCall: ({ operation }) => calls.push(operation),
  })
  tables.set("of this process", clients.openTable(configuration.eventsTable, wallClock))
  tables.set("in DynamoDB", createDynamoDbTable(clients.dynamodb, configuration.eventsTable, wallClock))
  const { dynamodb } = createAwsClients(configuration, {
    credentials: cloud.credentials,
    onCall: ({ operation }) => calls.push(operation),
  })
  tables.set("in DynamoDB, over HTTP,", createDynamoDbTable(dynamodb, configuration.eventsTable, wallClock))
  const [near, far] = duplexPair()
  serveCalls(
    far,
    databaseMethods(
      cloud.database,
      TABLES.map(({ name }) => name),
    ),
  )
  tables.set(
    "of another process",
    createDatabaseTable(databaseOver(createCaller(near, 3_000)), configuration.eventsTable, wallClock),
  )
  tables.set("in memory, as tests use it,", createMemoryTable({ wallClock }))
})
afterAll(() => cloud.close())

let keys = 0
const newKey = () => ({ pk: `key-${keys++}`, sk: "a" })

describe.each([
  "of this process",
  "of another process",
  "in DynamoDB",
  "in DynamoDB, over HTTP,",
  "in memory, as tests use it,",
])("a table %s", (kind) => {
  let table: Table
  beforeAll(() => {
    const found = tables.get(kind)
    if (found === undefined) throw new Error("There is no such table")
    table = found
  })

  test("creates a record once, and leaves the first unchanged", async () => {
    const key = newKey()
    expect(await table.create(key, { value: 1 })).toBe(true)
    expect(await table.create(key, { value: 2 })).toBe(false)
    expect(await table.get(key)).toMatchObject({ value: 1 })
    expect(await table.get({ ...key, sk: "b" })).toBeNull()
  })

  test("lists all of a prefix in descending order, over any number of pages", async () => {
    const large = "x".repeat(100_000)
    const names = Array.from({ length: 25 }, (_, index) => `item#${String(index).padStart(3, "0")}`)
    for (const sk of names) await table.create({ pk: "many", sk }, { large })
    await table.create({ pk: "many", sk: "other#1" }, {})
    calls.length = 0
    const listed = await table.list("many", "item#")
    expect(listed.map(({ sk }) => sk)).toEqual(names.toReversed())
    if (kind === "in DynamoDB") expect(calls.length).toBeGreaterThan(1)
  })

  test("returns a prefix page by page, and whether there is more", async () => {
    for (const sk of ["p#1", "p#2", "p#3", "q#1", "a"]) await table.create({ pk: "paged", sk }, {})
    const page = async (limit: number, after?: string) => {
      const { items, hasMore } = await table.page("paged", "p#", { limit, after })
      return [items.map(({ sk }) => sk), hasMore]
    }
    expect(await page(2)).toEqual([["p#3", "p#2"], true])
    expect(await page(2, "p#2")).toEqual([["p#1"], false])
    expect(await page(3)).toEqual([["p#3", "p#2", "p#1"], false])
    expect(await page(3, "p#25")).toEqual([["p#2", "p#1"], false])
    expect(await page(3, "p#1")).toEqual([[], false])
  })

  test("replaces and deletes a record of the given revision, and no other", async () => {
    const key = newKey()
    await table.create(key, { value: 1, revision: 1 })
    expect(await table.replace(key, { value: 2 }, 2)).toBe(false)
    expect(await table.replace(key, { value: 2 }, 1)).toBe(true)
    expect(await table.get(key)).toMatchObject({ value: 2, revision: 2 })
    expect(await table.replace(key, { value: 3 }, 1)).toBe(false)
    expect(await table.remove(key, 1)).toBe(false)
    expect(await table.remove(key, 2)).toBe(true)
    expect(await table.replace(key, { value: 4 }, 2)).toBe(false)
    expect(await table.get(key)).toBeNull()
  })

  test("regards a record as gone from the second in which it expires", async () => {
    const key = newKey()
    const expiresAt = clock.ms / 1000 + 10
    await table.create(key, { value: 1, expiresAt })
    clock.ms += 9_999
    expect(await table.get(key)).toMatchObject({ value: 1 })
    expect(await table.create(key, { value: 2 })).toBe(false)
    clock.ms += 1
    expect(await table.get(key)).toBeNull()
    expect(await table.list(key.pk, "")).toEqual([])
    expect(await table.create(key, { value: 2 })).toBe(true)
  })

  test("counts up to a limit and never past it, with any number of concurrent writers", async () => {
    const key = newKey()
    const add = (amount: number) =>
      table.add(key, { attribute: "used", amount, limit: 10, expiresAt: clock.ms })
    const totals = await Promise.all(Array.from({ length: 8 }, () => add(3)))
    expect(totals.filter((total) => total !== null).sort()).toEqual([3, 6, 9])
    expect(await add(2)).toBeNull()
    expect(await add(1)).toBe(10)
    await table.tally(key, { add: { used: -20 }, when: {} })
    expect(await add(11)).toBeNull()
    expect(await add(10)).toBe(0)
  })

  test("changes several counters in one step, and none unless each has the required value", async () => {
    const key = newKey()
    const absent = await table.tally(key, { add: { total: 1 }, when: { total: { min: 1 } } })
    expect([absent, await table.get(key)]).toEqual([null, null])
    const take = { add: { total: 1, a: 1 }, when: { total: { max: 2 } } }
    const taken = await Promise.all(Array.from({ length: 5 }, () => table.tally(key, take)))
    expect(taken.filter((item) => item !== null)).toHaveLength(3)
    expect(await table.get(key)).toMatchObject({ total: 3, a: 3 })

    const other = { add: { total: -3 }, remove: ["a"], when: { a: { min: 2, max: 2 }, total: { min: 1 } } }
    expect(await table.tally(key, other)).toBeNull()
    const given = { ...other, when: { a: { min: 3, max: 3 }, b: { min: 0, max: 0 } } }
    expect(await table.tally(key, given)).toEqual({ ...key, total: 0 })
    expect(await table.get(key)).toEqual({ ...key, total: 0 })
  })
})

test("tables of every kind answer any calls alike", async () => {
  const small = fc.integer({ min: -3, max: 6 })
  const key = fc.record({
    pk: fc.constant("p"),
    sk: fc.constantFrom("a", "a#1", "a#2", "b", "ä", "\u{1f600}"),
  })
  const counter = fc.constantFrom("total", "other")
  const bounds = fc.dictionary(
    counter,
    fc.oneof(fc.record({ min: small }), fc.record({ max: small }), fc.record({ min: small, max: small })),
  )
  const expiresAt = fc.constantFrom(clock.ms / 1000 - 1, clock.ms / 1000, clock.ms / 1000 + 1)
  const item = fc.record(
    {
      revision: small,
      value: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null))),
      bytes: fc.uint8Array(),
      expiresAt,
    },
    { requiredKeys: [] },
  )
  const call = fc.oneof(
    key.map((at) => (table: Table) => table.get(at)),
    fc.constantFrom("", "a", "a#").map((prefix) => (table: Table) => table.list("p", prefix)),
    fc
      .record({ limit: fc.integer({ min: 1, max: 3 }), after: fc.constantFrom("a#1", "b", "ä") })
      .map((request) => (table: Table) => table.page("p", "", request)),
    fc.tuple(key, item).map(
      ([at, given]) =>
        (table: Table) =>
          table.create(at, given, { attempt: "mine" }),
    ),
    fc.tuple(key, item).map(
      ([at, given]) =>
        (table: Table) =>
          table.put(at, given),
    ),
    fc.tuple(key, item, small).map(([at, given, revision]) => {
      const isMade = (standing: object | null) => standing === null
      return (table: Table) => table.replace(at, given, revision, { attempt: "mine", isMade })
    }),
    fc.tuple(key, small).map(
      ([at, revision]) =>
        (table: Table) =>
          table.remove(at, revision),
    ),
    fc.tuple(key, small, small, expiresAt).map(([at, amount, limit, expiry]) => {
      const change = { attribute: "total", amount, limit, expiresAt: expiry }
      return (table: Table) => table.add(at, change)
    }),
    fc.tuple(key, fc.dictionary(counter, small, { minKeys: 1 }), bounds).map(
      ([at, add, when]) =>
        (table: Table) =>
          table.tally(at, { add, when }),
    ),
  )
  let round = 0
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 15 }), async (calls) => {
      round++
      const answersOf = async (kind: string) => {
        const table = within(`${kind} ${round}`, tables.get(kind))
        const answers: unknown[] = []
        for (const each of calls) answers.push(comparable(await each(table)))
        return answers
      }
      const expected = await answersOf("in DynamoDB")
      expect(await answersOf("of this process")).toEqual(expected)
      expect(await answersOf("of another process")).toEqual(expected)
      expect(await answersOf("in memory, as tests use it,")).toEqual(expected)
    }),
  )
})

/** Leaves out the partition, and who wrote a record, which a table needs only where calls are repeated. */
function comparable(answer: unknown): unknown {
  const own: readonly string[] = ["pk", ATTEMPT]
  return JSON.parse(JSON.stringify(answer ?? null, (name, value) => (own.includes(name) ? undefined : value)))
}

/** Puts all calls to one partition of their own. */
function within(partition: string, table: Table | undefined): Table {
  if (table === undefined) throw new Error("There is no such table")
  return new Proxy(table, {
    get:
      (target, method: keyof Table) =>
      (at: object | string, ...others: readonly unknown[]) => {
        const first = typeof at === "string" ? partition : { ...at, pk: partition }
        return Reflect.apply(target[method], target, [first, ...others])
      },
  })
}

describe("a write whose answer is lost", () => {
  const lossy = () => {
    let isToLose = false
    let sent = 0
    // Each attempt succeeds here: the answer is lost, after the write has taken effect.
    const dynamodb: EmbeddedCloud["requestHandlers"]["dynamodb"] = {
      async handle(...request) {
        sent++
        const answer = await cloud.requestHandlers.dynamodb.handle(...request)
        if (!isToLose) return answer
        isToLose = false
        throw Object.assign(new Error("No answer came"), { name: "TimeoutError" })
      },
    }
    const place = { ...cloud, requestHandlers: { ...cloud.requestHandlers, dynamodb } }
    return {
      table: createDynamoDbTable(createCloudClients(place).clients.dynamodb, EVENTS_TABLE.name, wallClock),
      sent: () => sent,
      loseNext: () => {
        isToLose = true
      },
    }
  }

  test("is made once, and is recognised as its own when it is sent again", async () => {
    const { table, sent, loseNext } = lossy()
    const key = newKey()
    loseNext()
    expect(await table.create(key, { value: 1, revision: 1 })).toBe(true)
    expect(sent()).toBe(2)
    loseNext()
    expect(await table.replace(key, { value: 2 }, 1)).toBe(true)
    expect(sent()).toBe(4)
    expect(await table.get(key)).toMatchObject({ value: 2, revision: 2 })
    loseNext()
    expect(await table.remove(key, 2)).toBe(true)
    expect(sent()).toBe(7)
  })

  test("is not mistaken for its own when somebody else has written", async () => {
    const { table } = lossy()
    const key = newKey()
    expect(await table.create(key, { value: 1, revision: 1 })).toBe(true)
    expect(await table.create(key, { value: 1, revision: 1 })).toBe(false)
    expect(await table.replace(key, { value: 2 }, 2)).toBe(false)
  })
})
