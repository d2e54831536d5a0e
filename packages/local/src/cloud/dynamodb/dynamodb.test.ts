import { existsSync } from "node:fs"
import { copyFile, readFile, stat, truncate, writeFile } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { openDynamoDb } from "./dynamodb.ts"
import { bodyOf, CREATE_TABLE, databasePath, keyOf, openTables, TABLE_NAME } from "./testing/tables-file.ts"

const MARKER = "marker-7f3a"

describe("a damaged row", () => {
  test.each(["item", "size", "checksum"])(
    "causes InternalServerError on reads and changes, and is reported by its table, when its %s changed",
    async (column) => {
      const path = await databasePath()
      await (async () => {
        const tables = await openTables(path)
        await tables.put(MARKER, MARKER)
        await tables.put("whole", "whole")
        await tables.close()
      })()
      flip(path, column)

      const { get, put, send, reports } = await openTables(path)
      const changed = {
        Key: keyOf(MARKER),
        UpdateExpression: "REMOVE b",
      }
      const replies = await Promise.all([
        send("GetItem", { Key: keyOf(MARKER) }),
        send("Query", {
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": { S: "a" } },
        }),
        send("UpdateItem", changed),
        send("DeleteItem", { Key: keyOf(MARKER), ReturnValues: "ALL_OLD" }),
        put("another"),
      ])

      expect(replies.map(({ status }) => status)).toEqual([500, 500, 500, 500, 200])
      expect(replies.slice(0, 4).map((reply) => bodyOf(reply).__type)).toEqual(
        Array(4).fill("InternalServerError"),
      )
      expect(await get("whole")).toBe("whole")
      expect(new Set(reports)).toEqual(
        new Set([`The tables are damaged: A row of the table ${TABLE_NAME} does not match its checksum.`]),
      )
      // Reads and writes are each reported once a minute.
      expect(reports).toHaveLength(1)
      expect(replies.map(({ body }) => Buffer.from(body).toString()).join()).not.toContain(MARKER)
    },
  )

  test("can be overwritten, and then read", async () => {
    const path = await databasePath()
    const before = await openTables(path)
    await before.put("a", "first")
    await before.close()
    flip(path, "item")

    const { put, get } = await openTables(path)
    await put("a", "second")

    expect(await get("a")).toBe("second")
  })
})

describe("a database that its process did not close", () => {
  test("opens when its log was truncated, with every write before the cut", async () => {
    const path = await leftOpen([], ["a", "b", "c"])
    const { size } = await stat(`${path}-wal`)
    await truncate(`${path}-wal`, size - 1)

    const { get } = await openTables(path)

    expect(await Promise.all(["a", "b", "c"].map(get))).toEqual(["a", "b", undefined])
  })

  test("is refused unchanged when its log is damaged before the last writes", async () => {
    const path = await leftOpen([], ["a", "b", "c", "d"])
    const log = await readFile(`${path}-wal`)
    const frame = Math.floor(log.length / 2)
    log[frame] = (log[frame] ?? 0) ^ 1
    await writeFile(`${path}-wal`, log)

    await expect(openTables(path)).rejects.toMatchObject({ name: "DamagedDatabaseError" })

    expect(await readFile(`${path}-wal`)).toEqual(log)
  })

  test("is refused when only its log is left, and the log stays", async () => {
    const path = await leftOpen([], ["a"])
    const { size } = await stat(`${path}-wal`)
    await truncate(path, 0)

    await expect(openTables(path)).rejects.toMatchObject({ name: "DamagedDatabaseError" })

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

    await expect(openTables(path)).rejects.toMatchObject({ name: "DamagedDatabaseError" })
  })
})

test("leaves no log behind after closing", async () => {
  const path = await databasePath()
  const tables = await openTables(path)
  await tables.put("a")
  await tables.close()

  expect(existsSync(`${path}-wal`)).toBe(false)
})

test("refuses a file that is not a database with DamagedDatabaseError", async () => {
  const path = await databasePath()
  await writeFile(path, "no database".repeat(1000))

  await expect(openTables(path)).rejects.toMatchObject({ name: "DamagedDatabaseError" })
})

test("refuses a path that cannot be created, without a report", async () => {
  const reports: string[] = []
  const opening = openDynamoDb(`${await databasePath()}/tables.db`, (message) => reports.push(message))

  await expect(opening).rejects.toThrow()

  expect(reports).toEqual([])
})

test("refuses a database that a later version wrote, and does not change it", async () => {
  const path = await databasePath()
  const database = new DatabaseSync(path)
  database.exec("PRAGMA user_version = 3")
  database.close()

  await expect(openTables(path)).rejects.toMatchObject({
    cause: { message: expect.stringMatching(/later version/) },
  })
})

test("copies everything that was answered before, while writes continue", async () => {
  const path = await databasePath()
  const tables = await openTables(path)
  const before = Array.from({ length: 300 }, (_, index) => `before-${index}`)
  await Promise.all(before.map((sk) => tables.put(sk, sk)))
  let isDone = false
  const writing = (async () => {
    for (let index = 0; !isDone; index++) await tables.put(`during-${index}`)
  })()

  await tables.dynamodb.backup(`${path}.copy`)
  isDone = true
  await writing

  const copy = await openTables(`${path}.copy`)
  expect(await Promise.all(before.map(copy.get))).toEqual(before)
})

