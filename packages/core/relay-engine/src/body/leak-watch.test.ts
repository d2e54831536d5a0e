import type { ValueType } from "@sealway/tokens"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { maskCardNumbers, scanForCardNumbers } from "./leak-watch.ts"
import type { LocatedBody, LocatedValue } from "./located-body.ts"

interface Field {
  readonly path: string
  readonly text: string
  readonly name?: string
  readonly type?: ValueType
}

/** Creates a body whose fields are all unselected. */
function bodyOf(...fields: readonly Field[]): LocatedBody & { readonly read: string[] } {
  const read: string[] = []
  const values = fields.map(({ text, type = "string" }): LocatedValue => {
    return { start: 0, end: Buffer.byteLength(text), type, selectors: [] }
  })
  const fieldOf = (value: LocatedValue) => fields[values.indexOf(value)]
  return {
    read,
    selected: [],
    unselected: () => values,
    text: () => Buffer.alloc(0),
    looseText: (value) => {
      read.push(String(fieldOf(value)?.path))
      return Buffer.from(fieldOf(value)?.text ?? "")
    },
    names: () => fields.map(({ path, name }) => ({ text: name ?? "", path })),
    path: (value) => fieldOf(value)?.path ?? "",
    write: () => "",
  }
}

const isFound = (text: string, type: ValueType = "string") =>
  scanForCardNumbers(bodyOf({ path: "$", text, type }), 1).length === 1

/** Appends the digit that makes digits pass the Luhn check. */
function withCheckDigit(digits: string): string {
  const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
  const sum = [...digits]
    .reverse()
    .reduce(
      (total, digit, index) => total + (index % 2 === 0 ? (doubled[Number(digit)] ?? 0) : Number(digit)),
      0,
    )
  return digits + String((10 - (sum % 10)) % 10)
}

const KINDS = [
  ["4", 13],
  ["4", 16],
  ["4", 19],
  ["51", 16],
  ["55", 16],
  ["2221", 16],
  ["2720", 16],
  ["34", 15],
  ["37", 15],
  ["6011", 16],
  ["65", 19],
  ["36", 14],
  ["305", 14],
  ["3528", 16],
  ["62", 16],
  ["62", 19],
] as const
const GROUPS: Readonly<Record<number, readonly number[]>> = {
  13: [4, 3, 3, 3],
  14: [4, 6, 4],
  15: [4, 6, 5],
  16: [4, 4, 4, 4],
  19: [4, 4, 4, 4, 3],
}

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length })
const cardNumber = fc
  .constantFrom(...KINDS)
  .chain(([prefix, length]) =>
    digits(length - prefix.length - 1).map((rest) => withCheckDigit(prefix + rest)),
  )

function grouped(number: string, separator: string): string {
  let at = 0
  const groups = (GROUPS[number.length] ?? []).map((size) => {
    at += size
    return number.slice(at - size, at)
  })
  return groups.join(separator)
}

const before = fc.constantFrom(
  "",
  " ",
  "card:",
  "Karte ",
  "%B",
  "No.",
  "é",
  "卡号",
  "123 ",
  "2026-11-21 ",
  '"',
  "_",
  "a-",
  "=\n",
)
const after = fc.constantFrom(
  "",
  " ",
  ".",
  ". ",
  "?",
  " 123",
  " 12/27",
  "^NAME",
  "=2712",
  ",x",
  "é",
  "\n",
  "-",
  "_",
)

