import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { finish } from "../work/work.ts"
import { writeJsonString } from "./write-json-string.ts"

function written(text: string): string {
  const literal = writeJsonString(Buffer.from(text))
  return typeof literal === "string" ? literal : finish(literal).join("")
}

describe("writing a JSON string", () => {
  test("equals JSON.stringify, for any text and length", () => {
    const unit = fc.string({
      unit: fc.constantFrom("a", '"', "\\", "\n", "\u0001", "\u00e9", "\u{1f600}"),
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(unit, fc.constantFrom(1, 60_000, 140_000), (text, length) => {
        const long = text.repeat(Math.ceil(length / text.length))
        expect(written(long) === JSON.stringify(long)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  test("happens in one step up to 64 KB, and in pieces above", () => {
    expect(writeJsonString(Buffer.alloc(65_536, "a"))).toBeTypeOf("string")
    const work = writeJsonString(Buffer.alloc(65_537, "a"))
    expect(typeof work === "string" ? [] : finish(work).map(({ length }) => length)).toEqual([
      1, 65_536, 1, 1,
    ])
  })
})