test.each([
  ["in a file", databasePath],
  ["in memory", async () => null],
])("%s, reads what was answered, in the order of the writes", async (_, pathOf) => {
  const { put, get } = await openTables(await pathOf())

  // They share transactions, and the last one wins.
  const replies = await Promise.all(Array.from({ length: 500 }, (_, index) => put("a", String(index))))

  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await get("a")).toBe("499")
})

test.each([
  ["DynamoDB_20120810.Scan", { TableName: TABLE_NAME }, "ValidationException"],
  ["DynamoDB_20120810.TransactWriteItems", {}, "ValidationException"],
  ["DynamoDB_20111205.GetItem", { TableName: TABLE_NAME }, "ValidationException"],
  [
    "DynamoDB_20120810.GetItem",
    { TableName: TABLE_NAME, Key: keyOf("a"), ProjectionExpression: "a" },
    "ValidationException",
  ],
  [
    "DynamoDB_20120810.GetItem",
    { TableName: TABLE_NAME, Key: keyOf("a"), ReturnConsumedCapacity: "TOTAL" },
    "ValidationException",
  ],
  [
    "DynamoDB_20120810.GetItem",
    { TableName: TABLE_NAME, Key: keyOf("a"), ConsistentRead: "yes" },
    "ValidationException",
  ],
  [
    "DynamoDB_20120810.GetItem",
    { TableName: TABLE_NAME, Key: { ...keyOf("a"), other: { S: "a" } } },
    "ValidationException",
  ],
  ["DynamoDB_20120810.GetItem", { TableName: TABLE_NAME }, "ValidationException"],
  ["DynamoDB_20120810.GetItem", { TableName: 1, Key: keyOf("a") }, "ValidationException"],
  ["DynamoDB_20120810.GetItem", { TableName: "!", Key: keyOf("a") }, "ValidationException"],
  ["DynamoDB_20120810.GetItem", { TableName: "other", Key: keyOf("a") }, "ResourceNotFoundException"],
  [
    "DynamoDB_20120810.PutItem",
    { TableName: TABLE_NAME, Item: keyOf("a"), Expected: {} },
    "ValidationException",
  ],
  [
    "DynamoDB_20120810.PutItem",
    { TableName: TABLE_NAME, Item: keyOf("a"), ReturnValues: "ALL_NEW" },
    "ValidationException",
  ],
  [
    "DynamoDB_20120810.PutItem",
    { TableName: TABLE_NAME, Item: { ...keyOf("a"), "": { S: "a" } } },
    "ValidationException",
  ],
  [
    "DynamoDB_20120810.PutItem",
    { TableName: TABLE_NAME, Item: keyOf("a"), ExpressionAttributeNames: { a: "a" } },
    "ValidationException",
  ],
  ["DynamoDB_20120810.UpdateItem", { TableName: TABLE_NAME, Key: keyOf("a") }, "ValidationException"],
  [
    "DynamoDB_20120810.Query",
    {
      TableName: TABLE_NAME,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": { S: "a" } },
      FilterExpression: "a = :pk",
    },
    "ValidationException",
  ],
  ["DynamoDB_20120810.Query", { TableName: TABLE_NAME, IndexName: "a" }, "ValidationException"],
  [
    "DynamoDB_20120810.CreateTable",
    { ...CREATE_TABLE, TableName: "other", BillingMode: "PROVISIONED" },
    "ValidationException",
  ],
  [
    "DynamoDB_20120810.CreateTable",
    { ...CREATE_TABLE, TableName: "other", StreamSpecification: {} },
    "ValidationException",
  ],
  [
    "DynamoDB_20120810.CreateTable",
    { ...CREATE_TABLE, TableName: "other", KeySchema: CREATE_TABLE.KeySchema.slice(0, 1) },
    "ValidationException",
  ],
  [
    "DynamoDB_20120810.UpdateTimeToLive",
    { TableName: TABLE_NAME, TimeToLiveSpecification: { Enabled: false, AttributeName: "a" } },
    "ValidationException",
  ],
] as const)("refuses unsupported requests: %s of %j with %s", async (target, members, type) => {
  const { dynamodb } = await openTables(null)

  const reply = await dynamodb.answer(target, JSON.stringify(members))

  expect({ status: reply.status, type: bodyOf(reply).__type }).toEqual({ status: 400, type })
})

test.each(["", "{", "[]", "null", '"a"'])("refuses the body %j with SerializationException", async (body) => {
  const { dynamodb } = await openTables(null)
  for (const operation of ["GetItem", "PutItem"]) {
    const reply = await dynamodb.answer(`DynamoDB_20120810.${operation}`, body)
    expect(bodyOf(reply).__type).toBe("SerializationException")
  }
})

test("answers InternalServerError once it is closed", async () => {
  for (const path of [await databasePath(), null]) {
    const tables = await openTables(path)
    await tables.close()
    for (const reply of [await tables.put("a"), await tables.send("ListTables")]) {
      expect(bodyOf(reply).__type).toBe("InternalServerError")
    }
  }
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
  const tables = await openTables(path)
  for (const sk of earlier) await tables.put(sk, sk)
  const database = new DatabaseSync(path)
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  database.close()
  for (const sk of logged) await tables.put(sk, sk)
  await copyFile(path, copy)
  await copyFile(`${path}-wal`, `${copy}-wal`)
  await tables.close()
  return copy
}
