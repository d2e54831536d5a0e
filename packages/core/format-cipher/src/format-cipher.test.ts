import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ALPHABETS } from "./alphabet.ts"
import { type CharactersFormat, type Format, formatProblem, PRESETS } from "./format.ts"
import { createFormatCipher, deriveFormatKey } from "./format-cipher.ts"
import { luhnResidue, withLuhnResidue } from "./layouts/luhn.ts"

const KEY = deriveFormatKey(new Uint8Array(32).fill(7), "format_0123456789ab", 1)

function preset(name: string): Format {
  const format = PRESETS[name]
  if (format === undefined) throw new Error(`There is no preset ${name}`)
  return format
}

function characters(changes: Partial<CharactersFormat> = {}): CharactersFormat {
  return {
    kind: "characters",
    alphabet: ALPHABETS.digits,
    lengths: { min: 6, max: 100 },
    keep: { first: 0, last: 0 },
    literals: "",
    luhn: "any",
    ...changes,
  }
}

function digitsOf(text: string): number[] {
  return [...text].filter((character) => character >= "0" && character <= "9").map(Number)
}

function refusalOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

const cardNumbers = fc
  .array(fc.nat(9), { minLength: 16, maxLength: 19 })
  .map((digits) => withLuhnResidue(digits, digits.length - 1, 0).join(""))

