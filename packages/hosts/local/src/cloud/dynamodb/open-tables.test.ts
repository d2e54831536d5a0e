import { existsSync } from "node:fs"
import { copyFile, readFile, stat, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import { isUnavailability } from "@sealway/ports"
import { describe, expect, test } from "vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { openDatabase, openTables } from "./open-tables.ts"
import { noteAll } from "./store/lost-commits.ts"
import { openForReading } from "./store/open-for-reading.ts"
import { DEFINITION, databasePath, openTable, TABLE_NAME } from "./testing/tables-file.ts"

const MARKER = "marker-7f3a"

describe("a damaged row", () => {
  test.each(["item", "size", "checksum"])(
    "makes what reads and changes it unavailable, and is reported by its table, when its %s changed",
    async (column) => {
      const path = await databasePath()
      await (async () => {
        const { put, close } = await openTable(path)
        await put(MARKER, MARKER)
        await put("whole", "whole")
        await close()
      })()
      flip(path, column)

      const { table, get, put, reports } = await openTable(path)
      const key = { pk: "a", sk: MARKER }
      const calls = [
        table.get(key),
        table.list("a", ""),
        table.tally(key, { add: { b: 1 }, when: {} }),
        table.remove(key, 1),
      ]
      const errors = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)))
      await put("another")

      expect(errors.map(isUnavailability)).toEqual([true, true, true, true])
      expect(await get("whole")).toBe("whole")
      expect(new Set(reports)).toEqual(
        new Set([`The tables are damaged: A row of the table ${TABLE_NAME} does not match its checksum.`]),
      )
      // Reads and writes are each reported once a minute.
      expect(reports).toHaveLength(1)
      expect(errors.map(String).join()).not.toContain(MARKER)
    },
  )

  test("can be overwritten, and then read", async () => {
    const path = await databasePath()
    const before = await openTable(path)
    await before.put("a", "first")
    await before.close()
    flip(path, "item")

    const { put, get } = await openTable(path)
    await put("a", "second")

    expect(await get("a")).toBe("second")
  })
})

describe("a database that its process did not close", () => {
  test("is refused unchanged when its log is damaged before the last writes", async () => {
    const path = await leftOpen([], ["a", "b", "c", "d"])
    const log = await readFile(`${path}-wal`)
    const frame = Math.floor(log.length / 2)
    log[frame] = (log[frame] ?? 0) ^ 1
    await writeFile(`${path}-wal`, log)

    await expect(openTable(path)).rejects.toMatchObject({ name: "DamagedDatabaseError" })

    expect(await readFile(`${path}-wal`)).toEqual(log)
  })

  test("is refused when only its log is left, and the log stays", async () => {
    const path = await leftOpen([], ["a"])
    const { size } = await stat(`${path}-wal`)
    await truncate(path, 0)

    await expect(openTable(path)).rejects.toMatchObject({ name: "DamagedDatabaseError" })

    expect(await stat(`${path}-wal`)).toMatchObject({ size })
  })

  test("is refused when a page of the database is damaged", async () => {
    const path = await leftOpen(
      Array.from({ length: 200 }, (_, index) => String(index).padEnd(200)),
      ["last"],
    )
    const file = await readFile(path)
    file.fill(0xaa, file.length - 4096, file.length - 4096 + 64)
    await writeFile(path, file)

    await expect(openTable(path)).rejects.toMatchObject({ name: "DamagedDatabaseError" })
  })
})

test("leaves no log behind after closing", async () => {
  const path = await databasePath()
  const tables = await openTable(path)
  await tables.put("a")
  await tables.close()

  expect(existsSync(`${path}-wal`)).toBe(false)
})

test("refuses a file that is not a database with DamagedDatabaseError", async () => {
  const path = await databasePath()
  await writeFile(path, "no database".repeat(1000))

  await expect(openTable(path)).rejects.toMatchObject({ name: "DamagedDatabaseError" })
})

test("refuses a path that cannot be created, without a report", async () => {
  const reports: string[] = []
  const path = `${await databasePath()}/tables.db`
  const opening = openDatabase(path, [DEFINITION], (message) => reports.push(message))

  await expect(opening).rejects.toThrow()

  expect(reports).toEqual([])
})

test("refuses a database that a later version wrote, and does not change it", async () => {
  const path = await databasePath()
  const database = new DatabaseSync(path)
  database.exec("PRAGMA user_version = 3")
  database.close()

  await expect(openTable(path)).rejects.toMatchObject({
    cause: { message: expect.stringMatching(/later version/) },
  })
})

test("copies everything that was answered before, while writes continue", async () => {
  const path = await databasePath()
  const tables = await openTable(path)
  const before = Array.from({ length: 300 }, (_, index) => `before-${index}`)
  await Promise.all(before.map((sk) => tables.put(sk, sk)))
  let isDone = false
  const writing = (async () => {
    for (let index = 0; !isDone; index++) await tables.put(`during-${index}`)
  })()

  const reading = openForReading(path)
  await backup(reading, `${path}.copy`, { rate: 10_000 })
  reading.close()
  isDone = true
  await writing

  noteAll(`${path}.copy`)
  const copy = await openTable(`${path}.copy`)
  expect(await Promise.all(before.map(copy.get))).toEqual(before)
})

test.each([
  ["in a file", databasePath],
  ["in memory", async () => null],
])("%s, reads what was answered, in the order of the writes", async (_, pathOf) => {
  const { put, get } = await openTable(await pathOf())

  // They share transactions, and the last one wins.
  await Promise.all(Array.from({ length: 500 }, (_, index) => put("a", String(index))))

  expect(await get("a")).toBe("499")
})

test("is unavailable once it is closed", async () => {
  for (const path of [await databasePath(), null]) {
    const { table, put, close } = await openTable(path)
    await close()
    const calls = [put("a"), table.get({ pk: "a", sk: "a" }), table.list("a", "")]
    const errors = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)))
    expect(errors.map(isUnavailability)).toEqual([true, true, true])
  }
})

test("refuses with tables-damaged when the database in its folder is none", async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, "tables.db"), "This is not a database.\n".repeat(100))

  await expect(openTables(folder, [DEFINITION], () => undefined)).rejects.toMatchObject({
    code: "tables-damaged",
  })
})

/** Flips one bit of a column in the row of the marker or of "a", as a faulty disk may. */
function flip(path: string, column: string): void {
  const database = new DatabaseSync(path)
  const isBytes = column === "item"
  const changed = isBytes ? `CAST(replace(CAST(item AS TEXT), '"pk"', '"pj"') AS BLOB)` : `${column} + 1`
  database.exec(
    `UPDATE items SET ${column} = ${changed} WHERE sort IN (CAST('${MARKER}' AS BLOB), CAST('a' AS BLOB))`,
  )
  database.close()
}

/**
 * Creates a database and its log as a process leaves them that is killed after these writes; the earlier ones are not
 * in the log.
 */
async function leftOpen(earlier: readonly string[], logged: readonly string[]): Promise<string> {
  const path = await databasePath()
  const copy = `${path}.left`
  const tables = await openTable(path)
  for (const sk of earlier) await tables.put(sk, sk)
  const database = new DatabaseSync(path)
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  database.close()
  for (const sk of logged) await tables.put(sk, sk)
  await copyFile(path, copy)
  for (const beside of ["-wal", "-commits"]) await copyFile(`${path}${beside}`, `${copy}${beside}`)
  await tables.close()
  return copy
}
