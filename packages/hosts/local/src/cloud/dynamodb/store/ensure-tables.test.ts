import { expect, test } from "vitest"
import { DEFINITION } from "../testing/tables-file.ts"
import { ensureTables } from "./ensure-tables.ts"
import { ItemStore } from "./item-store.ts"
import { openInMemory } from "./open-database.ts"

const NOW = () => 1_000

test("creates the missing tables, and leaves those that are there", () => {
  const database = openInMemory().connection
  const names = () => new ItemStore(database).listTables().map(({ name, createdAt }) => [name, createdAt])
  ensureTables(database, [DEFINITION], NOW)
  ensureTables(database, [DEFINITION, { ...DEFINITION, name: "runs" }], () => 2_000)

  expect(names()).toEqual([
    ["config", 1],
    ["runs", 2],
  ])
})

test("has a table expire by its attribute from then on, and never takes the attribute away", () => {
  const database = openInMemory().connection
  const timeToLive = () => new ItemStore(database).findTable(DEFINITION.name)?.timeToLive
  ensureTables(database, [DEFINITION], NOW)
  expect(timeToLive()).toBeNull()

  for (const timeToLiveAttribute of ["expiresAt", "expiresAt", null]) {
    ensureTables(database, [{ ...DEFINITION, timeToLiveAttribute }], NOW)
    expect(timeToLive()).toBe("expiresAt")
  }
})
