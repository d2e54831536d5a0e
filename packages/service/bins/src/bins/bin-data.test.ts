import { createMemoryTable } from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import { packRows, row } from "../testing/bin-rows.ts"
import { createBinData } from "./bin-data.ts"
import { putChunk, readRows, replaceActive } from "./bin-table-table.ts"
import { matchRowsInSteps, windowOf } from "./match-rows.ts"
import { matchTestNumber } from "./test-numbers.ts"

const TABLE = "bin_table_1"
const ROWS = 3_000

/** Rows of ten digits that all start with 400000. */
const manyRows = () => Array.from({ length: ROWS }, (_, index) => row(String(4_000_000_000 + index)))

async function setUp() {
  const memory = createMemoryTable()
  for (const chunk of await packRows(manyRows())) await putChunk(memory, TABLE, chunk)
  for (const teamId of ["team_1", "team_2"]) {
    await replaceActive(memory, null, { teamId, active: TABLE, previous: null, changedAt: 0, revision: 1 })
  }
  return memory
}

/** Waits until all started work has had its turns. */
async function turnsPass() {
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
}

describe("looking up a prefix with thousands of rows", () => {
  test("yields to other requests between the chunks that it reads", async () => {
    let turns = 0
    const next = async () => void turns++
    expect(await readRows(await setUp(), TABLE, windowOf("400000"), { next })).toHaveLength(ROWS)
    expect(turns).toBe(ROWS / 100 - 2)
    turns = 0
    expect(await readRows(await setUp(), TABLE, windowOf("4000001000"), { next })).toHaveLength(1)
    expect(turns).toBe(0)
  })

  test("yields to other requests between the rows that it compares", () => {
    const steps = [...matchRowsInSteps(manyRows(), "400000")]
    expect(steps.length).toBeGreaterThanOrEqual(Math.floor(ROWS / 64) - 1)
  })

  test("handles one prefix of a team at a time, without blocking other teams or whole numbers", async () => {
    const memory = await setUp()
    const waiting: (() => void)[] = []
    const reads: string[] = []
    const table: typeof memory = {
      ...memory,
      async page(pk, prefix, request) {
        reads.push(String(request.after))
        await new Promise<void>((resolve) => waiting.push(resolve))
        return memory.page(pk, prefix, request)
      },
    }
    const data = createBinData({ table, now: () => 0 })
    const found = [
      data.lookUp("team_1", "400000", matchTestNumber),
      data.lookUp("team_1", "400001", matchTestNumber),
      data.lookUp("team_1", "4000002", matchTestNumber),
    ]
    await turnsPass()
    expect(waiting).toHaveLength(1)
    const others = [
      data.lookUp("team_2", "4000003", matchTestNumber),
      data.lookUp("team_1", "4000000000", matchTestNumber),
    ]
    await turnsPass()
    expect(waiting).toHaveLength(3)
    for (let rounds = 0; rounds < 100; rounds++) {
      for (const resume of waiting.splice(0)) resume()
      await turnsPass()
    }
    expect((await Promise.all(found)).map((match) => match?.matchPrecision)).toEqual([6, undefined, 7])
    expect((await Promise.all(others)).map((match) => match?.matchPrecision)).toEqual([undefined, 10])
    expect(reads.length).toBeGreaterThan(5)
  })

  test("continues with the next prefix when reading one fails", async () => {
    const memory = await setUp()
    let failures = 1
    const table: typeof memory = {
      ...memory,
      async page(pk, prefix, request) {
        if (failures-- > 0) throw new Error("The table does not answer")
        return memory.page(pk, prefix, request)
      },
    }
    const data = createBinData({ table, now: () => 0 })
    const found = await Promise.allSettled(
      ["400000", "400001"].map((digits) => data.lookUp("team_1", digits, matchTestNumber)),
    )
    expect(found.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
    expect(await data.lookUp("team_1", "400000", matchTestNumber)).toMatchObject({ matchPrecision: 6 })
  })
})
