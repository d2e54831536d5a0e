import { DatabaseSync } from "node:sqlite"
import { beforeEach, describe, expect, onTestFinished, test } from "vitest"
import type { Reply } from "../../aws-json-server.ts"
import { openForWriting } from "../store/open-database.ts"
import { ensureSchema } from "../store/schema.ts"
import { bodyOf, CREATE_TABLE, databasePath, keyOf, TABLE_NAME } from "../testing/tables-file.ts"
import { createWriteEngine, type WriteEngine } from "./write-engine.ts"

const DAY_SECONDS = 24 * 60 * 60
const NOW_SECONDS = 2_000_000_000

let database: DatabaseSync
let engine: WriteEngine
let reports: string[]

beforeEach(() => {
  database = new DatabaseSync(":memory:")
  ensureSchema(database)
  reports = []
  engine = createWriteEngine(
    () => database,
    () => NOW_SECONDS * 1000,
    (message) => reports.push(message),
  )
  one("CreateTable", CREATE_TABLE)
})

const write = (operation: string, members: object) => ({
  operation,
  body: JSON.stringify({ TableName: TABLE_NAME, ...members }),
})
const put = (sk: string, attributes: object = {}) =>
  write("PutItem", { Item: { ...keyOf(sk), ...attributes } })

function one(operation: string, members: object): Reply {
  const [reply] = engine.write([write(operation, members)])
  if (reply === undefined) throw new Error("There is no reply")
  return reply
}

const sortKeys = () =>
  database
    .prepare("SELECT CAST(sort AS TEXT) AS sort FROM items ORDER BY sort")
    .all()
    .map(({ sort }) => sort)

describe("writes that share a transaction", () => {
  test("each see earlier ones, and are refused individually", () => {
    const condition = { ConditionExpression: "attribute_not_exists(pk)" }
    const replies = engine.write([
      put("a"),
      write("PutItem", { Item: keyOf("a"), ...condition }),
      write("PutItem", { Item: keyOf("b"), ...condition }),
      write("PutItem", { Item: {} }),
    ])

    expect(replies.map((reply) => bodyOf(reply).__type)).toEqual([
      undefined,
      "ConditionalCheckFailedException",
      undefined,
      "ValidationException",
    ])
    expect(sortKeys()).toEqual(["a", "b"])
  })

  test("are done one by one when the disk has no room for all of them, and in order again when it has", () => {
    one("PutItem", { Item: { ...keyOf("before"), text: { S: "x".repeat(200) } } })
    const { page_count: pages } = database.prepare("PRAGMA page_count").get() ?? {}
    database.exec(`PRAGMA max_page_count = ${Number(pages) + 1}`)
    const large = { text: { S: "x".repeat(100_000) } }

    const replies = engine.write([put("a"), put("b", large), put("c")])

    expect(replies.map(({ status }) => status)).toEqual([200, 500, 200])
    expect(replies.map((reply) => bodyOf(reply).__type)).toEqual([
      undefined,
      "InternalServerError",
      undefined,
    ])
    expect(reports).toEqual(["The disk is full. Writes to the tables are refused until there is space."])
    expect(sortKeys()).toEqual(["a", "before", "c"])

    database.exec("PRAGMA max_page_count = 100000")
    expect(engine.write([put("b", large)]).map(({ status }) => status)).toEqual([200])
    expect(sortKeys()).toEqual(["a", "b", "before", "c"])
  })

  test("leave nothing behind of a write that could not be completed", () => {
    const { page_count: pages } = database.prepare("PRAGMA page_count").get() ?? {}
    database.exec(`PRAGMA max_page_count = ${pages}`)

    expect(engine.write([put("a", { text: { S: "x".repeat(100_000) } })])).toMatchObject([{ status: 500 }])

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
    const execute = opened.exec.bind(opened)
    opened.exec = (sql) => {
      if (isBroken && sql === "COMMIT") throw ioError()
      execute(sql)
    }
    return opened
  }
  const fragile = createWriteEngine(open, Date.now, (message) => reports.push(message))
  onTestFinished(() => fragile.close())
  const statuses = (writes: Parameters<WriteEngine["write"]>[0]) =>
    fragile.write(writes).map(({ status }) => status)
  expect(statuses([write("CreateTable", CREATE_TABLE), put("a")])).toEqual([200, 200])

  isBroken = true
  expect(statuses([put("b"), put("c")])).toEqual([500, 500])
  expect(statuses([put("d")])).toEqual([500])
  expect(statuses([put("e")])).toEqual([500])
  isBroken = false
  expect(statuses([put("f")])).toEqual([200])

  expect(openings).toEqual([false, true, true, false])
  const condition = { ConditionExpression: "attribute_exists(pk)" }
  const isThere = (sk: string) => write("PutItem", { Item: keyOf(sk), ...condition })
  expect(statuses(["a", "b", "c", "d", "e", "f"].map(isThere))).toEqual([200, 400, 400, 400, 400, 200])
})

describe("expired items", () => {
  const at = (seconds: number) => ({ expiresAt: { N: String(seconds) } })
  const sweepAll = () => {
    let turns = 0
    while (engine.sweep()) turns++
    return turns
  }

  test("are removed, and others are not", () => {
    one("UpdateTimeToLive", { TimeToLiveSpecification: { Enabled: true, AttributeName: "expiresAt" } })
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

    one("UpdateTimeToLive", { TimeToLiveSpecification: { Enabled: true, AttributeName: "expiresAt" } })
    sweepAll()

    expect(sortKeys()).toEqual(["later"])
  })

  test("stay when the table no longer has the attribute", () => {
    const specification = (Enabled: boolean) => ({
      TimeToLiveSpecification: { Enabled, AttributeName: "expiresAt" },
    })
    one("UpdateTimeToLive", specification(true))
    engine.write([put("over", at(NOW_SECONDS - 1))])
    one("UpdateTimeToLive", specification(false))

    sweepAll()

    expect(sortKeys()).toEqual(["over"])
  })

  test("are removed a hundred at a time", () => {
    one("UpdateTimeToLive", { TimeToLiveSpecification: { Enabled: true, AttributeName: "expiresAt" } })
    engine.write(Array.from({ length: 250 }, (_, index) => put(String(index), at(NOW_SECONDS - 1 - index))))

    expect(engine.sweep()).toBe(true)
    expect(sortKeys()).toHaveLength(150)
    expect(sweepAll()).toBe(1)
    expect(sortKeys()).toEqual([])
  })

  test("are removed by their own expiry, and stay, reported once, when they are damaged", () => {
    one("UpdateTimeToLive", { TimeToLiveSpecification: { Enabled: true, AttributeName: "expiresAt" } })
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
