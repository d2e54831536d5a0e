import { describe, expect, test } from "vitest"
import { createBoundedMap } from "./bounded-map.ts"

function setUp(maxEntries: number) {
  const map = createBoundedMap<number>(maxEntries)
  const known = (keys: string) => [...keys].filter((key) => map.get(key) !== undefined).join("")
  return { map, known }
}

describe("a bounded map", () => {
  test("evicts the least recently used entry", () => {
    const { map, known } = setUp(3)
    for (const key of "abc") map.set(key, 0)
    map.get("a")
    map.get("a")
    map.set("d", 0)
    expect(known("abcd")).toBe("acd")
  })

  test("counts setting as using", () => {
    const { map, known } = setUp(2)
    for (const key of "aba") map.set(key, 0)
    map.set("c", 0)
    expect(known("abc")).toBe("ac")
  })

  test("accepts a new value in place of a deleted one", () => {
    const { map, known } = setUp(2)
    for (const key of "ab") map.set(key, 1)
    map.delete("b")
    expect(known("ab")).toBe("a")
    map.set("b", 2)
    expect(map.get("b")).toBe(2)
    map.get("a")
    map.set("c", 3)
    expect(known("abc")).toBe("ac")
  })
})
