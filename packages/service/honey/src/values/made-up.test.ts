import { passesLuhn } from "@sealway/kernel"
import fc from "fast-check"
import { expect, test } from "vitest"
import { makeUp, makeUpLike, SHAPE_BYTES, type Shape } from "./made-up.ts"

const bytes = fc.uint8Array({ minLength: SHAPE_BYTES, maxLength: SHAPE_BYTES })

test("a made-up value looks like its shape", () => {
  fc.assert(
    fc.property(bytes, (random) => {
      const { text: card } = makeUp("card-number", random)
      expect(card).toMatch(/^4[0-9]{15}$/)
      expect(passesLuhn(card)).toBe(true)
      expect(makeUp("email", random).text).toMatch(/^[a-z]{6,13}@example\.com$/)
      expect(makeUp("string", random).text).toMatch(/^[a-z]{6,13}$/)
      const number = makeUp("number", random)
      expect(number.type).toBe("number")
      expect(number.text).toMatch(/^[1-9][0-9]{0,5}$/)
    }),
  )
})

test("made-up values have every length of their shape, and every letter and digit", () => {
  const texts = (shape: Shape) =>
    Array.from({ length: 256 }, (_, first) => {
      const random = Buffer.from(
        Array.from({ length: SHAPE_BYTES }, (_each, index) => (first + 7 * index) % 256),
      )
      const { type, text } = makeUp(shape, random)
      expect(type).toBe(shape === "number" ? "number" : "string")
      return text
    })
  const lengthsOf = (all: readonly string[]) =>
    [...new Set(all.map(({ length }) => length))].sort((a, b) => a - b)
  const charactersOf = (all: readonly string[]) => [...new Set(all.join(""))].sort().join("")
  const words = texts("string")
  expect([lengthsOf(words), charactersOf(words)]).toEqual([
    [6, 7, 8, 9, 10, 11, 12, 13],
    "abcdefghijklmnopqrstuvwxyz",
  ])
  expect(texts("email")).toEqual(words.map((word) => `${word}@example.com`))
  const numbers = texts("number")
  expect([lengthsOf(numbers), charactersOf(numbers)]).toEqual([[1, 2, 3, 4, 5, 6], "0123456789"])
  expect(charactersOf(numbers.map((number) => number.charAt(0)))).toBe("123456789")
  const cards = texts("card-number")
  for (let digit = 1; digit < 15; digit++) {
    expect(charactersOf(cards.map((card) => card.charAt(digit)))).toBe("0123456789")
  }
})

test("a value that is like another has its type and its length", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (random) => {
      expect(makeUpLike("string", random).text).toHaveLength(random.length)
      const { text } = makeUpLike("number", random)
      expect(text).toHaveLength(random.length)
      expect(text).toMatch(/^[1-9][0-9]*$/)
    }),
  )
  expect(makeUpLike("boolean", Buffer.alloc(4)).text).toBe("true")
  expect(makeUpLike("boolean", Buffer.alloc(5)).text).toBe("false")
  expect(makeUpLike("string", Buffer.alloc(0)).text).toBe("")
})
