import { randomBytes } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { finish, type Work } from "../work/work.ts"
import {
  decodeBase64InSteps,
  decodeUtf8InSteps,
  encodeBase64InSteps,
  encodeUtf8InSteps,
  piecesOfText,
} from "./convert-in-steps.ts"

/** How much one step converts. */
const PIECE = 1_572_864
const SIZES = [0, 1, PIECE - 1, PIECE, PIECE + 1, PIECE + 2, PIECE + 3, 2 * PIECE]
const NOISE = randomBytes(3 * PIECE)
const bytesOf = (size: number) => Buffer.from(NOISE.subarray(0, size))

function stepsOf(work: Work<unknown>): number {
  let steps = 0
  while (work.next().done !== true) steps++
  return steps
}

describe("base64", () => {
  test.each(SIZES)("equals Node.js's for %d bytes, and decodes to the same bytes", (size) => {
    const bytes = bytesOf(size)
    const text = finish(encodeBase64InSteps(bytes))
    expect(text === bytes.toString("base64")).toBe(true)
    expect(finish(decodeBase64InSteps(text)).equals(bytes)).toBe(true)
  })

  test.each([
    ["line breaks", (text: string) => text.replace(/.{76}/g, "$&\r\n")],
    ["a blank in the first piece", (text: string) => `${text.slice(0, 10)} ${text.slice(10)}`],
    ["a character that is none", (text: string) => `${text.slice(0, PIECE - 1)}*${text.slice(PIECE - 1)}`],
    ["padding within", (text: string) => `${text.slice(0, 2 * PIECE)}==${text.slice(2 * PIECE)}`],
    ["the alphabet of URLs", (text: string) => text.replaceAll("+", "-").replaceAll("/", "_")],
    ["no padding", (text: string) => text.replaceAll("=", "")],
  ])("is decoded like Node.js does, with %s", (_, change) => {
    const text = change(bytesOf(3 * PIECE).toString("base64"))
    expect(finish(decodeBase64InSteps(text)).equals(Buffer.from(text, "base64"))).toBe(true)
  })
})

describe("UTF-8", () => {
  const letters = fc.constantFrom("a", "\u00e9", "\u540d", "\u{1f600}", "\ud800", "\udc00")

  test("equals Node.js's for a text and its bytes, wherever the pieces end", () => {
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 7 }), fc.nat({ max: 8 }), (unit, shift) => {
        const text = "x".repeat(shift) + unit.join("").repeat(Math.ceil((1.2 * PIECE) / unit.length))
        const bytes = Buffer.from(text)
        expect(finish(encodeUtf8InSteps(text)).equals(bytes)).toBe(true)
        expect(finish(decodeUtf8InSteps(bytes)) === bytes.toString()).toBe(true)
      }),
      { numRuns: 12 },
    )
  })

  test("terminates, and keeps the length, for invalid bytes", () => {
    const bytes = Buffer.alloc(3 * PIECE, 0x80)
    expect(finish(decodeUtf8InSteps(bytes))).toHaveLength(3 * PIECE)
  })

  test("is split into pieces that do not end within a surrogate pair", () => {
    const text = "\u{1f600}".repeat(5)
    expect([...piecesOfText(text, 3)]).toEqual(["\u{1f600}\u{1f600}", "\u{1f600}\u{1f600}", "\u{1f600}"])
    expect([...piecesOfText("abcde", 2)]).toEqual(["ab", "cd", "e"])
    expect([...piecesOfText("a\ud800", 2)]).toEqual(["a\ud800"])
    expect([...piecesOfText(["a\ud800", "\u{1f600}"].join(""), 2)]).toEqual(["a\ud800", "\u{1f600}"])
    expect([...piecesOfText("", 2)]).toEqual([])
  })
})

describe("a conversion", () => {
  test("takes a step per piece of large input, and none for small input", () => {
    const large = Buffer.alloc(2 * PIECE + 1, "x")
    const base64 = large.toString("base64")
    const steps = [
      encodeBase64InSteps(large),
      decodeBase64InSteps(base64),
      decodeUtf8InSteps(large),
      encodeUtf8InSteps(large.toString()),
    ].map(stepsOf)
    expect(steps).toEqual([4, 3, 4, 3])
    const small = Buffer.alloc(PIECE)
    expect([encodeBase64InSteps(small), decodeUtf8InSteps(small)].map(stepsOf)).toEqual([0, 0])
  })
})
