import { passesLuhn } from "@sealway/kernel/card-number"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  brandOfDigits,
  digitsOf,
  groupCardNumber,
  isCardNumber,
  isFullNumber,
  maxDigitsOf,
} from "./card-number-rules.ts"
import { caretAfter } from "./caret.ts"
import { expiryDigitsOf, isCurrent, parseExpiry, writeExpiry } from "./expiry-rules.ts"
import { inputRulesOf } from "./input-rules.ts"
import { createLastFour } from "./last-four.ts"

const SETTINGS = { kind: "card", role: null, minLength: 1, maxLength: 9, isMasked: true } as const
const digits = (min: number, max: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((each) => each.join(""))

describe("a card number", () => {
  test.each([
    ["4242424242424242", "4242 4242 4242 4242", "visa"],
    ["4242424242424242428", "4242 4242 4242 4242 428", "visa"],
    ["378282246310005", "3782 822463 10005", "american-express"],
    ["30569309025904", "3056 930902 5904", "diners-club"],
    ["6011111111111117", "6011 1111 1111 1117", "discover"],
    ["3530111333300000", "3530 1113 3330 0000", "jcb"],
    ["2223003122003222", "2223 0031 2200 3222", "mastercard"],
  ])("%s is written as on its card", (number, written, brand) => {
    expect(groupCardNumber(number)).toBe(written)
    expect([isCardNumber(number), brandOfDigits(number)]).toEqual([true, brand])
    // So it is while it is typed.
    for (let length = 0; length < number.length; length++) {
      const typed = groupCardNumber(number.slice(0, length))
      expect([digitsOf(typed), written.startsWith(typed)]).toEqual([number.slice(0, length), true])
    }
  })

  test("may be typed in Arabic, Persian or full-width digits", () => {
    expect(digitsOf("٤٢٤٢ ۴۲۴۲ ４２４２")).toBe("424242424242")
    expect(inputRulesOf(SETTINGS)[1]?.read("٠١/٣٠")).toBe("0130")
  })

  test("is refused with any digit changed, and with a digit more or less than its brand has", () => {
    const number = "378282246310005"
    fc.assert(
      fc.property(fc.nat(14), fc.integer({ min: 1, max: 9 }), (index, difference) => {
        const digit = (Number(number[index]) + difference) % 10
        expect(isCardNumber(number.slice(0, index) + digit + number.slice(index + 1))).toBe(false)
      }),
    )
    const shorter = "37828224631000"
    const padded = (length: number) =>
      Array.from(
        { length: 10 },
        (_, digit) => shorter.slice(0, length - 1).padEnd(length - 1, "0") + digit,
      ).find(passesLuhn) ?? ""
    for (const length of [14, 16]) expect([length, isCardNumber(padded(length))]).toEqual([length, false])
    expect(isCardNumber(padded(15))).toBe(true)
  })

  test.each(["4222222222222", "1234567812345670", "", "4242 4242 4242 4242"])("%j is none", (text) => {
    expect(isCardNumber(text)).toBe(false)
  })

  test("keeps its digits, whatever is typed between them, and no more than its brand has", () => {
    const between = fc.array(fc.constantFrom(" ", "-", "a", "\u00b2", "\u{1f600}", "\ud83d"), {
      maxLength: 3,
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), between), { maxLength: 25 }), (typed) => {
        const kept = digitsOf(typed.map(([digit, others]) => digit + others.join("")).join(""))
        expect(kept).toBe(
          typed
            .map(([digit]) => digit)
            .join("")
            .slice(0, 19),
        )
        expect(digitsOf(groupCardNumber(kept))).toBe(kept)
      }),
    )
  })

  test("has the brand of its first digits as soon as they decide it", () => {
    expect(["4", "3", "37", "35", "352", "3528", "62", "9", ""].map(brandOfDigits)).toEqual([
      ...["visa", null, "american-express", null, null, "jcb", "unionpay", null, null],
    ])
    fc.assert(
      fc.property(digits(4, 19), (all) => {
        for (let length = 1; length <= all.length; length++) {
          const early = brandOfDigits(all.slice(0, length))
          if (early !== null) expect(brandOfDigits(all)).toBe(early)
        }
      }),
    )
  })

  test("is full when its brand has no more digits", () => {
    expect([isFullNumber("42424242424242424"), isFullNumber("5555555555554444")]).toEqual([false, true])
    expect(maxDigitsOf(null)).toBe(19)
  })
})

describe("an expiry", () => {
  test.each([
    ["1/30", "0130"],
    ["01/30", "0130"],
    ["01 / 2030", "0130"],
    ["0130", "0130"],
    ["012030", "0130"],
    ["2030-01", "0130"],
    [" 2030 - 1 ", "0130"],
    ["2030/12", "1230"],
    ["12.30", "1230"],
    ["1 2/30", "1230"],
    [" 1 - 2030", "0130"],
    ["530", "0530"],
    ["52030", "0530"],
    ["9 / 3", "093"],
    ["01/92030", "0192"],
    ["01/30 and more", "0130"],
    ["12-2039", "1239"],
    ["5", "05"],
    ["1", "1"],
    ["13", "13"],
    ["1/", "01"],
    ["", ""],
    ["ab", ""],
  ])("typed as %j is %j", (text, kept) => {
    expect(expiryDigitsOf(text)).toBe(kept)
  })

  test("is written so that it is read again as the same", () => {
    fc.assert(
      fc.property(digits(0, 4), (text) => {
        const kept = expiryDigitsOf(text)
        expect(kept).toMatch(/^[0-9]{0,4}$/)
        expect(expiryDigitsOf(writeExpiry(kept))).toBe(kept)
      }),
    )
  })

  test("is current until its month has ended everywhere, and not further away than cards are issued", () => {
    const expiry = { month: "02", year: "30" }
    const end = Date.UTC(2030, 2, 1, 12)
    expect([isCurrent(expiry, end - 1), isCurrent(expiry, end)]).toEqual([true, false])
    expect(isCurrent(expiry, Date.UTC(1980, 1, 15))).toBe(true)
    expect(isCurrent(expiry, Date.UTC(1980, 0, 15))).toBe(false)
    expect(["0030", "1330", "013", "01300"].map(parseExpiry)).toEqual([null, null, null, null])
  })
})

