import { finish } from "@sealway/kernel"
import canonicalize from "canonicalize"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { sortInSteps, writeCanonicalJson } from "./canonical-json.ts"

function canonical(value: unknown): string {
  let text = ""
  finish(
    writeCanonicalJson(value, (piece) => {
      text += piece
    }),
  )
  return text
}

describe("canonical JSON", () => {
  test("equals the output of another implementation of RFC 8785", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(canonical(value)).toBe(canonicalize(value))
      }),
    )
  })

  test.each([
    ["[]", []],
    ["{}", {}],
    ["null", null],
    ['""', ""],
    ['[[],{},{"":[]}]', [[], {}, { "": [] }]],
    [
      '{"":0,"1":1,"\u20ac":2,"\u{1f600}":3,"\ufb33":4}',
      { "\ufb33": 4, "\u{1f600}": 3, "\u20ac": 2, "1": 1, "": 0 },
    ],
    ["[0,1e+30,0.002]", [-0, 1e30, 2e-3]],
  ])("writes a value as %s", (text, value) => {
    expect(canonical(value)).toBe(text)
  })

  test("is written in steps of a bounded number of values and names", () => {
    const value = {
      list: Array(5_000).fill(1),
      object: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`n${at}`, at])),
    }
    let pieces = 0
    let most = 0
    const work = writeCanonicalJson(value, () => {
      most = Math.max(most, ++pieces)
    })
    while (work.next().done !== true) pieces = 0
    expect(most).toBeLessThan(2_500)
  })
})

describe("names", () => {
  test.each([0, 1, 1_023, 1_024, 1_025, 5_000])("are sorted like sort does, %d of them", (count) => {
    const names = Array.from({ length: count }, (_, at) => `${(at * 7_919) % 4_096}`)
    expect(finish(sortInSteps(names))).toEqual(names.toSorted())
  })

  test("are sorted in steps", () => {
    const work = sortInSteps(Array.from({ length: 10_000 }, (_, at) => `${(at * 7_919) % 10_007}`))
    let steps = 0
    while (work.next().done !== true) steps++
    expect(steps).toBeGreaterThan(80)
  })
})
