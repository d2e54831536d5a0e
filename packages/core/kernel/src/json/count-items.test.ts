import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { finish } from "../work/work.ts"
import { countJsonItems } from "./count-items.ts"

const count = (text: string) => finish(countJsonItems(Buffer.from(text)))

/** Counts by parsing what the other counts without. */
function itemsIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0
  const items = Object.values(value)
  return Math.max(items.length, 1) + items.reduce((sum: number, item) => sum + itemsIn(item), 0)
}

describe("counting the items of a JSON text", () => {
  test("counts list items and fields at every depth, and one for what is empty", () => {
    expect([count("7"), count('"a"'), count("[]"), count("{}")]).toEqual([0, 0, 1, 1])
    expect(count('{"a":[1,2,3],"b":{"c":null}}')).toBe(2 + 3 + 1)
  })

  test("counts nothing within strings, whatever they contain", () => {
    expect(count('["[,{"]')).toBe(1)
    expect(count('["\\",[", "\\\\", 1]')).toBe(3)
  })

  test("agrees with parsing for any JSON", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(count(text)).toBe(itemsIn(JSON.parse(text)))
      }),
    )
  })

  test("yields within long texts", () => {
    expect([...countJsonItems(Buffer.alloc(200_000, "1,"))]).toHaveLength(3)
  })
})
