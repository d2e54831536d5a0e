import { createDerivedDraws } from "@sealway/ports"
import { createMemoryTable } from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import { openBeforeImages } from "./before-images.ts"
import { createOnceTable } from "./once-table.ts"

const KEY = { pk: "app#1", sk: "thing#1" }
const OTHER = { pk: "app#1", sk: "thing#2" }
const THING = { id: "policy_1", name: "before", revision: 1 }

/** Creates a table, and attempts of one request at it. */
function setUp() {
  const table = createMemoryTable()
  const steps = createMemoryTable()
  const seed = Buffer.alloc(32, 7)
  let attempts = 0
  /** Starts the next attempt. Those before it are over, wherever they ended. */
  const attempt = async () => {
    const isRepeat = attempts++ > 0
    const journal = { table: steps, pk: "idempotency#1", name: "n", sealingKey: Buffer.alloc(32, 9) }
    const beforeImages = await openBeforeImages({ ...journal, expiresAt: () => 9e9 }, isRepeat)
    const draws = createDerivedDraws(seed)
    const dependencies = { draws, stamp: "stamp", beforeImages, isRepeat }
    const once = createOnceTable("config", table, dependencies)
    /** Another table, as the same request sees it. */
    const keys = createOnceTable("keys", createMemoryTable(), dependencies)
    return { once, keys, draws, beforeImages }
  }
  return { table, steps, attempt }
}

/** Makes a change as somebody else. */
async function changeByOther(table: ReturnType<typeof createMemoryTable>, name: string): Promise<void> {
  const found = await table.get(KEY)
  await table.replace(KEY, { ...THING, name }, Number(found?.revision))
}

describe("a repeated request that has created a record", () => {
  test("does not see it, is told that it creates it, and then sees it", async () => {
    const { table, attempt } = setUp()
    await (await attempt()).once.create(KEY, THING)
    const { once } = await attempt()
    expect([await once.get(KEY), await once.list("app#1", "")]).toEqual([null, []])
    expect((await once.page("app#1", "", { limit: 5 })).items).toEqual([])
    expect(await once.create(KEY, { ...THING, name: "again" })).toBe(true)
    expect(await once.get(KEY)).toMatchObject({ name: "before" })
    expect((await table.list("app#1", "")).length).toBe(1)
  })

  test("recognises it by its id when somebody else has changed it since", async () => {
    const { table, attempt } = setUp()
    const first = await attempt()
    const id = first.draws.newId("policy", 1)
    await first.once.create(KEY, { ...THING, id })
    await table.replace(KEY, { ...THING, id, name: "other" }, 1)
    const { once } = await attempt()
    expect(await once.list("app#1", "")).toEqual([])
    expect(await once.create(KEY, { ...THING, id })).toBe(true)
    expect(await table.get(KEY)).toMatchObject({ name: "other" })
  })

  test("is told false when somebody else created the record", async () => {
    const { table, attempt } = setUp()
    await attempt()
    await table.create(KEY, THING)
    const { once } = await attempt()
    expect(await once.get(KEY)).toMatchObject(THING)
    expect(await once.create(KEY, THING)).toBe(false)
  })

  test("is told false for its second creation of a record, as the first time", async () => {
    const { attempt } = setUp()
    for (let repetition = 0; repetition < 2; repetition++) {
      const { once } = await attempt()
      expect([await once.create(KEY, THING), await once.create(KEY, THING)]).toEqual([true, false])
    }
  })
})