describe("the rules of inputs", () => {
  const [number, , cvc] = inputRulesOf(SETTINGS)
  const judge = (rule = number, value = "", brand: string | null = null) =>
    rule?.judge(value, { nowMs: 0, brand })

  test("tell an unfinished number from a wrong one", () => {
    expect(judge(number, "4")).toBe("numberIncomplete")
    expect(judge(number, "424242424242424")).toBe("numberIncomplete")
    expect(judge(number, "4242424242424243")).toBe("numberInvalid")
    expect(judge(number, "1234")).toBe("numberInvalid")
    expect(judge(number, "4242424242424242")).toBeNull()
  })

  test.each([
    ["123", null, null],
    ["1234", null, null],
    ["12", null, "cvcInvalid"],
    ["1234", "visa", "cvcInvalid"],
    ["123", "american-express", "cvcInvalid"],
    ["1234", "american-express", null],
  ])("judge the CVC %s of the brand %s: %s", (value, brand, problem) => {
    expect(judge(cvc, value, brand)).toBe(problem)
  })

  test("judge an expiry, and say whether it has passed", () => {
    const [, expiry] = inputRulesOf(SETTINGS)
    const nowMs = Date.UTC(2030, 0, 15)
    const judged = (value: string) => expiry?.judge(value, { nowMs, brand: null })
    expect([judged("0130"), judged("1229")]).toEqual([null, "expired"])
    expect([judged("1330"), judged("013")]).toEqual(["expiryInvalid", "expiryInvalid"])
  })

  test("ask for what the kind of a frame holds, and mask only what is secret", () => {
    const kinds = ["card", "number", "expiry", "cvc", "pin", "text"] as const
    const asked = kinds.map((kind) =>
      inputRulesOf({ ...SETTINGS, kind, isMasked: false }).map(
        ({ name, autocomplete, inputMode, isMasked }) => [name, autocomplete, inputMode, isMasked],
      ),
    )
    const [number, expiry, cvc] = [
      ["number", "cc-number", "numeric", false],
      ["expiry", "cc-exp", "numeric", false],
      ["cvc", "cc-csc", "numeric", false],
    ]
    const [pin, text] = [
      ["pin", "off", "numeric", true],
      ["text", "off", "text", false],
    ]
    expect(asked).toEqual([[number, expiry, cvc], [number], [expiry], [cvc], [pin], [text]])
    expect(inputRulesOf({ ...SETTINGS, kind: "text" })[0]?.isMasked).toBe(true)
  })

  test("say when nothing can follow: never of what may have more characters", () => {
    const isFull = (kind: "number" | "expiry" | "cvc" | "pin" | "text", value: string) =>
      inputRulesOf({ ...SETTINGS, kind })[0]?.isFull(value)
    expect([isFull("number", "5555555555554444"), isFull("number", "555555555555444")]).toEqual([true, false])
    expect([isFull("expiry", "0130"), isFull("expiry", "013")]).toEqual([true, false])
    for (const kind of ["cvc", "pin", "text"] as const) expect(isFull(kind, "123456789")).toBe(false)
  })

  test("keep no more digits of a CVC or a PIN than it has, and refuse a PIN that is too short", () => {
    const [pin] = inputRulesOf({ ...SETTINGS, kind: "pin", minLength: 4, maxLength: 6 })
    expect([cvc?.read("12345"), pin?.read("1-2-3-4-5-6-7")]).toEqual(["1234", "123456"])
    expect([judge(pin, "123"), judge(pin, "1234")]).toEqual(["pinInvalid", null])
    expect([pin?.isFormatted, number?.isFormatted, cvc?.isFormatted]).toEqual([false, true, true])
    expect([pin?.write("12"), cvc?.write("12"), number?.write("42424")]).toEqual(["12", "12", "4242 4"])
  })

  test("count the characters of a text as people do, and refuse half of one", () => {
    const [text] = inputRulesOf({ ...SETTINGS, kind: "text", minLength: 2, maxLength: 3 })
    expect(text?.read("🙂🙂🙂🙂")).toBe("🙂🙂🙂")
    expect([judge(text, "🙂"), judge(text, "🙂🙂"), judge(text, "\ud83d\ud83dx")]).toEqual([
      ...["textInvalid", null, "textInvalid"],
    ])
  })
})

test("the caret stays behind the same digits", () => {
  fc.assert(
    fc.property(digits(0, 19), fc.nat(19), (text, before) => {
      const written = groupCardNumber(text)
      const place = caretAfter(written, before)
      expect(digitsOf(written.slice(0, place)).length).toBe(Math.min(before, text.length))
    }),
  )
})

describe("the last four digits", () => {
  test("are told of one number, and not of another that it begins or continues", () => {
    const lastFour = createLastFour()
    expect(lastFour("6212345678901232")).toBe("1232")
    expect(lastFour("6212345678901232")).toBe("1232")
    expect(lastFour("6212345678901232007")).toBeNull()
    expect(lastFour("62123456789012")).toBeNull()
    expect(lastFour("4242424242424242")).toBe("4242")
  })
})
