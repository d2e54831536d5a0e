import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { spliceBytes } from "./splice-bytes.ts"

describe("splicing bytes", () => {
  test("returns the same bytes without edits", () => {
    expect(spliceBytes(Buffer.from("é✓"), []).toString()).toBe("é✓")
  })

  test("puts the pieces of a text one after another", () => {
    const edits = [
      { start: 1, end: 2, text: ["é", "", "✓"] },
      { start: 3, end: 3, text: ["x"] },
      { start: 3, end: 4, text: [] },
    ]
    expect(spliceBytes(Buffer.from("abcde"), edits).toString()).toBe("aé✓cxe")
  })

  test("replaces ranges with text of any length and keeps the rest", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            kept: fc.string({ unit: "grapheme" }),
            cut: fc.string(),
            put: fc.string({ unit: "grapheme" }),
          }),
        ),
        fc.string({ unit: "grapheme" }),
        (parts, tail) => {
          let from = 0
          const edits = parts.map(({ kept, cut, put }) => {
            const start = from + Buffer.byteLength(kept)
            from = start + Buffer.byteLength(cut)
            return { start, end: from, text: put }
          })
          const before = Buffer.from(parts.map(({ kept, cut }) => kept + cut).join("") + tail)
          const after = parts.map(({ kept, put }) => kept + put).join("") + tail
          expect(spliceBytes(before, edits).toString()).toBe(after)
        },
      ),
    )
  })
})