describe("a token", () => {
  test.each([
    ["card-number", "4242 4242 4242 4242", /^\d{4} \d{4} \d{4} 4242$/],
    ["card-number", "378282246310005", /^\d{11}0005$/],
    ["card-number-first-six", "4242424242424242", /^424242\d{6}4242$/],
    ["us-ssn", "078-05-1120", /^\d{3}-\d\d-\d{4}$/],
    ["phone", "+49 (151) 1234-5678", /^\+49 \(\d{3}\) \d{4}-\d{4}$/],
    ["iban", "GB82WEST12345698765432", /^GB\d\dWEST\d{14}$/],
    ["iban", "MT84MALT011000012345MTLCAST001S", /^MT\d\dMALT\d{12}MTLCAST\d{3}S$/],
    [
      "email",
      "ada.lovelace+news@example.com",
      /^[0-9A-Za-z]{3}\.[0-9A-Za-z]{8}\+[0-9A-Za-z]{4}@example\.com$/,
    ],
    ["date", "1815-12-10", /^[1-9]\d{3}-\d\d-\d\d$/],
    [
      "uuid",
      "919108f7-52d1-4320-9bac-f847db4148a8",
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-9[0-9a-f]{3}-[0-9a-f]{12}$/,
    ],
  ])("of the preset %s for %s fits where the value did, and opens to it", (name, value, form) => {
    const cipher = createFormatCipher(preset(name), KEY)
    const [token = ""] = cipher.encrypt([value])
    expect(token).toMatch(form)
    expect(token).not.toBe(value)
    expect(cipher.decrypt([token])).toEqual([value])
  })

  test("of a card number passes the Luhn check where the format keeps it", () => {
    const keeps = fc.constantFrom({ first: 0, last: 4 }, { first: 6, last: 3 })
    fc.assert(
      fc.property(keeps, fc.array(cardNumbers), (keep, numbers) => {
        const format = characters({ lengths: { min: 16, max: 19 }, keep, luhn: "keep" })
        expect(formatProblem(format)).toBeNull()
        const cipher = createFormatCipher(format, KEY)
        const tokens = cipher.encrypt(numbers)
        expect(tokens.map((token) => luhnResidue(digitsOf(token)))).toEqual(numbers.map(() => 0))
        expect(cipher.decrypt(tokens)).toEqual(numbers)
      }),
    )
  })

  test("can never be taken for a card where the format breaks the Luhn check", () => {
    const keeps = fc.constantFrom({ first: 0, last: 4 }, { first: 6, last: 3 })
    fc.assert(
      fc.property(keeps, fc.array(cardNumbers), (keep, numbers) => {
        const cipher = createFormatCipher(
          characters({ lengths: { min: 16, max: 19 }, keep, luhn: "break" }),
          KEY,
        )
        const tokens = cipher.encrypt(numbers)
        expect(tokens.filter((token) => luhnResidue(digitsOf(token)) === 0)).toEqual([])
        expect(cipher.decrypt(tokens)).toEqual(numbers)
      }),
    )
  })

  test("of any format of characters has the value's length, literals and kept characters, and opens to it", () => {
    const formats = fc.record({
      alphabet: fc.constantFrom(
        ...Object.values(ALPHABETS),
        "01",
        "αβγδεζηθικλμ",
        "ab\u{1f600}\u{1f601}\u{1f602}xyz",
      ),
      keep: fc.record({ first: fc.nat(6), last: fc.nat(4) }),
    })
    const texts = formats.chain((format) => {
      const character = fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...format.alphabet) },
        fc.constantFrom("-", "\u{1f680}"),
      )
      return fc.tuple(fc.constant(format), fc.array(fc.array(character, { minLength: 20, maxLength: 60 })))
    })
    fc.assert(
      fc.property(texts, fc.uint8Array({ maxLength: 20 }), ([{ alphabet, keep }, values], tweak) => {
        const format = characters({ alphabet, keep, literals: "-\u{1f680}", lengths: { min: 1, max: 100 } })
        const fitting = values.filter((value) => value.filter((one) => alphabet.includes(one)).length >= 13)
        const cipher = createFormatCipher(format, KEY)
        const tokens = cipher.encrypt(
          fitting.map((value) => value.join("")),
          tweak,
        )
        expect(cipher.decrypt(tokens, tweak)).toEqual(fitting.map((value) => value.join("")))
        for (const [index, token] of tokens.entries()) {
          const value = fitting[index] ?? []
          const place = (at: number) => value.slice(0, at).filter((one) => alphabet.includes(one)).length
          const total = place(value.length)
          const stays = (one: string, at: number) =>
            !alphabet.includes(one) || place(at) < keep.first || place(at) >= total - keep.last
          const changed = [...token].map((one, at) => (stays(value[at] ?? "", at) ? one : "?"))
          expect(changed).toEqual(value.map((one, at) => (stays(one, at) ? one : "?")))
        }
      }),
    )
  })

  test("of any day is a day, and opens to it", () => {
    const days = fc.date({ min: new Date("1000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
    const cipher = createFormatCipher(preset("date"), KEY)
    fc.assert(
      fc.property(fc.array(days), (dates) => {
        const values = dates.map((date) => date.toISOString().slice(0, 10))
        const tokens = cipher.encrypt(values)
        expect(tokens.map((token) => new Date(token).toISOString().slice(0, 10))).toEqual(tokens)
        expect(cipher.decrypt(tokens)).toEqual(values)
      }),
    )
  })

  test("is another one under another key, format, version, tweak, or other kept characters", () => {
    const valueKey = new Uint8Array(32).fill(7)
    const middleOf = (key: Uint8Array, number = "4242424242424242", tweak?: string) =>
      createFormatCipher(characters({ keep: { first: 6, last: 0 } }), key)
        .encrypt([number], tweak === undefined ? undefined : Buffer.from(tweak))[0]
        ?.slice(6)
    const middles = [
      middleOf(deriveFormatKey(valueKey, "a", 1)),
      middleOf(deriveFormatKey(valueKey, "a", 2)),
      middleOf(deriveFormatKey(valueKey, "b", 1)),
      middleOf(deriveFormatKey(new Uint8Array(32), "a", 1)),
      middleOf(deriveFormatKey(valueKey, "a", 1), "4242434242424242"),
      middleOf(deriveFormatKey(valueKey, "a", 1), "4242424242424242", "customer 1"),
      middleOf(deriveFormatKey(valueKey, "a", 1), "4242424242424242", "customer 2"),
    ]
    expect(new Set(middles).size).toBe(middles.length)
  })
})

describe("what does not fit", () => {
  test.each([
    ["card-number", "4242424242424241", "It does not pass the Luhn check."],
    ["card-number", "42424242", "It does not have 13 to 19 characters of the alphabet."],
    [
      "card-number",
      "4242x424242424242",
      "Its character 5 is neither in the alphabet of the format nor one of its literals.",
    ],
    ["us-ssn", "07805112", "It does not have 9 characters of the alphabet."],
    ["us-ssn", `078-05-1120${"-".repeat(1000)}`, "It does not have 9 characters of the alphabet."],
    [
      "iban",
      "GB83WEST12345698765432",
      "It is not an IBAN in capitals, without spaces, and with its right check digits.",
    ],
    [
      "iban",
      "NO9386011117947 ",
      "It is not an IBAN in capitals, without spaces, and with its right check digits.",
    ],
    ["email", "ada", "It is not an e-mail address."],
    ["email", "ada.lovelace@", "It is not an e-mail address."],
    ["email", "ada@example.com", "It does not have 4 to 64 characters of the alphabet."],
    ["date", "1815-02-29", "It is not a date YYYY-MM-DD of the years 1000 to 9999."],
    ["date", "0815-02-28", "It is not a date YYYY-MM-DD of the years 1000 to 9999."],
    ["uuid", "919108F7-52D1-4320-9BAC-F847DB4148A8", "It is not a UUID in lower case."],
  ])("is refused as a value of %s: %s", (name, value, message) => {
    const cipher = createFormatCipher(preset(name), KEY)
    expect(refusalOf(() => cipher.encrypt([value]))).toMatchObject({
      name: "UnfitTextError",
      message,
      index: 0,
    })
    expect(refusalOf(() => cipher.decrypt([value]))).toMatchObject({ name: "UnfitTextError" })
  })

  test("is named by its position in the batch", () => {
    const cipher = createFormatCipher(preset("us-ssn"), KEY)
    expect(refusalOf(() => cipher.encrypt(["078-05-1120", "078-05"]))).toMatchObject({ index: 1 })
  })

  test.each([
    { first: 0, last: 4 },
    { first: 6, last: 3 },
  ])(
    "is refused as a token that breaks the Luhn check, keeping $first and $last, nine times of ten",
    (keep) => {
      const cipher = createFormatCipher(
        characters({ lengths: { min: 16, max: 16 }, keep, luhn: "break" }),
        KEY,
      )
      expect(refusalOf(() => cipher.decrypt(["4242424242424242"]))).toMatchObject({
        message: "It is not a token of this format.",
      })
      const numbers = Array.from({ length: 200 }, (_, number) =>
        String(4_242_420_000_004_242 + number * 10_000),
      )
      const opened = numbers.filter((number) => refusalOf(() => cipher.decrypt([number])) === undefined)
      expect(opened.length).toBeLessThan(50)
    },
  )

  test("is a tweak of more than 255 bytes", () => {
    const cipher = createFormatCipher(preset("us-ssn"), KEY)
    expect(() => cipher.encrypt(["078-05-1120"], new Uint8Array(256))).toThrow(RangeError)
    expect(cipher.encrypt(["078-05-1120"], new Uint8Array(255))).toHaveLength(1)
  })
})

describe("a format", () => {
  test("of each preset of characters can be used", () => {
    const formats = Object.values(PRESETS).filter((format) => format.kind === "characters")
    expect(formats.map(formatProblem)).toEqual(formats.map(() => null))
  })

  test.each<[Partial<CharactersFormat>, string, string]>([
    [{ alphabet: "0" }, "alphabet", "Give 2 to 100 characters, each once."],
    [{ alphabet: "0100" }, "alphabet", "Give 2 to 100 characters, each once."],
    [{ literals: "-5" }, "literals", "Give each character once, and none of the alphabet."],
    [{ lengths: { min: 9, max: 8 } }, "lengths", "Give 1 <= min <= max <= 100."],
    [{ lengths: { min: 6, max: 101 } }, "lengths", "Give 1 <= min <= max <= 100."],
    [
      { alphabet: "01", luhn: "keep" },
      "luhn",
      'Only numbers of digits have a Luhn check: use "any", or the alphabet of digits.',
    ],
    [
      { lengths: { min: 15, max: 19 }, keep: { first: 7, last: 0 } },
      "keep",
      "Keep at most the first 6 and the last 4 of 15 digits (PCI DSS 3.4.1).",
    ],
    [
      { lengths: { min: 19, max: 19 }, keep: { first: 9, last: 0 } },
      "keep",
      "Keep at most the first 8 and the last 4 of 19 digits (PCI DSS 3.4.1).",
    ],
    [
      { alphabet: "9876543210", lengths: { min: 16, max: 16 }, keep: { first: 0, last: 5 } },
      "keep",
      "Keep at most the first 8 and the last 4 of 16 digits (PCI DSS 3.4.1).",
    ],
    [
      { alphabet: "9876543210", luhn: "keep" },
      "luhn",
      'Only numbers of digits have a Luhn check: use "any", or the alphabet of digits.',
    ],
    [
      { lengths: { min: 16, max: 19 }, keep: { first: 6, last: 4 }, luhn: "keep" },
      "keep",
      "The shortest values have 6 encrypted characters, of which the Luhn check decides one: 100,000 texts. 1,000,000 are needed: keep fewer characters, or ask for longer values.",
    ],
    [
      { lengths: { min: 15, max: 19 }, keep: { first: 6, last: 4 } },
      "keep",
      "The shortest values have 5 encrypted characters: 100,000 texts. 1,000,000 are needed: keep fewer characters, or ask for longer values.",
    ],
  ])("is refused with the field and what to do: %j", (changes, field, message) => {
    expect(formatProblem(characters(changes))).toEqual({ field, message })
  })
})
