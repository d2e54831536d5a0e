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

describe("a cache", () => {
  test("serves a found value without loading it again until it expires", async () => {
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

  test("remembers an absence for the same time", async () => {
    const { clock, loads, store, get } = setUp()
    expect(await get("a")).toBeNull()
    store.set("a", { value: "new" })
    expect(await get("a")).toBeNull()
    clock.ms += 10_001
    expect(await get("a")).toEqual({ value: "new" })
    expect(loads).toEqual(["a", "a"])
  })

  test("merges overlapping loads of one key", async () => {
    const { loads, store, get } = setUp()
    store.set("a", { value: "x" })
    expect(await Promise.all([get("a"), get("a"), get("a")])).toEqual([
      { value: "x" },
      { value: "x" },
      { value: "x" },
    ])
    expect(loads).toEqual(["a"])
  })

  test("keeps existing values during an endless stream of absent ones", async () => {
    const { loads, store, get } = setUp(10)
    store.set("a", { value: "x" })
    await get("a")
    for (let index = 0; index < 1000; index++) await get(`missing-${index}`)
    await get("a")
    expect(loads.filter((key) => key === "a")).toHaveLength(1)
  })

  test("evicts the least recently used value when full", async () => {
    const { loads, store, get } = setUp(2)
    for (const key of ["a", "b", "c"]) store.set(key, { value: key })
    for (const key of ["a", "b", "a", "c", "a", "b"]) await get(key)
    expect(loads).toEqual(["a", "b", "c", "b"])
  })

  test("passes on a failure and loads again afterwards", async () => {
    const { cache } = setUp()
    await expect(cache.get("a", () => Promise.reject(new Error("down")))).rejects.toThrow("down")
    expect(await cache.get("a", async () => ({ value: "up" }))).toEqual({ value: "up" })
  })

  test("forgets on request", async () => {
    const { cache, loads, store, get } = setUp()
    store.set("a", { value: "x" })
    await get("a")
    cache.forget("a")
    await get("a")
    expect(loads).toEqual(["a", "a"])
  })

  test("returns a load that was forgotten meanwhile to its caller, and does not keep it", async () => {
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
