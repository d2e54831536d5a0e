import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createMemoryTable } from "../testing/memory-table.ts"
import { keepWithinLimit } from "./keep-within-limit.ts"

/** Gives others some turns. */
const pause = async () => {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const REFUSAL = "There are as many as there can be."
const PARTITION = "app#1"

/** Creates processes that add records to one table, which may hold `max`. */
function setUp(max: number) {
  const table = createMemoryTable()
  const keyOf = (id: string) => ({ pk: PARTITION, sk: id })
  const idsNow = async () => (await table.list(PARTITION, "")).map(({ sk }) => String(sk))
  const write = (id: string) => table.create(keyOf(id), { revision: 1 })
  const keep = (id: string, changes: Partial<Parameters<typeof keepWithinLimit>[0]> = {}) =>
    keepWithinLimit(
      {
        id,
        count: async () => [{ ids: await idsNow(), max, refusal: REFUSAL }],
        undo: () => table.remove(keyOf(id), 1),
        ...changes,
      },
      pause,
    )
  const add = async (id: string) => {
    await write(id)
    await keep(id)
  }
  return { table, idsNow, write, keep, add }
}

const isKept = ({ status }: PromiseSettledResult<unknown>) => status === "fulfilled"

describe("a record written at the same time as others", () => {
  test("stays when there are no more than the limit", async () => {
    const { add, idsNow } = setUp(2)
    await add("id_1")
    await add("id_2")
    expect(await idsNow()).toEqual(["id_2", "id_1"])
  })

  test("is undone with conflict when those before it fill the limit", async () => {
    const { add, idsNow } = setUp(1)
    await add("id_1")
    await expect(add("id_2")).rejects.toMatchObject({ code: "conflict", message: REFUSAL })
    expect(await idsNow()).toEqual(["id_1"])
  })

  test("is undone when it has the older id and a newer one was kept before it was written", async () => {
    const { write, keep, idsNow } = setUp(1)
    await write("id_2")
    await keep("id_2")
    await write("id_1")
    await expect(keep("id_1")).rejects.toMatchObject({ code: "conflict" })
    expect(await idsNow()).toEqual(["id_2"])
  })

  test("stays when it is the oldest and the others, which are undone, are gone a little later", async () => {
    const { write, keep, idsNow } = setUp(1)
    await write("id_1")
    await write("id_2")
    const first = keep("id_1")
    await expect(keep("id_2")).rejects.toMatchObject({ code: "conflict" })
    await first
    expect(await idsNow()).toEqual(["id_1"])
  })

  test("is undone when it exceeds one of several limits", async () => {
    const { write, keep, idsNow } = setUp(5)
    await write("id_2")
    const count = async () => [
      { ids: ["id_2"], max: 5, refusal: "Too many in all." },
      { ids: ["id_1", "id_2"], max: 1, refusal: "Too many of one role." },
    ]
    await expect(keep("id_2", { count })).rejects.toMatchObject({ message: "Too many of one role." })
    expect(await idsNow()).toEqual([])
  })

  test("is undone when the others cannot be counted", async () => {
    const { write, keep, idsNow } = setUp(5)
    await write("id_1")
    const outage = new Error("throttled")
    await expect(keep("id_1", { count: () => Promise.reject(outage) })).rejects.toBe(outage)
    expect(await idsNow()).toEqual([])
  })

  test("is undone again when another call changes it meanwhile, and refused with service-unavailable when that does not stop", async () => {
    const { add, write, keep } = setUp(1)
    await add("id_1")
    await write("id_2")
    let undos = 0
    const undo = async () => ++undos === 3
    await expect(keep("id_2", { undo })).rejects.toMatchObject({ code: "conflict" })
    expect(undos).toBe(3)
    const never = keep("id_2", { undo: async () => false })
    await expect(never).rejects.toMatchObject({ code: "service-unavailable" })
  })
})

test("never exceeds the limit, however many records come at once, in any order", () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 4 }),
      fc.uniqueArray(fc.record({ id: fc.nat(99), turns: fc.nat(12) }), {
        selector: ({ id }) => id,
        minLength: 1,
        maxLength: 8,
      }),
      async (max, known, comers) => {
        const { add, write, idsNow } = setUp(max)
        for (let index = 0; index < Math.min(known, max); index++) await write(`id_50${index}`)
        const results = await Promise.allSettled(
          comers.map(async ({ id, turns }) => {
            for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
            await add(`id_${String(id).padStart(2, "0")}`)
          }),
        )
        const left = await idsNow()
        expect(left.length).toBeLessThanOrEqual(max)
        expect(left).toHaveLength(Math.min(known, max) + results.filter(isKept).length)
      },
    ),
    { numRuns: 300 },
  ))