describe("card numbers in unselected fields", () => {
  test("are found alone, in longer text, and grouped with spaces or dashes", () => {
    fc.assert(
      fc.property(
        cardNumber,
        fc.constantFrom("", " ", "-"),
        before,
        after,
        (number, separator, left, right) => {
          const written = separator === "" ? number : grouped(number, separator)
          expect(isFound(left + written + right)).toBe(true)
        },
      ),
    )
  })

  test("are found as JSON numbers in any notation, unless these are negative, fractions or other powers", () => {
    fc.assert(
      fc.property(cardNumber, (number) => {
        expect(isFound(number, "number")).toBe(true)
        expect(isFound(`-${number}`, "number")).toBe(false)
        expect(isFound(`0.${number}`, "number")).toBe(false)
        expect(isFound(`${number}.5`, "number")).toBe(false)
        expect(isFound(`${number}e3`, "number")).toBe(isFound(`${number}000`))
        expect(isFound(`${number}.0`, "number")).toBe(true)
        expect(isFound(`${number}.000`)).toBe(true)
        expect(isFound(`sum ${number}.00, paid`)).toBe(true)
        expect(isFound(`${number}.05`)).toBe(false)
        expect(isFound(`${number}.0x`)).toBe(false)
        expect(isFound(`${number[0]}.${number.slice(1)}E${number.length - 1}`, "number")).toBe(true)
        expect(isFound(`${number}0e-1`, "number")).toBe(true)
        expect(isFound(`${number}5e-1`, "number")).toBe(false)
      }),
    )
  })

  test("are not found when one digit differs", () => {
    fc.assert(
      fc.property(cardNumber, fc.nat(18), fc.integer({ min: 1, max: 9 }), (number, position, difference) => {
        const at = position % number.length
        const other = String((Number(number[at]) + difference) % 10)
        expect(isFound(number.slice(0, at) + other + number.slice(at + 1))).toBe(false)
      }),
    )
  })

  test("are not found within words and longer runs of digits", () => {
    const neighbour = fc.constantFrom(..."abcxyzABCXYZ0123456789")
    fc.assert(
      fc.property(cardNumber, neighbour, neighbour, (number, left, right) => {
        const run = left + number + right
        fc.pre(!isFound(run.replaceAll(/[^0-9]/g, "")))
        expect(isFound(run)).toBe(false)
      }),
    )
  })

  test.each([
    ["a time in milliseconds", "1763736412000"],
    ["a time in microseconds", "1763736412000123"],
    ["a time in nanoseconds", "1763736412000123456"],
    ["a compact time", "20261121144612"],
    ["an ISO time", "2026-11-21T14:46:52.123456789Z"],
    ["a telephone number", "+44 20 7946 0958"],
    ["18 digits with a card's prefix, as snowflake ids have them", withCheckDigit("41234567890123456")],
    ["12 digits with a card's prefix", withCheckDigit("41111111111")],
    ["another length of the brand", withCheckDigit("3711111111111111")],
    ["an unknown prefix", withCheckDigit("911111111111111")],
    ["a UUID of digits", "40128888-8881-4881-8111-411111111111"],
    ["a list of numbers", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"],
    ["a double", "0.4111111111111111"],
    ["a hash", `${"a1".repeat(12)}4111111111111111${"ff".repeat(12)}`],
    ["digits parted by dots", "4111.1111.1111.1111"],
    ["digits parted twice", "4111  1111  1111  1111"],
    ["nothing", ""],
  ])("are not found in %s", (_, text) => {
    expect(isFound(text)).toBe(false)
  })

  test("are reported by path, in order, up to a maximum, without searching further", () => {
    const card = { text: "4111 1111 1111 1111" }
    const body = bodyOf(
      { path: "a", text: "4111111111111112" },
      { path: "b", ...card },
      { path: "c", ...card },
      { path: "d", ...card },
    )
    expect(scanForCardNumbers(body, 2)).toEqual(["b", "c"])
    expect(body.read).toEqual(["a", "b", "c"])
    expect(scanForCardNumbers(body, 20)).toEqual(["b", "c", "d"])
    expect(scanForCardNumbers(body, 0)).toEqual([])
  })

  test("are found in names too, and reported without them", () => {
    const body = bodyOf(
      { path: "$.a", text: "", name: "a" },
      { path: "$['4111111111111111']", text: "", name: "4111111111111111" },
      {
        path: "$.b['card 4111 1111 1111 1111']",
        text: "4111 1111 1111 1111",
        name: "card 4111 1111 1111 1111",
      },
    )
    const masked = "$.b['card **** **** **** ****']"
    expect(scanForCardNumbers(body, 9)).toEqual([masked, "$['****************']", masked])
    expect(scanForCardNumbers(body, 2)).toEqual([masked, "$['****************']"])
  })

  test("do not appear in a path that contains one", () => {
    const text = "5555555555554444"
    const paths = scanForCardNumbers(
      bodyOf({ path: "$['4111111111111111']['3782 822463 10005'].n[4]", text }),
      9,
    )
    expect(paths).toEqual(["$['****************']['**** ****** *****'].n[4]"])
    expect(maskCardNumbers("$.card[1234]")).toBe("$.card[1234]")
  })

  test("do not appear, even in part, in a truncated path", () => {
    for (let length = 970; length <= 1_000; length++) {
      const path = `${"n".repeat(length - 1)} 4111 1111 1111 1111`
      const [shown = ""] = scanForCardNumbers(bodyOf({ path, text: "5555555555554444" }), 1)
      expect(shown.length).toBeLessThanOrEqual(1_000)
      expect(shown).not.toMatch(/\d/)
    }
  })

  test("cost a bounded number of steps per byte of a body", () => {
    for (const unit of ["4", "4111 ", "4111-1111-1111-", "4111111111111112 ", "%B4"]) {
      expect(isFound(unit.repeat(Math.ceil(2_000_000 / unit.length)))).toBe(false)
    }
  })
})
