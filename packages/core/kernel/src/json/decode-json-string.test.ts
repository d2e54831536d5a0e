import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { finish } from "../work/work.ts"
import { decodeJsonString, decodeJsonStringInSteps } from "./decode-json-string.ts"

/** Decodes in both ways and expects the same result. */
function decode(literal: string): Buffer | null {
  const bytes = Buffer.from(`[${literal}]`)
  const range = [bytes, literal.includes("\\"), 1, bytes.length - 1] as const
  const text = decodeJsonString(...range)
  expect(finish(decodeJsonStringInSteps(...range))).toEqual(text)
  return text
}

describe("decoding a JSON string", () => {
  test("returns the UTF-8 of any text, escaped or not", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const wellFormed = text.toWellFormed()
        expect(decode(JSON.stringify(wellFormed))?.toString()).toBe(wellFormed)
      }),
    )
  })

  test.each(['"\\ud800"', '"a\\udc00b"', '"\\ud83d\\u0041"'])(
    "returns null for %s, a lone surrogate",
    (literal) => {
      expect(decode(literal)).toBeNull()
    },
  )

  test("decodes a long text in steps, wherever its pieces end", () => {
    const units = [
      "a",
      "é",
      "漢",
      "😀",
      "\\n",
      "\\\\",
      '\\"',
      "\\u00e9",
      "\\ud83d\\ude00",
      "\\uD83D\\uDE00",
      "\\u0041",
    ]
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...units), { minLength: 8, maxLength: 40 }),
        fc.nat(12),
        (parts, shift) => {
          const literal = `"${"x".repeat(shift)}${parts.join("").repeat(3_000)}"`
          expect(decode(literal)?.toString()).toBe(JSON.parse(literal))
        },
      ),
      { numRuns: 30 },
    )
    const lone = (filler: string, surrogate: string) =>
      decode(`"\\n${filler.repeat(70_000)}${surrogate}${filler.repeat(9)}"`)
    for (const surrogate of ["\\ud83d", "\\ude00", "\\ud83d\\u0041", "\\ud83d\\ud83d\\ude00"]) {
      for (const filler of ["a", "\\n", "é"]) expect(lone(filler, surrogate)).toBeNull()
    }
  })

  test("joins an escaped surrogate pair", () => {
    expect(decode('"\\ud83d\\ude00"')?.toString()).toBe("😀")
  })
})
