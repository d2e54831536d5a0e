import { createCloudClients, type EmbeddedCloud, startEmbeddedCloud } from "@sealway/local"
import { type ConfigTable, createConfigTable, TABLES } from "@sealway/platform"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

let cloud: EmbeddedCloud
let table: ConfigTable
const calls: string[] = []

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: [] })
  const { configuration, clients } = createCloudClients(cloud, {
    onCall: ({ operation }) => calls.push(operation),
  })
  table = createConfigTable(clients.dynamodb, configuration.configTable)
})
afterAll(() => cloud.close())

describe("the config table", () => {
  test("creates a record once, and leaves the first as it was", async () => {
    const key = { pk: "a", sk: "a" }
    expect(await table.create(key, { value: 1 })).toBe(true)
    expect(await table.create(key, { value: 2 })).toBe(false)
    expect(await table.get(key)).toMatchObject({ value: 1 })
    expect(await table.get({ pk: "a", sk: "b" })).toBeNull()
  })

  test("lists all of a prefix in descending order, however many pages they take", async () => {
    const large = "x".repeat(100_000)
    const names = Array.from({ length: 25 }, (_, index) => `item#${String(index).padStart(3, "0")}`)
    for (const sk of names) await table.create({ pk: "many", sk }, { large })
    await table.create({ pk: "many", sk: "other#1" }, {})
    calls.length = 0
    const listed = await table.list("many", "item#")
    expect(listed.map(({ sk }) => sk)).toEqual(names.toReversed())
    expect(calls.length).toBeGreaterThan(1)
  })
})