describe("a repeated request that has changed a record", () => {
  test("sees its old state, and is told that it changes it", async () => {
    const { table, attempt } = setUp()
    await table.create(KEY, THING)
    const first = await attempt()
    await first.once.get(KEY)
    await first.once.replace(KEY, { ...THING, name: "after" }, 1)
    const { once } = await attempt()
    expect(await once.get(KEY)).toMatchObject({ name: "before", revision: 1 })
    expect(await once.list("app#1", "")).toMatchObject([{ name: "before" }])
    expect(await once.replace(KEY, { ...THING, name: "after" }, 1)).toBe(true)
    expect(await table.get(KEY)).toMatchObject({ name: "after", revision: 2 })
  })

  test("makes the change when it died between the before-image and the change", async () => {
    const { table, attempt } = setUp()
    await table.create(KEY, THING)
    await (await attempt()).beforeImages.add({ table: "config", ...KEY }, { ...THING, ...KEY })
    const { once } = await attempt()
    expect(await once.replace(KEY, { ...THING, name: "after" }, 1)).toBe(true)
    expect(await table.get(KEY)).toMatchObject({ name: "after", revision: 2 })
  })

  test("is told false when somebody else made the change", async () => {
    const { table, attempt } = setUp()
    await table.create(KEY, THING)
    await (await attempt()).beforeImages.add({ table: "config", ...KEY }, { ...THING, ...KEY })
    await changeByOther(table, "other")
    expect(await (await attempt()).once.replace(KEY, THING, 1)).toBe(false)
  })

  test.each([
    ["changed it since", (table: ReturnType<typeof createMemoryTable>) => changeByOther(table, "other")],
    ["removed it since", (table: ReturnType<typeof createMemoryTable>) => table.remove(KEY, 2)],
  ])("ends with idempotency-result-unknown when somebody else %s", async (_, act) => {
    const { table, attempt } = setUp()
    await table.create(KEY, THING)
    const first = await attempt()
    await first.once.get(KEY)
    await first.once.replace(KEY, { ...THING, name: "after" }, 1)
    await act(table)
    const { once } = await attempt()
    await expect(once.replace(KEY, THING, 1)).rejects.toMatchObject({ code: "idempotency-result-unknown" })
  })

  test("counts the change as made when it is known to have got further, whatever others did since", async () => {
    const { table, attempt } = setUp()
    await table.create(KEY, THING)
    const first = await attempt()
    await first.once.get(KEY)
    await first.once.replace(KEY, { ...THING, name: "after" }, 1)
    await first.beforeImages.pass()
    await changeByOther(table, "worker")
    expect(await (await attempt()).once.replace(KEY, THING, 1)).toBe(true)
    expect(await table.get(KEY)).toMatchObject({ name: "worker", revision: 3 })
  })

  test("makes its second change of the record, and not the first again", async () => {
    const { table, attempt } = setUp()
    await table.create(KEY, THING)
    const first = await attempt()
    await first.once.get(KEY)
    await first.once.replace(KEY, { ...THING, name: "one" }, 1)
    const { once } = await attempt()
    await once.replace(KEY, { ...THING, name: "one" }, 1)
    await once.replace(KEY, { ...THING, name: "two" }, 2)
    expect(await table.get(KEY)).toMatchObject({ name: "two", revision: 3 })
  })
})

describe("a repeated request that has removed a record", () => {
  async function removed() {
    const world = setUp()
    await world.table.create(KEY, THING)
    await world.table.create(OTHER, { ...THING, id: "policy_2" })
    const { once } = await world.attempt()
    await once.list("app#1", "")
    await once.remove(KEY, 1)
    return world
  }

  test("sees it in its old state and place, and is told that it removes it", async () => {
    const { attempt } = await removed()
    const { once } = await attempt()
    expect(await once.get(KEY)).toMatchObject(THING)
    expect((await once.list("app#1", "thing#")).map(({ id }) => id)).toEqual(["policy_2", "policy_1"])
    expect(await once.remove(KEY, 1)).toBe(true)
    expect((await once.list("app#1", "thing#")).map(({ id }) => id)).toEqual(["policy_2"])
  })

  test("leaves a record alone that somebody else created in its place", async () => {
    const { table, attempt } = await removed()
    await table.create(KEY, { ...THING, id: "policy_3", revision: 5 })
    expect(await (await attempt()).once.remove(KEY, 1)).toBe(true)
    expect(await table.get(KEY)).toMatchObject({ id: "policy_3" })
  })

  test("is told false when it was not removed and somebody else changed it", async () => {
    const { table, attempt } = setUp()
    await table.create(KEY, THING)
    await (await attempt()).beforeImages.add({ table: "config", ...KEY }, { ...THING, ...KEY })
    await changeByOther(table, "other")
    expect(await (await attempt()).once.remove(KEY, 1)).toBe(false)
  })
})

