import { describe, expect, test } from "vitest"
import { createCache } from "./cache.ts"

function setUp(maxEntries = 100) {
  const clock = { ms: 1 }
  const loads: string[] = []
  const store = new Map<string, { value: string }>()
  const cache = createCache<{ value: string }>({ maxEntries, ttlMs: 10_000, now: () => clock.ms })
  const get = (key: string) =>
    cache.get(key, async () => {
      loads.push(key)
      return store.get(key) ?? null
    })
  return { cache, clock, loads, store, get }
}

describe("cache", () => {
  test("serves a found value without loading it again until its time is over", async () => {
    const { clock, loads, store, get } = setUp()
    store.set("a", { value: "old" })
    expect(await get("a")).toEqual({ value: "old" })
    store.set("a", { value: "new" })
    clock.ms += 10_000
    expect(await get("a")).toEqual({ value: "old" })
    clock.ms += 1
    expect(await get("a")).toEqual({ value: "new" })
    expect(loads).toEqual(["a", "a"])
  })

  test("remembers an absence as long", async () => {
    const { clock, loads, store, get } = setUp()
    expect(await get("a")).toBeNull()
    store.set("a", { value: "new" })
    expect(await get("a")).toBeNull()
    clock.ms += 10_001
    expect(await get("a")).toEqual({ value: "new" })
    expect(loads).toEqual(["a", "a"])
  })

  test("makes overlapping loads of one key one load", async () => {
    const { loads, store, get } = setUp()
    store.set("a", { value: "x" })
    expect(await Promise.all([get("a"), get("a"), get("a")])).toEqual([
      { value: "x" },
      { value: "x" },
      { value: "x" },
    ])
    expect(loads).toEqual(["a"])
  })

  test("keeps what exists while absences without end are asked for", async () => {
    const { loads, store, get } = setUp(10)
    store.set("a", { value: "x" })
    await get("a")
    for (let index = 0; index < 1000; index++) await get(`missing-${index}`)
    await get("a")
    expect(loads.filter((key) => key === "a")).toHaveLength(1)
  })

  test("lets the least recently used go when full", async () => {
    const { loads, store, get } = setUp(2)
    for (const key of ["a", "b", "c"]) store.set(key, { value: key })
    for (const key of ["a", "b", "a", "c", "a", "b"]) await get(key)
    expect(loads).toEqual(["a", "b", "c", "b"])
  })

  test("passes a failure on and loads anew afterwards", async () => {
    const { cache } = setUp()
    await expect(cache.get("a", () => Promise.reject(new Error("down")))).rejects.toThrow("down")
    expect(await cache.get("a", async () => ({ value: "up" }))).toEqual({ value: "up" })
  })

  test("forgets when told to", async () => {
    const { cache, loads, store, get } = setUp()
    store.set("a", { value: "x" })
    await get("a")
    cache.forget("a")
    await get("a")
    expect(loads).toEqual(["a", "a"])
  })

  test("gives a load that was forgotten meanwhile to who waits for it, and does not keep it", async () => {
    const { cache, store, get } = setUp()
    const early = Promise.withResolvers<{ value: string } | null>()
    const waiting = cache.get("a", () => early.promise)
    cache.forget("a")
    store.set("a", { value: "new" })
    expect(await get("a")).toEqual({ value: "new" })
    early.resolve({ value: "old" })
    expect(await waiting).toEqual({ value: "old" })
    expect(await get("a")).toEqual({ value: "new" })
  })
})
