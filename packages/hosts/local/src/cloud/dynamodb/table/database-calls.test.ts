import { duplexPair } from "node:stream"
import { isUnavailability, type Table } from "@sealway/ports"
import { expect, test } from "vitest"
import { type Call, createCaller } from "../../calls/create-caller.ts"
import { serveCalls } from "../../calls/serve-calls.ts"
import { openTable, TABLE_NAME } from "../testing/tables-file.ts"
import { databaseMethods, databaseOver } from "./database-calls.ts"
import { createDatabaseTable } from "./database-table.ts"
import type { TableWrite } from "./table-database.ts"

const KEY = { pk: "a", sk: "1" }

/** Opens a table of a process, and the same as another process has it. */
async function openShared(
  name = TABLE_NAME,
  writes: readonly TableWrite["kind"][] = ["put", "create", "replace", "remove", "add", "tally"],
) {
  const { database, table: own, close } = await openTable(null)
  const [near, far] = duplexPair()
  serveCalls(far, databaseMethods(database, new Map([[TABLE_NAME, new Set(writes)]])))
  const call = createCaller(near, 3_000)
  /** How many answers get lost, from the next one on. */
  let lost = 0
  const lossy: Call = async (method, input) => {
    const answer = await call(method, input)
    if (lost === 0) return answer
    lost--
    throw new Error("The answer is lost.")
  }
  const shared = createDatabaseTable(databaseOver(lossy), name, Date.now)
  const end = () => {
    far.destroy()
    near.destroy()
  }
  return { own, shared, end, close, loseNext: () => lost++ }
}

const errorOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)

test("another process reads what this one has answered, and this one what the other has", async () => {
  const { own, shared } = await openShared()
  const item = { text: "\u0000\u{1f600}", bytes: Uint8Array.of(0, 255), nested: { list: [1, null, true] } }

  expect(await shared.create(KEY, item)).toBe(true)
  expect(await own.get(KEY)).toEqual({ ...KEY, ...item })
  await own.put(KEY, { ...item, later: true })
  expect(await shared.get(KEY)).toEqual({ ...KEY, ...item, later: true })
  expect(await shared.get({ ...KEY, sk: "2" })).toBeNull()
})

test("another process makes only the kinds of write that it may, and may still read", async () => {
  const { own, shared } = await openShared(TABLE_NAME, ["create"])
  expect(await shared.create(KEY, { revision: 1 })).toBe(true)

  expect(isUnavailability(await errorOf(shared.put(KEY, { revision: 2 })))).toBe(true)
  expect(isUnavailability(await errorOf(shared.remove(KEY, 1)))).toBe(true)
  expect(isUnavailability(await errorOf(shared.tally(KEY, { add: { revision: 1 }, when: {} })))).toBe(true)
  expect(await shared.get(KEY)).toEqual(await own.get(KEY))
  expect(await own.get(KEY)).toMatchObject({ revision: 1 })
})

test("a write whose answer is lost throws unavailability, and when it is repeated with its attempt, is made once", async () => {
  const { own, shared, loseNext } = await openShared()
  const twice = async (write: (table: Table) => Promise<boolean>) => {
    loseNext()
    const first = await errorOf(write(shared))
    return [isUnavailability(first), await write(shared)]
  }

  expect(await twice((table) => table.create(KEY, { revision: 1 }, { attempt: "first" }))).toEqual([
    true,
    true,
  ])
  expect(await shared.create(KEY, { revision: 1 }, { attempt: "other" })).toBe(false)
  expect(await twice((table) => table.replace(KEY, {}, 1, { attempt: "second" }))).toEqual([true, true])
  expect(await own.get(KEY)).toMatchObject({ revision: 2 })
  expect(await twice((table) => table.remove(KEY, 2))).toEqual([true, true])
  expect(await own.get(KEY)).toBeNull()
})

test("a record that no table takes is refused as by the table itself, which is no unavailability", async () => {
  const { own, shared } = await openShared()
  for (const table of [own, shared]) {
    const refused = await errorOf(table.put(KEY, { text: "x".repeat(410_000) }))
    expect(refused).toBeInstanceOf(TypeError)
    expect(isUnavailability(refused)).toBe(false)
  }
})

test("calls throw unavailability when the process with the tables has ended, or has closed them", async () => {
  const ended = await openShared()
  ended.end()
  const closed = await openShared()
  await closed.close()
  for (const { shared } of [ended, closed]) {
    const errors = await Promise.all(
      [shared.get(KEY), shared.put(KEY, {}), shared.list("a", "")].map(errorOf),
    )
    expect(errors.map(isUnavailability)).toEqual([true, true, true])
  }
})

test("a table that the other process may not use is refused to it", async () => {
  const { shared } = await openShared("runs")
  const calls = [shared.get(KEY), shared.list("a", ""), shared.put(KEY, {}), shared.remove(KEY, 1)]
  for (const error of await Promise.all(calls.map(errorOf))) expect(error).toBeInstanceOf(Error)
})
