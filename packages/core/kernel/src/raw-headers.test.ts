import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  announcesBody,
  eachHeader,
  headerLines,
  headerOf,
  headersWithout,
  headerValues,
  type RawHeaders,
  someHeader,
  statedLength,
} from "./raw-headers.ts"

const HEADERS: RawHeaders = ["Accept", "a", "X-Card", "1", "accept", "b", "Content-Length", "12"]

const rawHeaders = fc
  .array(fc.tuple(fc.constantFrom("A", "a", "B", "Via", "Content-Length"), fc.string()))
  .map((pairs) => pairs.flat())

describe("raw headers", () => {
  test("are visited in order, with the index of each value", () => {
    const seen: unknown[] = []
    eachHeader(HEADERS, (...header) => seen.push(header))
    expect(seen).toEqual([
      ["Accept", "a", 1],
      ["X-Card", "1", 3],
      ["accept", "b", 5],
      ["Content-Length", "12", 7],
    ])
  })

  test("are found by name in any case", () => {
    expect(headerValues(HEADERS, "accept")).toEqual(["a", "b"])
    expect(headerOf(HEADERS, "accept")).toBe("a, b")
    expect(headerOf(HEADERS, "x-car")).toBeUndefined()
    expect(headerValues(HEADERS, "x-car")).toEqual([])
    expect(statedLength(HEADERS)).toBe(12)
    expect(statedLength(["Content-Type", "a"])).toBeNull()
  })

  test("are tested one after another, up to the first that matches", () => {
    const seen: string[] = []
    const isCard = (name: string, value: string) => {
      seen.push(name)
      return name === "X-Card" && value === "1"
    }
    expect(someHeader(HEADERS, isCard)).toBe(true)
    expect(seen).toEqual(["Accept", "X-Card"])
    expect(someHeader([], isCard)).toBe(false)
  })

  test.each([
    [["Content-Length", "0"], false],
    [["Content-Length", "1"], true],
    [["content-length", "00"], true],
    [["Transfer-Encoding", "chunked"], true],
    [["Content-Type", "text/plain"], false],
    [[], false],
  ])("say whether a body follows: %j", (headers, expected) => {
    expect(announcesBody(headers)).toBe(expected)
  })

  test("remain the same list when none of them is dropped", () => {
    expect(headersWithout(HEADERS, (name) => name === "x-none")).toBe(HEADERS)
    expect(headersWithout(HEADERS, (name) => name === "accept")).toEqual([
      "X-Card",
      "1",
      "Content-Length",
      "12",
    ])
  })

  test("lose exactly the dropped ones, and keep their order", () => {
    fc.assert(
      fc.property(rawHeaders, (headers) => {
        const kept: string[] = []
        eachHeader(headers, (name, value) => name.toLowerCase() !== "a" && kept.push(name, value))
        expect(headersWithout(headers, (name) => name === "a")).toEqual(kept)
      }),
    )
  })

  test("are written one per line", () => {
    expect(headerLines(["A", "1", "b", ""])).toBe("A: 1\r\nb: \r\n")
  })
})
