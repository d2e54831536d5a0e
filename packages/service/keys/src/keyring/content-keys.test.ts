import { createSecretKey, randomBytes } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { createContentKeyStore, type KeptKey } from "./content-keys.ts"

const LIMITS = { maxAgeMs: 1000, maxPerApp: 3, maxTotal: 5 }

function createStore(limits: Partial<typeof LIMITS> = {}) {
  const clock = { nowMs: 0 }
  const store = createContentKeyStore({ now: () => clock.nowMs, ...LIMITS, ...limits })
  return { clock, store }
}

const newKey = () => ({
  contentKey: createSecretKey(randomBytes(32)),
  honeyMarks: randomBytes(60).toString("binary"),
})
const key = newKey()

/** Returns a key in a form that can be compared. */
const contentOf = (kept: KeptKey | undefined) =>
  kept && { ...kept, contentKey: kept.contentKey.export().toString("hex") }

describe("the content keys of a key version", () => {
  test("are found by their id, and not in another version of the app or in another app", () => {
    const { store } = createStore()
    const [one, other, ofOtherApp] = [store.forVersion("a"), store.forVersion("a"), store.forVersion("b")]
    one.keep("id", key)
    expect(contentOf(one.get("id"))).toEqual(contentOf(key))
    expect([other.get("id"), ofOtherApp.get("id"), one.get("ID")]).toEqual([undefined, undefined, undefined])
  })

  test("are gone when the version is opened again", () => {
    const { store } = createStore()
    store.forVersion("a").keep("id", key)
    expect(store.forVersion("a").get("id")).toBeUndefined()
  })

  test("are replaced by a later key of the same id, which takes no further place", () => {
    const { store } = createStore()
    const keys = store.forVersion("a")
    const later = newKey()
    for (const id of ["1", "2", "3"]) keys.keep(id, key)
    keys.keep("1", later)
    expect(contentOf(keys.get("1"))).toEqual(contentOf(later))
    expect([keys.get("2"), keys.get("3")].map(contentOf)).toEqual([key, key].map(contentOf))
  })

  test("give way to newer ones, least recently used first, when the app has its maximum", () => {
    const { store } = createStore()
    const keys = store.forVersion("a")
    for (const id of ["1", "2", "3"]) keys.keep(id, key)
    keys.get("1")
    keys.keep("4", key)
    expect(["1", "2", "3", "4"].map((id) => keys.get(id) !== undefined)).toEqual([true, false, true, true])
  })

  test("give way to those of another version when the app has its maximum in this one", () => {
    const { store } = createStore()
    const [old, young] = [store.forVersion("a"), store.forVersion("a")]
    for (const id of ["1", "2", "3"]) old.keep(id, key)
    young.keep("4", key)
    expect(["1", "2", "3"].filter((id) => old.get(id) !== undefined)).toEqual(["2", "3"])
    expect(contentOf(young.get("4"))).toEqual(contentOf(key))
  })

  test("give way to those of other apps only when all apps have the maximum together", () => {
    const { store } = createStore()
    const [a, b] = [store.forVersion("a"), store.forVersion("b")]
    for (const id of ["1", "2", "3"]) a.keep(id, key)
    for (const id of ["1", "2"]) b.keep(id, key)
    expect(contentOf(a.get("1"))).toEqual(contentOf(key))
    b.keep("3", key)
    expect(["1", "2", "3"].filter((id) => a.get(id) !== undefined)).toEqual(["1", "3"])
    expect(["1", "2", "3"].filter((id) => b.get(id) !== undefined)).toEqual(["1", "2", "3"])
  })

  test("of closed versions make room when another version is opened", () => {
    const { store, clock } = createStore()
    const closed = store.forVersion("a")
    for (const id of ["1", "2", "3"]) closed.keep(id, key)
    clock.nowMs = LIMITS.maxAgeMs - 1
    store.forVersion("b")
    expect(contentOf(closed.get("1"))).toEqual(contentOf(key))
    clock.nowMs = LIMITS.maxAgeMs
    store.forVersion("b")
    expect(["1", "2", "3"].map((id) => closed.get(id))).toEqual([undefined, undefined, undefined])
  })

  test("are overwritten when they give way, when they are replaced and when their version is closed", () => {
    const copies = vi.spyOn(Buffer, "from")
    const { store, clock } = createStore()
    const keys = store.forVersion("a")
    for (const id of ["1", "2", "3"]) keys.keep(id, key)
    const memory = copies.mock.results.map(({ value }) => value)
    copies.mockRestore()
    const held = () => memory.map((bytes) => key.contentKey.equals(createSecretKey(bytes)))
    expect(held()).toEqual([true, true, true])
    keys.keep("4", key)
    expect(held()).toEqual([false, true, true])
    keys.keep("2", newKey())
    expect(held()).toEqual([false, false, true])
    clock.nowMs = LIMITS.maxAgeMs
    store.forVersion("b")
    expect(memory).toEqual([0, 1, 2].map(() => Buffer.alloc(32)))
  })

  test("are the same objects each time, until a thousand others were used", () => {
    const { store } = createStore({ maxPerApp: 2_000, maxTotal: 2_000 })
    const keys = store.forVersion("a")
    for (let id = 0; id <= 1_000; id++) keys.keep(String(id), key)
    const first = keys.get("0")
    for (let id = 1; id < 1_000; id++) keys.get(String(id))
    expect(keys.get("0")).toBe(first)
    keys.get("1000")
    expect(keys.get("0")).not.toBe(first)
    expect(contentOf(keys.get("0"))).toEqual(contentOf(key))
  })

  test("never exceed the limits, and are always the last that were kept under their id", () => {
    const step = fc.record({
      version: fc.nat(5),
      id: fc.constantFrom("1", "2", "3", "4", "5", "6"),
      reads: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const { store } = createStore()
        const apps = ["a", "a", "b", "b", "c", "d"]
        const versions = apps.map((app) => ({ app, keys: store.forVersion(app), last: new Map() }))
        const ids = ["1", "2", "3", "4", "5", "6"]
        for (const { version, id, reads } of steps) {
          const chosen = versions[version]
          if (chosen === undefined) continue
          if (reads)
            expect([undefined, contentOf(chosen.last.get(id))]).toContainEqual(contentOf(chosen.keys.get(id)))
          else {
            const next = newKey()
            chosen.keys.keep(id, next)
            chosen.last.set(id, next)
            expect(contentOf(chosen.keys.get(id))).toEqual(contentOf(next))
          }
        }
        const held = (app: string) =>
          versions
            .filter((each) => each.app === app)
            .flatMap(({ keys }) => ids.filter((id) => keys.get(id) !== undefined)).length
        const counts = ["a", "b", "c", "d"].map(held)
        expect(Math.max(...counts)).toBeLessThanOrEqual(LIMITS.maxPerApp)
        expect(counts.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(LIMITS.maxTotal)
      }),
    )
  })
})
