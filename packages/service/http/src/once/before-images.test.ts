import { createMemoryTable } from "@sealway/ports/testing"
import { expect, test } from "vitest"
import { openBeforeImages } from "./before-images.ts"

const PK = "idempotency#1"
const placeOf = (name: string) => ({ table: "config", pk: "app#1", sk: name })
const ITEM = { id: "1", revision: 3, marker: "marker-7f3a" }

function setUp(table = createMemoryTable(), key = 1) {
  const dependencies = {
    table,
    pk: PK,
    name: "request",
    sealingKey: new Uint8Array(32).fill(key),
    expiresAt: () => 1_700_000_000,
  }
  return { table, dependencies, open: (isRepeat: boolean) => openBeforeImages(dependencies, isRepeat) }
}
const shown = ({ known }: Awaited<ReturnType<typeof openBeforeImages>>) =>
  [...known.values()].map(({ place, item, isPassed }) => [place.sk, item.revision, isPassed])

test("a repetition sees each record as it was before the first attempt changed it, and what was passed", async () => {
  const { open, table } = setUp()
  const first = await open(false)
  expect(table.calls).toEqual([])
  await first.add(placeOf("a"), ITEM)
  await first.pass()
  await first.add(placeOf("b"), { ...ITEM, revision: 4 })
  expect(shown(await open(true))).toEqual([
    ["a", 3, true],
    ["b", 4, false],
  ])
  expect((await open(true)).known.get(JSON.stringify(["config", "app#1", "a"]))?.item).toEqual(ITEM)
  expect((await open(false)).known.size).toBe(0)
})

test("a repetition continues what earlier attempts wrote, and passes what they have not", async () => {
  const { open, table } = setUp()
  await (await open(false)).add(placeOf("a"), ITEM)
  const second = await open(true)
  await second.pass()
  await second.add(placeOf("b"), ITEM)
  const third = await open(true)
  expect(shown(third)).toEqual([
    ["a", 3, true],
    ["b", 3, false],
  ])
  await third.pass()
  const writes = table.items.size
  const fourth = await open(true)
  await fourth.pass()
  expect(table.items.size).toBe(writes)
})

test("a request that has changed nothing since passes nothing", async () => {
  const { open, table } = setUp()
  const images = await open(false)
  await images.pass()
  expect(table.items.size).toBe(0)
  await images.add(placeOf("a"), ITEM)
  await images.pass()
  await images.pass()
  expect(table.items.size).toBe(2)
})

test("steps are kept in order: when one cannot be written, none after it is", async () => {
  const { dependencies, table } = setUp()
  let puts = 0
  const failing = {
    ...table,
    put: (...write: Parameters<typeof table.put>) =>
      ++puts === 2 ? Promise.reject(new Error("Throttled")) : table.put(...write),
  }
  const images = await openBeforeImages({ ...dependencies, table: failing }, false)
  const added = await Promise.allSettled(["a", "b", "c"].map((name) => images.add(placeOf(name), ITEM)))
  expect(added.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"])
  expect(shown(await openBeforeImages(dependencies, true))).toEqual([["a", 3, false]])
})

test("what is kept is sealed, expires, and opens only in its place and with its key", async () => {
  const { open, table } = setUp()
  await (await open(false)).add(placeOf("a"), ITEM)
  await (await open(true)).add(placeOf("b"), ITEM)
  const [one, two] = [...table.items.values()]
  expect(one?.expiresAt).toBe(1_700_000_000)
  const text = [one, two].map((item) =>
    JSON.stringify(item, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    ),
  )
  expect(text.join()).not.toContain("marker")
  await expect(setUp(table, 2).open(true)).rejects.toThrow("does not open")
  await table.put({ pk: PK, sk: "step#request#0" }, { sealed: two?.sealed })
  await expect(open(true)).rejects.toThrow("does not open")
})

test("another request's steps are not read", async () => {
  const { dependencies } = setUp()
  await (await openBeforeImages(dependencies, false)).add(placeOf("a"), ITEM)
  expect((await openBeforeImages({ ...dependencies, name: "another" }, true)).known.size).toBe(0)
})

test("no more than 500 steps are kept, of one attempt or several", async () => {
  const { open, table } = setUp()
  const first = await open(false)
  for (let step = 0; step < 499; step++) await first.add(placeOf(`${step}`), ITEM)
  const second = await open(true)
  await second.add(placeOf("last"), ITEM)
  await second.add(placeOf("too many"), ITEM)
  await second.pass()
  expect(table.items.size).toBe(500)
  expect((await open(true)).known.size).toBe(500)
})
