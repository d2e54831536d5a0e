import { duplexPair } from "node:stream"
import { createCloudClients, type EmbeddedCloud, startEmbeddedCloud } from "@sealway/local"
import {
  createCaller,
  createDatabaseTable,
  databaseMethods,
  databaseOver,
  serveCalls,
} from "@sealway/local/testing"
import { ATTEMPT, EVENTS_TABLE, TABLES, type Table } from "@sealway/ports"
import { createMemoryTable } from "@sealway/ports/testing"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { describeTable } from "./contract/table.ts"
import { type DynaliteTables, startDynalite } from "./support/dynalite.ts"

let cloud: EmbeddedCloud
/** Of others: it reads the requests of the adapter by rules of its own. */
let dynamodb: DynaliteTables
const tables = new Map<string, Table>()
const clock = { ms: 1_000_000 }
const wallClock = () => clock.ms

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: [] })
  dynamodb = await startDynalite()
  const { clients } = createCloudClients(cloud)
  tables.set("of this process", clients.openTable(EVENTS_TABLE.name, wallClock))
  tables.set("in DynamoDB", dynamodb.openTable(EVENTS_TABLE.name, wallClock))
  const [near, far] = duplexPair()
  serveCalls(
    far,
    databaseMethods(
      cloud.database,
      new Map([[EVENTS_TABLE.name, new Set(["put", "create", "replace", "remove", "add", "tally"])]]),
    ),
  )
  tables.set(
    "of another process",
    createDatabaseTable(databaseOver(createCaller(near, 3_000)), EVENTS_TABLE.name, wallClock),
  )
  tables.set("in memory, as tests use it,", createMemoryTable({ wallClock }))
})
afterAll(() => Promise.all([cloud.close(), dynamodb.close()]))

const tableOf = (kind: string): Table => {
  const found = tables.get(kind)
  if (found === undefined) throw new Error("There is no such table")
  return found
}

let keys = 0
const newKey = () => ({ pk: `key-${keys++}`, sk: "a" })

for (const kind of ["of this process", "of another process", "in DynamoDB", "in memory, as tests use it,"]) {
  describeTable(`a table ${kind}`, () => tableOf(kind), clock)
}

test("lists in DynamoDB of more than one page of it come whole", async () => {
  const table = tableOf("in DynamoDB")
  const large = "x".repeat(100_000)
  const names = Array.from({ length: 25 }, (_, index) => `item#${String(index).padStart(3, "0")}`)
  for (const sk of names) await table.put({ pk: "pages", sk }, { large })
  const before = dynamodb.received()
  expect((await table.list("pages", "item#")).map(({ sk }) => sk)).toEqual(names.toReversed())
  expect(dynamodb.received() - before).toBeGreaterThan(1)
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
        const table = within(`${kind} ${round}`, tableOf(kind))
        const answers: unknown[] = []
        for (const each of calls) answers.push(comparable(await each(table)))
        return answers
      }
      const expected = await answersOf("in DynamoDB")
      expect(await answersOf("of this process")).toEqual(expected)
      expect(await answersOf("of another process")).toEqual(expected)
      expect(await answersOf("in memory, as tests use it,")).toEqual(expected)
    }),
    { numRuns: 40 },
  )
})

/** Leaves out the partition, and who wrote a record, which a table needs only where calls are repeated. */
function comparable(answer: unknown): unknown {
  const own: readonly string[] = ["pk", ATTEMPT]
  return JSON.parse(JSON.stringify(answer ?? null, (name, value) => (own.includes(name) ? undefined : value)))
}

/** Puts all calls to one partition of their own. */
function within(partition: string, table: Table): Table {
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
  test("is made once, and is recognised as its own when it is sent again", async () => {
    const table = dynamodb.openTable(EVENTS_TABLE.name, wallClock)
    const key = newKey()
    const made = async (write: () => Promise<boolean>) => {
      dynamodb.loseNextAnswer()
      const before = dynamodb.received()
      return [await write(), dynamodb.received() - before]
    }

    expect(await made(() => table.create(key, { value: 1, revision: 1 }))).toEqual([true, 2])
    expect(await made(() => table.replace(key, { value: 2 }, 1))).toEqual([true, 2])
    expect(await table.get(key)).toMatchObject({ value: 2, revision: 2 })
    expect(await made(() => table.remove(key, 2))).toEqual([true, 2])
  })

  test("is not mistaken for its own when somebody else has written", async () => {
    const table = dynamodb.openTable(EVENTS_TABLE.name, wallClock)
    const key = newKey()
    expect(await table.create(key, { value: 1, revision: 1 })).toBe(true)
    expect(await table.create(key, { value: 1, revision: 1 })).toBe(false)
    expect(await table.replace(key, { value: 2 }, 2)).toBe(false)
  })
})
