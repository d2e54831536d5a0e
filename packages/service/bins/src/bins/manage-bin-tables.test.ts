import { processTask } from "@sealway/kernel"
import type { Table } from "@sealway/ports"
import { createMemoryTable } from "@sealway/ports/testing"
import { type AuditAuthor, SYSTEM } from "@sealway/records"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { linesOf, row } from "../testing/bin-rows.ts"
import { appendRows } from "./append-rows.ts"
import { findActive, findBinTable } from "./bin-table-table.ts"
import {
  activateBinTable,
  addBinTable,
  type BinTableDependencies,
  deleteBinTable,
} from "./manage-bin-tables.ts"

const TEAM = "team_000000000000"
const AUTHOR: AuditAuthor = SYSTEM
const HOUR_MS = 3_600_000

function setUp() {
  const clock = { ms: 1_000 }
  const memory = createMemoryTable()
  let ids = 0
  const dependenciesOf = (table: Table): BinTableDependencies => ({
    paymentsTable: table,
    binRows: table,
    wallClock: () => clock.ms,
    audit: { record: async () => {}, read: async function* () {} },
    draws: {
      newId: (prefix) => `${prefix}_${String(++ids).padStart(12, "0")}`,
      randomBytes: (size) => Buffer.alloc(size),
    },
  })
  const dependencies = dependenciesOf(memory)
  const create = async () => {
    const { id } = await addBinTable(dependencies, TEAM, "A table", AUTHOR)
    await appendRows(
      dependencies,
      { teamId: TEAM, tableId: id },
      0,
      linesOf([row("400000"), row("400001")]),
      processTask,
    )
    return id
  }
  /** Counts the items with rows. */
  const rowItems = () => [...memory.items.keys()].filter((key) => key.startsWith("bin-rows#")).length
  /** Counts the items that mark rows for removal. */
  const notes = () => [...memory.items.keys()].filter((key) => key.includes("bin-rows-left#")).length
  return { clock, memory, dependencies, dependenciesOf, create, rowItems, notes }
}

describe("deleting a BIN table", () => {
  test("removes its rows, and those left by an earlier, interrupted deletion", async () => {
    const { dependencies, memory, create, rowItems } = setUp()
    await deleteBinTable(dependencies, TEAM, await create(), AUTHOR)
    expect(rowItems()).toBe(0)
    const id = await create()
    const dying: Table = { ...memory, page: () => Promise.reject(new Error("The process died")) }
    const died = deleteBinTable({ ...dependencies, binRows: dying }, TEAM, id, AUTHOR)
    await expect(died).rejects.toThrow("The process died")
    expect(await findBinTable(memory, TEAM, id)).toBeNull()
    expect(rowItems()).toBeGreaterThan(0)
    await addBinTable(dependencies, TEAM, "The next", AUTHOR)
    expect(rowItems()).toBe(0)
  })

  test("leaves no rows of a concurrent request, and forgets the table after an hour", async () => {
    const { clock, dependencies, memory, create, rowItems, notes } = setUp()
    const id = await create()
    const late: Table = {
      ...memory,
      async put(key, item) {
        if (key.pk.startsWith("bin-rows#")) await deleteBinTable(dependencies, TEAM, id, AUTHOR)
        await memory.put(key, item)
      },
    }
    const place = { teamId: TEAM, tableId: id }
    const adding = appendRows(
      { ...dependencies, binRows: late },
      place,
      2,
      linesOf([row("400002")]),
      processTask,
    )
    await expect(adding).rejects.toMatchObject({ code: "conflict" })
    expect(rowItems()).toBe(1)
    await addBinTable(dependencies, TEAM, "The next", AUTHOR)
    expect(rowItems()).toBe(0)
    expect(notes()).toBe(1)
    clock.ms += HOUR_MS + 1
    await addBinTable(dependencies, TEAM, "Another", AUTHOR)
    expect(notes()).toBe(0)
  })

  test("keeps the rows of a table that could not be deleted", async () => {
    const { dependencies, memory, create, rowItems } = setUp()
    const id = await create()
    const losing: Table = { ...memory, remove: async () => false }
    const lost = deleteBinTable({ ...dependencies, paymentsTable: losing }, TEAM, id, AUTHOR)
    await expect(lost).rejects.toMatchObject({ code: "conflict" })
    const before = rowItems()
    await addBinTable(dependencies, TEAM, "The next", AUTHOR)
    expect(await findBinTable(memory, TEAM, id)).not.toBeNull()
    expect(rowItems()).toBe(before)
  })

  test("never leaves it active, however its steps interleave with an activation", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.nat(6),
        fc.boolean(),
        async (scheduler, headStart, wasActivated) => {
          const { clock, memory, dependencies, dependenciesOf, create } = setUp()
          const id = await create()
          if (wasActivated) {
            await activateBinTable(dependencies, TEAM, id, AUTHOR)
            await activateBinTable(dependencies, TEAM, await create(), AUTHOR)
            clock.ms += HOUR_MS
          }
          const slow = dependenciesOf({
            ...memory,
            get: scheduler.scheduleFunction(memory.get),
            list: scheduler.scheduleFunction(memory.list),
            put: scheduler.scheduleFunction(memory.put),
            create: scheduler.scheduleFunction(memory.create),
            replace: scheduler.scheduleFunction(memory.replace),
            remove: scheduler.scheduleFunction(memory.remove),
          })
          const deleteLater = async () => {
            for (let step = 0; step < headStart; step++) await scheduler.schedule(Promise.resolve())
            await deleteBinTable(slow, TEAM, id, AUTHOR)
          }
          const ends = Promise.allSettled([activateBinTable(slow, TEAM, id, AUTHOR), deleteLater()])
          await scheduler.waitFor(ends)
          const serving = (await findActive(memory, TEAM))?.active ?? null
          if (serving !== null) expect(await findBinTable(memory, TEAM, serving)).not.toBeNull()
          for (const end of await ends) {
            if (end.status === "rejected") expect(["conflict", "not-found"]).toContain(end.reason.code)
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})
