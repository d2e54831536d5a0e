import type { Table } from "@sealway/ports"
import { describe, expect, test } from "vitest"

/**
 * What every table promises, whatever it is made of.
 *
 * @param title `a table in memory`
 * @param table returns an empty one, the same each time
 * @param clock that of the table, in epoch milliseconds, which goes on
 */
export function describeTable(title: string, table: () => Table, clock: { ms: number }): void {
  let keys = 0
  const newKey = () => ({ pk: `${title} ${keys++}`, sk: "a" })

  describe(title, () => {
    test("creates a record once, and leaves the first unchanged", async () => {
      const key = newKey()
      expect(await table().create(key, { value: 1 })).toBe(true)
      expect(await table().create(key, { value: 2 })).toBe(false)
      expect(await table().get(key)).toMatchObject({ value: 1 })
      expect(await table().get({ ...key, sk: "b" })).toBeNull()
    })

    test("lists all of a prefix in descending order, over any number of pages", async () => {
      const large = "x".repeat(100_000)
      const names = Array.from({ length: 25 }, (_, index) => `item#${String(index).padStart(3, "0")}`)
      for (const sk of names) await table().create({ pk: "many", sk }, { large })
      await table().create({ pk: "many", sk: "other#1" }, {})
      const listed = await table().list("many", "item#")
      expect(listed.map(({ sk }) => sk)).toEqual(names.toReversed())
    })

    test("returns a prefix page by page, and whether there is more", async () => {
      for (const sk of ["p#1", "p#2", "p#3", "q#1", "a"]) await table().create({ pk: "paged", sk }, {})
      const page = async (limit: number, after?: string) => {
        const { items, hasMore } = await table().page("paged", "p#", { limit, after })
        return [items.map(({ sk }) => sk), hasMore]
      }
      expect(await page(2)).toEqual([["p#3", "p#2"], true])
      expect(await page(2, "p#2")).toEqual([["p#1"], false])
      expect(await page(3)).toEqual([["p#3", "p#2", "p#1"], false])
      expect(await page(3, "p#25")).toEqual([["p#2", "p#1"], false])
      expect(await page(3, "p#1")).toEqual([[], false])
    })

    test("replaces and deletes a record of the given revision, and no other", async () => {
      const key = newKey()
      await table().create(key, { value: 1, revision: 1 })
      expect(await table().replace(key, { value: 2 }, 2)).toBe(false)
      expect(await table().replace(key, { value: 2 }, 1)).toBe(true)
      expect(await table().get(key)).toMatchObject({ value: 2, revision: 2 })
      expect(await table().replace(key, { value: 3 }, 1)).toBe(false)
      expect(await table().remove(key, 1)).toBe(false)
      expect(await table().remove(key, 2)).toBe(true)
      expect(await table().replace(key, { value: 4 }, 2)).toBe(false)
      expect(await table().get(key)).toBeNull()
    })

    test("regards a record as gone from the second in which it expires", async () => {
      const key = newKey()
      const expiresAt = clock.ms / 1000 + 10
      await table().create(key, { value: 1, expiresAt })
      clock.ms += 9_999
      expect(await table().get(key)).toMatchObject({ value: 1 })
      expect(await table().create(key, { value: 2 })).toBe(false)
      clock.ms += 1
      expect(await table().get(key)).toBeNull()
      expect(await table().list(key.pk, "")).toEqual([])
      expect(await table().create(key, { value: 2 })).toBe(true)
    })

    test("counts up to a limit and never past it, with any number of concurrent writers", async () => {
      const key = newKey()
      const add = (amount: number) =>
        table().add(key, { attribute: "used", amount, limit: 10, expiresAt: clock.ms })
      const totals = await Promise.all(Array.from({ length: 8 }, () => add(3)))
      expect(totals.filter((total) => total !== null).sort()).toEqual([3, 6, 9])
      expect(await add(2)).toBeNull()
      expect(await add(1)).toBe(10)
      await table().tally(key, { add: { used: -20 }, when: {} })
      expect(await add(11)).toBeNull()
      expect(await add(10)).toBe(0)
    })

    test("changes several counters in one step, and none unless each has the required value", async () => {
      const key = newKey()
      const absent = await table().tally(key, { add: { total: 1 }, when: { total: { min: 1 } } })
      expect([absent, await table().get(key)]).toEqual([null, null])
      const take = { add: { total: 1, a: 1 }, when: { total: { max: 2 } } }
      const taken = await Promise.all(Array.from({ length: 5 }, () => table().tally(key, take)))
      expect(taken.filter((item) => item !== null)).toHaveLength(3)
      expect(await table().get(key)).toMatchObject({ total: 3, a: 3 })

      const other = { add: { total: -3 }, remove: ["a"], when: { a: { min: 2, max: 2 }, total: { min: 1 } } }
      expect(await table().tally(key, other)).toBeNull()
      const given = { ...other, when: { a: { min: 3, max: 3 }, b: { min: 0, max: 0 } } }
      expect(await table().tally(key, given)).toEqual({ ...key, total: 0 })
      expect(await table().get(key)).toEqual({ ...key, total: 0 })
    })

    test("takes a write for made that the same attempt repeats, and no other", async () => {
      const key = newKey()
      const created = (attempt: string) => table().create(key, { revision: 1 }, { attempt })
      expect([await created("a"), await created("a"), await created("b")]).toEqual([true, true, false])
      const replaced = (attempt: string) => table().replace(key, { id: "x" }, 1, { attempt })
      expect([await replaced("c"), await replaced("c"), await replaced("d")]).toEqual([true, true, false])
      const isMade = (standing: object | null) => JSON.stringify(standing) === STANDING
      expect(await table().replace(key, {}, 1, { attempt: "e", isMade })).toBe(true)
      expect([await table().remove(key, 1), await table().remove(key, 1, isMade)]).toEqual([false, true])
      expect([await table().remove(key, 2), await table().remove(key, 2)]).toEqual([true, true])
    })
  })
}

const STANDING = '{"attempt":"c","id":"x","revision":2}'
