import { DatabaseSync } from "node:sqlite"
import { isUnavailability } from "@sealway/ports"
import { describe, expect, test } from "vitest"
import { databasePath, openTable } from "../testing/tables-file.ts"

const KEY = { pk: "a", sk: "1" }

test("a table of this process keeps what it answered, for the next process", async () => {
  const path = await databasePath()
  const { table, close } = await openTable(path)
  await table.create(KEY, { value: "kept", bytes: Uint8Array.of(0, 255), nested: { list: [1, null, true] } })
  await close()

  const next = await openTable(path)
  expect(await next.table.get(KEY)).toEqual({
    ...KEY,
    value: "kept",
    bytes: Uint8Array.of(0, 255),
    nested: { list: [1, null, true] },
  })
})

test("lists of more than one read's megabyte come whole and in order", async () => {
  const { table } = await openTable(await databasePath())
  const names = Array.from({ length: 12 }, (_, index) => `many#${String(index).padStart(2, "0")}`)
  await Promise.all(names.map((sk) => table.put({ pk: "a", sk }, { text: "x".repeat(300_000) })))

  expect((await table.list("a", "many#")).map(({ sk }) => sk)).toEqual(names.toReversed())
  const { items, hasMore } = await table.page("a", "many#", { limit: 7, after: "many#09" })
  expect([items.map(({ sk }) => sk), hasMore]).toEqual([names.slice(2, 9).toReversed(), true])
})

describe("a table of this process refuses", () => {
  test.each([
    ["an item larger than DynamoDB's 400 KB", KEY, { text: "x".repeat(410_000) }],
    ["half a surrogate pair, which has no UTF-8 form", KEY, { text: "\ud800" }],
    ["an empty sort key", { pk: "a", sk: "" }, {}],
  ])("%s, and writes nothing", async (_, key, item) => {
    const { table } = await openTable(await databasePath())

    const refused = await table.create(key, item).catch((error: unknown) => error)

    expect(refused).toBeInstanceOf(TypeError)
    expect(isUnavailability(refused)).toBe(false)
    expect(await table.list("a", "")).toEqual([])
  })

  test("a record whose bytes were changed on the disk, as unavailable", async () => {
    const path = await databasePath()
    const first = await openTable(path)
    await first.table.put(KEY, { value: "1" })
    await first.table.put({ pk: "a", sk: "2" }, { value: "2" })
    await first.close()
    const database = new DatabaseSync(path)
    database.exec("UPDATE items SET checksum = checksum + 1 WHERE sort = CAST('1' AS BLOB)")
    database.close()

    const { table } = await openTable(path)
    const reads = [table.get(KEY), table.list("a", ""), table.replace(KEY, {}, 1)]
    const errors = await Promise.all(reads.map((read) => read.catch((error: unknown) => error)))
    expect(errors.map(isUnavailability)).toEqual([true, true, true])
    expect(await table.get({ pk: "a", sk: "2" })).toMatchObject({ value: "2" })
  })

  test("calls after it was closed, as unavailable", async () => {
    const { table, close } = await openTable(await databasePath())
    await table.put(KEY, {})
    await close()

    const calls = [table.get(KEY), table.put(KEY, {})]
    const errors = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)))
    expect(errors.map(isUnavailability)).toEqual([true, true])
  })
})
