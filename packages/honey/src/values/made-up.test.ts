import { passesLuhn } from "@sealway/kernel"
import fc from "fast-check"
import { expect, test } from "vitest"
import { makeUp, makeUpLike, SHAPE_BYTES } from "./made-up.ts"

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
