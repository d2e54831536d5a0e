import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createFf1 } from "./ff1.ts"

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
const KEY = Buffer.from("2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94", "hex")
const TEN_BYTES = Buffer.from("39383736353433323130", "hex")
const ELEVEN_BYTES = Buffer.from("3737373770717273373737", "hex")
const NO_TWEAK = new Uint8Array()

function numeralsOf(text: string): number[] {
  return [...text].map((character) => ALPHABET.indexOf(character))
}

function textOf(numerals: readonly number[] | undefined): string {
  return (numerals ?? []).map((numeral) => ALPHABET[numeral]).join("")
}

/** The samples that NIST publishes with SP 800-38G: key bytes, radix, tweak, plaintext, ciphertext. */
const SAMPLES = [
  [16, 10, NO_TWEAK, "0123456789", "2433477484"],
  [16, 10, TEN_BYTES, "0123456789", "6124200773"],
  [16, 36, ELEVEN_BYTES, "0123456789abcdefghi", "a9tv40mll9kdu509eum"],
  [24, 10, NO_TWEAK, "0123456789", "2830668132"],
  [24, 10, TEN_BYTES, "0123456789", "2496655549"],
  [24, 36, ELEVEN_BYTES, "0123456789abcdefghi", "xbj3kv35jrawxv32ysr"],
  [32, 10, NO_TWEAK, "0123456789", "6657667009"],
  [32, 10, TEN_BYTES, "0123456789", "1001623463"],
  [32, 36, ELEVEN_BYTES, "0123456789abcdefghi", "xs8a0azh2avyalyzuwd"],
] as const

describe("FF1", () => {
  test.each(SAMPLES)(
    "answers NIST's sample: key of %d bytes, radix %d",
    (bytes, radix, tweak, plain, encrypted) => {
      const ff1 = createFf1(KEY.subarray(0, bytes), radix)
      expect(textOf(ff1.encrypt([{ numerals: numeralsOf(plain), tweak }])[0])).toBe(encrypted)
      expect(textOf(ff1.decrypt([{ numerals: numeralsOf(encrypted), tweak }])[0])).toBe(plain)
    },
  )

  test("permutes all texts of a small domain without a collision", () => {
    const numbers = Array.from({ length: 10_000 }, (_, number) => number)
    const texts = numbers.map((number) => ({
      numerals: [Math.floor(number / 100), number % 100],
      tweak: NO_TWEAK,
    }))
    const encrypted = createFf1(KEY, 100).encrypt(texts)
    const reached = encrypted.map(([high = 0, low = 0]) => high * 100 + low)
    expect(reached.toSorted((one, other) => one - other)).toEqual(numbers)
  })

  test("opens any batch to what it encrypted, each text by itself or together", () => {
    const texts = fc
      .integer({ min: 2, max: 65_536 })
      .chain((radix) =>
        fc.record({
          radix: fc.constant(radix),
          batch: fc.array(
            fc.record({
              numerals: fc.array(fc.nat(radix - 1), { minLength: 2, maxLength: 100 }),
              tweak: fc.uint8Array({ maxLength: 40 }),
            }),
            { maxLength: 5 },
          ),
        }),
      )
    fc.assert(
      fc.property(texts, ({ radix, batch }) => {
        const ff1 = createFf1(KEY, radix)
        const encrypted = ff1.encrypt(batch)
        expect(batch.map((text) => ff1.encrypt([text])[0])).toEqual(encrypted)
        const again = encrypted.map((numerals, index) => ({
          numerals,
          tweak: batch[index]?.tweak ?? NO_TWEAK,
        }))
        expect(ff1.decrypt(again)).toEqual(batch.map(({ numerals }) => numerals))
      }),
    )
  })

  test.each([1, 65_537, 2.5])("refuses the radix %d", (radix) => {
    expect(() => createFf1(KEY, radix)).toThrow(RangeError)
  })
})
