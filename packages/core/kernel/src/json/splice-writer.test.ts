import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { finish } from "../work/work.ts"
import { SpliceWriter } from "./splice-writer.ts"

/** Texts that are near the limits of what is copied in a loop, with and without characters that JSON escapes. */
const texts = fc.string({
  unit: fc.constantFrom(..."abc019", '"', "\\", "\u0000", "\u001f", "\u007f", "é", "\u2028", "🚀"),
  maxLength: 300,
})

describe("a document with parts replaced", () => {
  test("has JSON strings where they were written, and everything else as it was", () => {
    const part = fc.record({ kept: texts, text: texts })
    fc.assert(
      fc.property(fc.array(part), texts, fc.nat(2_000), (parts, rest, room) => {
        const source = Buffer.from(parts.map(({ kept }) => `${kept}REPLACED`).join("") + rest)
        const writer = new SpliceWriter(source, room)
        let end = 0
        for (const { kept, text } of parts) {
          const start = end + Buffer.byteLength(kept)
          end = start + "REPLACED".length
          expect(writer.replace(start, end)).toBeNull()
          expect(writer.writeJsonString(Buffer.from(text))).toBeNull()
        }
        const expected = parts.map(({ kept, text }) => kept + JSON.stringify(text)).join("") + rest
        expect(finish(writer.end()).toString()).toBe(expected)
      }),
    )
  })

  test.each([
    ["much shorter than the document", "true", 100_000],
    ["longer than the document", "t".repeat(200), 10_000],
  ])("holds little more memory than its length when it is %s", (_, text, count) => {
    const token = "x".repeat(100)
    const writer = new SpliceWriter(Buffer.from(token.repeat(count)), 100 * count)
    for (let index = 0; index < count; index++) {
      expect(writer.replace(100 * index, 100 * (index + 1))).toBeNull()
      writer.write(text)
    }
    const result = finish(writer.end())
    expect(result.length).toBe(text.length * count)
    expect(result.buffer.byteLength).toBeLessThan(1.25 * result.length)
  })

  test("is the same when what is kept and what is written are so large that they are copied in steps", () => {
    const kept = "k".repeat(3_000_000)
    const text = `"${"t".repeat(200_000)}`
    const writer = new SpliceWriter(Buffer.from(`${kept}REPLACED${kept}`), 0)
    const copying = writer.replace(kept.length, kept.length + "REPLACED".length)
    if (copying === null) throw new Error("It was copied in one step")
    finish(copying)
    const writing = writer.writeJsonString(Buffer.from(text))
    if (writing === null) throw new Error("It was written in one step")
    finish(writing)
    expect(finish(writer.end()).toString() === kept + JSON.stringify(text) + kept).toBe(true)
  })
})
