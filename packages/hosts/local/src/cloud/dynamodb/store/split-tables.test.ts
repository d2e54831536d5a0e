import type { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { ItemStore } from "./item-store.ts"
import { openInMemory } from "./open-database.ts"
import { ensureSchema } from "./schema.ts"
import { writeItem } from "./stored-items.ts"

const MOVED = [
  ["config", "keys", "api-key#hash", "api-key"],
  ["config", "keys", "app#app_1", "api-key#key_1"],
  ["config", "keys", "team#team_1", "api-key#key_2"],
  ["config", "keys", "app#app_1", "key-version#0000000001"],
  ["config", "keys", "session#hash", "session"],
  ["config", "keys", "member-sessions#member_1", "sessions"],
  ["config", "keys", "team#team_1", "roster"],
  ["events", "audit", "team#team_1", "audit#000000000001"],
] as const
const KEPT = [
  ["config", "app#app_1", "app"],
  ["config", "team#team_1", "team"],
  ["config", "app#app_1", "data-role#pci"],
  ["events", "app#app_1", "webhook-event#1"],
  ["events", "api-key-use#app_1", "key_1"],
] as const

/** Returns a database of layout 1, with records of all kinds and others that fill several pages. */
function oldDatabase(others = 0): DatabaseSync {
  const database = openInMemory()
  const store = new ItemStore(database)
  for (const name of ["config", "events"]) {
    store.createTable({ name, partitionKey: "pk", sortKey: "sk", timeToLive: null, createdAt: 1 })
  }
  for (const [table, , pk, sk] of MOVED) put(store, table, pk, sk)
  for (const [table, pk, sk] of KEPT) put(store, table, pk, sk)
  for (let seq = 2; seq < others + 2; seq++)
    put(store, "events", "team#team_1", `audit#${String(seq).padStart(12, "0")}`)
  database.exec("PRAGMA user_version = 1")
  return database
}

function put(store: ItemStore, name: string, pk: string, sk: string): void {
  const table = store.findTable(name)
  if (table === null) throw new Error("The table is missing")
  writeItem(
    store,
    table,
    new Map([
      ["pk", { S: pk }],
      ["sk", { S: sk }],
      ["filling", { S: "x".repeat(200) }],
    ]),
  )
}

/** Returns the keys of a table's records. @throws DamagedRowError */
function keysIn(database: DatabaseSync, name: string): string[] {
  const store = new ItemStore(database)
  const table = store.findTable(name)
  if (table === null) return []
  return store.keysAfter(table, null, 10_000).flatMap((key) => {
    const text = [key.partition, key.sort].map((part) => Buffer.from(part).toString()).join(" ")
    return store.read(table, key) === null ? [] : [text]
  })
}

test("moves keys, members and the audit log of an earlier layout into their own tables, and nothing else", () => {
  const database = oldDatabase(2_500)
  ensureSchema(database)
  const places = (name: string) => MOVED.filter(([, to]) => to === name).map(([, , pk, sk]) => `${pk} ${sk}`)
  expect(keysIn(database, "keys").sort()).toEqual(places("keys").sort())
  expect(keysIn(database, "audit")).toHaveLength(2_501)
  for (const name of ["config", "events"]) {
    const kept = KEPT.filter(([table]) => table === name).map(([, pk, sk]) => `${pk} ${sk}`)
    expect(keysIn(database, name).sort()).toEqual(kept.sort())
  }
  ensureSchema(database)
  expect(keysIn(database, "audit")).toHaveLength(2_501)
})

test("moves nothing when the disk is full in the middle of it, and everything the next time", () => {
  const database = oldDatabase(2_500)
  const before = keysIn(database, "events")
  const pages = database.prepare("PRAGMA page_count").get()?.page_count
  database.exec(`PRAGMA max_page_count = ${Number(pages) + 2}`)
  expect(() => ensureSchema(database)).toThrow("full")
  expect(keysIn(database, "events")).toEqual(before)
  expect([keysIn(database, "keys"), keysIn(database, "audit")]).toEqual([[], []])
  database.exec("PRAGMA max_page_count = 100000")
  ensureSchema(database)
  expect(keysIn(database, "audit")).toHaveLength(2_501)
})

test("moves a damaged record as it is, so that reading it fails, and the others", () => {
  const database = oldDatabase()
  database.exec("UPDATE items SET checksum = checksum + 1 WHERE sort = CAST('roster' AS BLOB)")
  ensureSchema(database)
  expect(keysIn(database, "config")).toHaveLength(3)
  expect(() => keysIn(database, "keys")).toThrow("checksum")
  database.exec("DELETE FROM items WHERE sort = CAST('roster' AS BLOB)")
  expect(keysIn(database, "keys")).toHaveLength(6)
})
