import type { DatabaseSync } from "node:sqlite"
import { beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { ensureTables } from "../store/ensure-tables.ts"
import { openForWriting, openInMemory } from "../store/open-database.ts"
import type { TableWrite } from "../table/table-database.ts"
import { DEFINITION, databasePath, keyOf, TABLE_NAME } from "../testing/tables-file.ts"
import { createWriteEngine, type WriteEngine } from "./write-engine.ts"
import type { WriteReply } from "./writer.ts"

const DAY_SECONDS = 24 * 60 * 60
const NOW_SECONDS = 2_000_000_000

let database: DatabaseSync
let engine: WriteEngine
let reports: string[]

beforeEach(() => {
  const inMemory = openInMemory()
  database = inMemory.connection
  ensureTables(database, [DEFINITION], Date.now)
  reports = []
  engine = createWriteEngine(
    () => inMemory,
    () => NOW_SECONDS * 1000,
    (message) => reports.push(message),
  )
})

const write = (kind: TableWrite["kind"], members: object) =>
  JSON.stringify({ kind, table: TABLE_NAME, ...members })
const put = (sk: string, attributes: object = {}) => write("put", { item: { ...keyOf(sk), ...attributes } })
const create = (sk: string) => write("create", { item: keyOf(sk), now: NOW_SECONDS })
const expireBy = (timeToLiveAttribute: string) =>
  ensureTables(database, [{ ...DEFINITION, timeToLiveAttribute }], Date.now)

/** What a reply says in one word. */
const outcomeOf = (reply: WriteReply) =>
  reply.kind === "written" ? (reply.written.isMade ? "made" : "not made") : reply.kind

const sortKeys = () =>
  database
    .prepare("SELECT CAST(sort AS TEXT) AS sort FROM items ORDER BY sort")
    .all()
    .map(({ sort }) => sort)

describe("writes that share a transaction", () => {
  test("each see earlier ones, and are refused individually", () => {
    const replies = engine.write([put("a"), create("a"), create("b"), write("put", { item: {} })])

    expect(replies.map(outcomeOf)).toEqual(["made", "not made", "made", "invalid"])
    expect(sortKeys()).toEqual(["a", "b"])
  })

  test("are done one by one when the disk has no room for all of them, and in order again when it has", () => {
    engine.write([put("before", { text: { S: "x".repeat(200) } })])
    const { page_count: pages } = database.prepare("PRAGMA page_count").get() ?? {}
    database.exec(`PRAGMA max_page_count = ${Number(pages) + 1}`)
    const large = { text: { S: "x".repeat(100_000) } }

    const replies = engine.write([put("a"), put("b", large), put("c")])

    expect(replies.map(outcomeOf)).toEqual(["made", "unavailable", "made"])
    expect(reports).toEqual(["The disk is full. Writes to the tables are refused until there is space."])
    expect(sortKeys()).toEqual(["a", "before", "c"])

    database.exec("PRAGMA max_page_count = 100000")
    expect(engine.write([put("b", large)]).map(outcomeOf)).toEqual(["made"])
    expect(sortKeys()).toEqual(["a", "b", "before", "c"])
  })

  test("leave nothing behind of a write that could not be completed", () => {
    const { page_count: pages } = database.prepare("PRAGMA page_count").get() ?? {}
    database.exec(`PRAGMA max_page_count = ${pages}`)

    const replies = engine.write([put("a", { text: { S: "x".repeat(100_000) } })])
    expect(replies.map(outcomeOf)).toEqual(["unavailable"])

    expect(sortKeys()).toEqual([])
    expect(database.isTransaction).toBe(false)
  })
})

test("reopens the database after the disk failed, as often as needed, and loses nothing", async () => {
  const path = await databasePath()
  let isBroken = false
  const openings: boolean[] = []
  const ioError = () => Object.assign(new Error("disk I/O error"), { errcode: 10 })
  const open = () => {
    openings.push(isBroken)
    if (isBroken) throw ioError()
    const opened = openForWriting(path)
    const { connection } = opened
    ensureTables(connection, [DEFINITION], Date.now)
    const execute = connection.exec.bind(connection)
    connection.exec = (sql) => {
      if (isBroken && sql === "COMMIT") throw ioError()
      execute(sql)
    }
    return opened
  }
  const fragile = createWriteEngine(open, Date.now, (message) => reports.push(message))
  onTestFinished(() => fragile.close())
  const outcomes = (writes: readonly string[]) => fragile.write(writes).map(outcomeOf)
  expect(outcomes([put("a")])).toEqual(["made"])

  isBroken = true
  expect(outcomes([put("b"), put("c")])).toEqual(["unavailable", "unavailable"])
  expect(outcomes([put("d")])).toEqual(["unavailable"])
  expect(outcomes([put("e")])).toEqual(["unavailable"])
  isBroken = false
  expect(outcomes([put("f")])).toEqual(["made"])

  expect(openings).toEqual([false, true, true, false])
  const isFree = (sk: string) => outcomes([create(sk)])[0]
  expect(["a", "b", "c", "d", "e", "f"].map(isFree)).toEqual([
    ...["not made", "made", "made", "made", "made", "not made"],
  ])
})

describe("expired items", () => {
  const at = (seconds: number) => ({ expiresAt: { N: String(seconds) } })
  const sweepAll = () => {
    let turns = 0
    while (engine.sweep()) turns++
    return turns
  }

  test("are removed, and others are not", () => {
    expireBy("expiresAt")
    engine.write([
      put("over", at(NOW_SECONDS - 1)),
      put("long over", at(NOW_SECONDS - 365 * DAY_SECONDS)),
      put("now", at(NOW_SECONDS)),
      put("later", at(NOW_SECONDS + 1)),
      put("never"),
      put("in a text", { expiresAt: { S: "1" } }),
      put("in milliseconds or minutes", at(1_000)),
      put("put off", at(NOW_SECONDS - 1)),
      put("put off", at(NOW_SECONDS + 1)),
    ])

    expect(sweepAll()).toBe(0)

    expect(sortKeys()).toEqual([
      "in a text",
      "in milliseconds or minutes",
      "later",
      "never",
      "now",
      "put off",
    ])
  })

  test("are removed if they existed before the table had the attribute", () => {
    engine.write([put("over", at(NOW_SECONDS - 1)), put("later", at(NOW_SECONDS + 1))])
    expect(sweepAll()).toBe(0)
    expect(sortKeys()).toEqual(["later", "over"])

    expireBy("expiresAt")
    sweepAll()

    expect(sortKeys()).toEqual(["later"])
  })

  test("are removed a hundred at a time", () => {
    expireBy("expiresAt")
    engine.write(Array.from({ length: 250 }, (_, index) => put(String(index), at(NOW_SECONDS - 1 - index))))

    expect(engine.sweep()).toBe(true)
    expect(sortKeys()).toHaveLength(150)
    expect(sweepAll()).toBe(1)
    expect(sortKeys()).toEqual([])
  })

  test("are removed by their own expiry, and stay, reported once, when they are damaged", () => {
    expireBy("expiresAt")
    engine.write([
      put("damaged", at(NOW_SECONDS - 1)),
      put("later", at(NOW_SECONDS + 1)),
      put("over", at(NOW_SECONDS - 1)),
    ])
    database.exec(`UPDATE items SET expires_at = 1999999000 WHERE sort = CAST('later' AS BLOB)`)
    database.exec(`UPDATE items SET checksum = checksum + 1 WHERE sort = CAST('damaged' AS BLOB)`)

    sweepAll()
    sweepAll()

    expect(sortKeys()).toEqual(["damaged", "later"])
    expect(reports).toEqual([
      "The tables are damaged: A row of the table config does not match its checksum.",
    ])
  })
})
