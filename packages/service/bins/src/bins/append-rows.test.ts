import { processTask } from "@sealway/kernel"
import { createMemoryTable, exploreHistories, SimulatedService } from "@sealway/ports/testing"
import fc from "fast-check"
import { beforeEach, describe, expect, test } from "vitest"
import { arbitraryDigits, arbitraryRows, linesOf, row } from "../testing/bin-rows.ts"
import { appendRows } from "./append-rows.ts"
import type { BinRow } from "./bin-row.ts"
import { createBinTable, findBinTable, readRows } from "./bin-table-table.ts"
import type { BinTableDependencies } from "./manage-bin-tables.ts"
import { matchRows, windowOf } from "./match-rows.ts"
import { FIRST_ROW } from "./row-order.ts"

const PLACE = { teamId: "team_000000000000", tableId: "bin_table_000000000000" }

function setUp(table = createMemoryTable()) {
  const dependencies: BinTableDependencies = {
    paymentsTable: table,
    binRows: table,
    wallClock: () => 2,
    audit: { record: async () => {}, read: async function* () {} },
    draws: { newId: () => "", randomBytes: (size) => Buffer.alloc(size) },
  }
  const create = () =>
    createBinTable(table, {
      id: PLACE.tableId,
      teamId: PLACE.teamId,
      name: "A table",
      status: "importing",
      rows: 0,
      ...FIRST_ROW,
      writing: null,
      createdAt: 1,
      updatedAt: 1,
      revision: 1,
    })
  const append = (from: number, rows: readonly BinRow[]) =>
    appendRows(dependencies, PLACE, from, linesOf(rows), processTask)
  const match = async (digits: string) =>
    matchRows(await readRows(table, PLACE.tableId, windowOf(digits)), digits)
  const found = () => findBinTable(table, PLACE.teamId, PLACE.tableId)
  return { table, create, append, match, found }
}

/** Many rows with long texts, so that they need several chunks. */
const manyRows = Array.from({ length: 450 }, (_, index) => {
  const digits = String(4_000_000 + Math.floor(index / 3)).padEnd(7, "0")
  const rows = [row(digits), row(`${digits}0`, `${digits}4`), row(`${digits}5`, `${digits}9`)]
  return rows[index % 3] ?? row(digits)
})

describe("rows of a BIN table", () => {
  test("are found as if they were all in memory, however they were sent", async () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 24 }), { maxLength: 4 })
    const digits = fc.array(arbitraryDigits, { minLength: 8, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(arbitraryRows, cuts, digits, async (rows, unsorted, looked) => {
        const { create, append, match, found } = setUp()
        await create()
        const ends = [...unsorted.map((cut) => Math.min(cut, rows.length)), rows.length].sort((a, b) => a - b)
        let from = 0
        for (const end of ends) {
          expect(await append(from, rows.slice(from, end))).toBe(end)
          from = end
        }
        expect((await found())?.rows).toBe(rows.length)
        for (const each of looked) expect(await match(each)).toEqual(matchRows(rows, each))
      }),
      { numRuns: 60 },
    )
  })

  describe("of several chunks", () => {
    const world = setUp()
    beforeEach(() => world.create())

    test("are read with one query for a number, and for eight digits", async () => {
      await world.append(0, manyRows)
      for (const digits of ["4000000123", "4000077000", "40001490", "4000149999"]) {
        world.table.calls.length = 0
        expect(await world.match(digits)).toEqual(matchRows(manyRows, digits))
        expect(world.table.calls).toEqual(["page"])
      }
    })

    test("are all searched for a short prefix", async () => {
      expect(await world.match("400000")).toEqual(matchRows(manyRows, "400000"))
      expect(await world.match("400014")).toEqual(matchRows(manyRows, "400014"))
    })
  })

  test("are skipped when they are sent again, even with new ones after them", async () => {
    const { create, append, found, table } = setUp()
    await create()
    const rows = [row("400000"), row("400001"), row("400002"), row("400003")]
    expect(await append(0, rows.slice(0, 2))).toBe(2)
    table.calls.length = 0
    expect(await append(0, rows.slice(0, 2))).toBe(2)
    expect(await append(1, rows.slice(1, 2))).toBe(2)
    expect(table.calls.includes("put")).toBe(false)
    expect(await append(1, rows.slice(1))).toBe(4)
    expect((await found())?.rows).toBe(4)
  })

  test("can be sent again after a process died writing them at any call, or one failed, and only the same rows", async () => {
    let interrupted = 0
    await exploreHistories(async (explored) => {
      const simulated = new SimulatedService({ explored })
      const { table, create, append, match, found } = setUp(simulated.createTable("payments"))
      await create()
      explored.begin()
      await simulated.mortal(() => append(0, manyRows))
      const hasChunks = table.items.size > 1
      if (hasChunks && (await found())?.rows === 0) {
        interrupted++
        await expect(append(0, manyRows.slice(0, 10))).rejects.toMatchObject({ code: "conflict" })
      }
      expect(await append(0, manyRows)).toBe(manyRows.length)
      expect(await match("4000077000")).toEqual(matchRows(manyRows, "4000077000"))
    })
    expect(interrupted).toBeGreaterThan(5)
  })

  test("of two racing requests are those of one of them", async () => {
    const { create, append, found, match } = setUp()
    await create()
    const one = [row("400000", "400000", { issuer: "One" })]
    const two = [row("400000", "400000", { issuer: "Two" })]
    const ends = await Promise.allSettled([append(0, one), append(0, two), append(0, one)])
    const failed = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []))
    expect(failed.length).toBeGreaterThan(0)
    for (const error of failed) expect(error).toMatchObject({ code: "conflict" })
    expect((await found())?.rows).toBe(1)
    expect(["One", "Two"]).toContain((await match("400000"))?.facts.issuer)
  })

  test.each([
    ["before those that are there", [row("400001")], [row("400000")]],
    ["longer before shorter", [row("40000000")], [row("400000")]],
    ["of the same length that overlap", [row("400000", "400005")], [row("400005", "400009")]],
    ["that are there twice", [row("400000")], [row("400000")]],
  ])(
    "are refused with invalid-request when they are %s, in one request or two",
    async (_what, first, second) => {
      for (const isTogether of [true, false]) {
        const { create, append, found } = setUp()
        await create()
        if (!isTogether) await append(0, first)
        const sent = isTogether ? append(0, [...first, ...second]) : append(first.length, second)
        const pointer = isTogether ? `/${first.length}/from` : "/0/from"
        await expect(sent).rejects.toMatchObject({ code: "invalid-request", fields: [{ pointer }] })
        expect((await found())?.rows).toBe(isTogether ? 0 : first.length)
      }
    },
  )

  test("are refused with conflict when earlier rows are missing", async () => {
    const { create, append } = setUp()
    await create()
    await expect(append(1, [row("400000")])).rejects.toMatchObject({ code: "conflict" })
  })
})