describe("a table as one request sees it", () => {
  test("keeps a record once, as it was before the first change, and none that it has not read", async () => {
    const { table, steps, attempt } = setUp()
    for (const key of [KEY, OTHER]) await table.create(key, THING)
    const first = await attempt()
    await first.once.get(KEY)
    await first.once.replace(KEY, THING, 1)
    await first.once.get(KEY)
    await first.once.replace(KEY, THING, 2)
    await first.once.replace(OTHER, THING, 1)
    expect(steps.items.size).toBe(1)
    const { once } = await attempt()
    await once.get(KEY)
    await once.replace(KEY, THING, 1)
    await once.remove(KEY, 2)
    expect(steps.items.size).toBe(1)
  })

  test("does not show what the request changed in another table, or under another prefix or partition", async () => {
    const { table, attempt } = setUp()
    await table.create(KEY, THING)
    const first = await attempt()
    await first.once.get(KEY)
    await first.once.remove(KEY, 1)
    const { once, keys } = await attempt()
    expect(await keys.list("app#1", "")).toEqual([])
    expect(await once.list("app#2", "")).toEqual([])
    expect(await once.list("app#1", "other#")).toEqual([])
    expect(await once.list("app#1", "thing#")).toHaveLength(1)
  })

  test("shows what the request has put, and puts again", async () => {
    const { table, attempt } = setUp()
    await table.create(KEY, THING)
    const first = await attempt()
    await first.once.get(KEY)
    await first.once.replace(KEY, { ...THING, name: "after" }, 1)
    const { once } = await attempt()
    await once.put(KEY, { ...THING, name: "put" })
    expect(await once.get(KEY)).toMatchObject({ name: "put" })
    expect(await table.get(KEY)).toMatchObject({ name: "put" })
  })

  test("counts in the table itself", async () => {
    const { table, attempt } = setUp()
    const { once } = await attempt()
    const increment = { attribute: "total", amount: 2, limit: 3, expiresAt: 9e9 }
    expect([await once.add(KEY, increment), await once.add(KEY, increment)]).toEqual([2, null])
    expect(await once.tally(OTHER, { add: { done: 1 }, when: {} })).toMatchObject({ done: 1 })
    expect(await table.get(KEY)).toMatchObject({ total: 2 })
  })

  test("tells whether a page has more records", async () => {
    const { table, attempt } = setUp()
    for (const key of [KEY, OTHER]) await table.create(key, THING)
    const { once } = await attempt()
    expect(await once.page("app#1", "", { limit: 1 })).toMatchObject({
      items: [{ sk: OTHER.sk }],
      hasMore: true,
    })
    expect((await once.page("app#1", "", { limit: 2 })).hasMore).toBe(false)
  })

  test("takes no record without an id for its own", async () => {
    const { table, attempt } = setUp()
    await table.create(KEY, { name: "other", revision: 1 })
    await attempt()
    const { once } = await attempt()
    expect(await once.get(KEY)).toMatchObject({ name: "other" })
    expect(await once.create(KEY, THING)).toBe(false)
  })

  test("refuses a change of a record that is another one by now, or gone, in the first attempt", async () => {
    const { table, attempt } = setUp()
    await table.create(KEY, THING)
    const { once } = await attempt()
    await once.get(KEY)
    await changeByOther(table, "other")
    expect(await once.replace(KEY, THING, 1)).toBe(false)
    expect(await once.remove(KEY, 1)).toBe(false)
    expect(await once.replace(OTHER, THING, 1)).toBe(false)
    expect(await table.get(KEY)).toMatchObject({ name: "other" })
  })

  test("takes nobody else's record for its own, though their stamps begin alike", async () => {
    const { table, attempt } = setUp()
    await table.create(KEY, THING, { attempt: "stamps.0" })
    await attempt()
    const { once } = await attempt()
    expect(await once.get(KEY)).toMatchObject(THING)
    expect(await once.create(KEY, THING)).toBe(false)
  })
})

describe("before-images", () => {
  test("reveal nothing to readers of the table, and open only in their own place", async () => {
    const { table, steps, attempt } = setUp()
    await table.create(KEY, { ...THING, name: "marker" })
    const first = await attempt()
    await first.once.get(KEY)
    await first.once.remove(KEY, 1)
    const [step] = steps.items.values()
    expect(Buffer.from(step?.sealed as Uint8Array).toString("latin1")).not.toContain("marker")
    await steps.put({ pk: String(step?.pk), sk: "step#n#1" }, { ...step })
    await expect(attempt()).rejects.toThrow("does not open")
  })

  test("preserve bytes and text in any script", async () => {
    const { table, attempt } = setUp()
    const thing = { ...THING, name: "日本 \u{1f600}", sealed: new Uint8Array([0, 255, 1]), none: null }
    await table.create(KEY, thing)
    const first = await attempt()
    await first.once.get(KEY)
    await first.once.remove(KEY, 1)
    expect(await (await attempt()).once.get(KEY)).toEqual({ ...thing, ...KEY })
  })
})
