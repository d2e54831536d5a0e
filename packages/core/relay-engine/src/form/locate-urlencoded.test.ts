import { spliceBytes } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { encodeAtOnce } from "../body/encode-in-steps.ts"
import { readAtOnce } from "../body/located-body.ts"
import { EncryptedNames } from "./encrypted-names.ts"
import { locateUrlencoded } from "./locate-urlencoded.ts"

const valuesIn = (form: string, ...names: string[]) => {
  const body = locateUrlencoded(Buffer.from(form), names)
  return body.selected.map((value) => [
    body.path(value),
    readAtOnce(body.text(value)).toString(),
    value.selectors,
  ])
}
/** Returns the form with every selected value replaced. */
const rewritten = (form: string | Buffer, names: readonly string[], text: string) => {
  const bytes = Buffer.from(form)
  const body = locateUrlencoded(bytes, names)
  return spliceBytes(
    bytes,
    body.selected.map((value) => ({
      start: value.start,
      end: value.end,
      text: encodeAtOnce(body.write(value, "string", Buffer.from(text))),
    })),
  ).toString("latin1")
}

describe("an urlencoded form", () => {
  test.each([
    ["card=4242", [["card", "4242", [0]]]],
    ["a=1&card=4242&b=2", [["card", "4242", [0]]]],
    [
      "card=1&card=2",
      [
        ["card", "1", [0]],
        ["card", "2", [0]],
      ],
    ],
    ["%63ard=4242", [["card", "4242", [0]]]],
    ["card=a+b%20c%2bd", [["card", "a b c+d", [0]]]],
    ["card=a=b==", [["card", "a=b==", [0]]]],
    ["card=%C3%A9", [["card", "é", [0]]]],
    ["card=é", [["card", "é", [0]]]],
    ["card=", [["card", "", [0]]]],
    ["card", []],
    ["", []],
    ["&&&card=1&", [["card", "1", [0]]]],
    ["Card=1&cards=2&car=3&=card", []],
    ["a=card;card=1", []],
  ])("%j has its fields' values", (form, values) => {
    expect(valuesIn(form, "card")).toEqual(values)
  })

  test("matches every selector of a name, and names in brackets", () => {
    expect(valuesIn("user%5Bname%5D=Ada&user[name]=Bob&=x", "user[name]", "", "user[name]")).toEqual([
      ["user[name]", "Ada", [0, 2]],
      ["user[name]", "Bob", [0, 2]],
      ["", "x", [1]],
    ])
  })

  test("may have names of Object.prototype", () => {
    expect(valuesIn("__proto__=1&constructor=2", "__proto__")).toEqual([["__proto__", "1", [0]]])
  })

  test("reports what is not selected", () => {
    const body = locateUrlencoded(Buffer.from("a=1&b=2&c&d=%2"), ["b"])
    const [first, second] = body.unselected()
    expect(first).toEqual({ start: 2, end: 3, type: "string", selectors: [] })
    expect(second).toEqual({ start: 12, end: 14, type: "string", selectors: [] })
  })

  test("changes only the bytes of selected values", () => {
    const form = "&a=%7e+%zz&&card=42%3442&;b&c=\r\n\xff&card=&d=="
    expect(rewritten(Buffer.from(form, "latin1"), ["card"], "ev:a+b/=$ é")).toBe(
      "&a=%7e+%zz&&card=ev%3Aa%2Bb%2F%3D%24+%C3%A9&;b&c=\r\n\xff&card=ev%3Aa%2Bb%2F%3D%24+%C3%A9&d==",
    )
  })

  test("keeps every unselected byte, whatever the fields contain", () => {
    const piece = fc.string({ unit: fc.constantFrom(..."ab=+;% \n\xff/"), maxLength: 6 })
    const name = fc.constantFrom("a", "%61", "b", "A", "a+", "")
    const field = fc.tuple(name, fc.option(piece, { nil: null }))
    fc.assert(
      fc.property(fc.array(field), (fields) => {
        const render = (show: (name: string, value: string) => string) =>
          fields.map(([key, value]) => (value === null ? key : `${key}=${show(key, value)}`)).join("&")
        const form = render((_key, value) => value)
        const expected = render((key, value) => (key === "a" || key === "%61" ? "X" : value))
        expect(rewritten(Buffer.from(form, "latin1"), ["a"], "X")).toBe(expected)
      }),
    )
  })

  test("reads back what it writes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (any) => {
        const text = any.toWellFormed()
        const form = rewritten("a=1&b=2", ["b"], text)
        expect(valuesIn(form, "b")).toEqual([["b", text, [0]]])
        expect(new URLSearchParams(form).get("b")).toBe(text)
      }),
    )
  })

  test.each(["%=1", "a%2=1", "%zz=1", "a&%g0", "%ff=1", "%c3=1", "\ud800=1%"])(
    "is refused when a name is %j, which parsers read differently",
    (form) => {
      const bytes = form.startsWith("\ud800") ? Buffer.from("eda080", "hex") : Buffer.from(form)
      expect(() => locateUrlencoded(bytes, ["x"])).toThrow(expect.objectContaining({ reason: "malformed" }))
    },
  )

  test.each(["a=%", "a=%4", "a=%zz", "a=%ff", "a=%u0041"])(
    "has no readable text for the value in %j",
    (form) => {
      expect(() => valuesIn(form, "a")).toThrow(expect.objectContaining({ reason: "malformed" }))
    },
  )

  test.each(["&".repeat(5_000_000), `${"&".repeat(10_000)}a=1`])(
    "is refused when it has more than 10,000 fields, including empty ones",
    (form) => {
      expect(() => locateUrlencoded(Buffer.from(form), ["a"])).toThrow(
        expect.objectContaining({ reason: "too-large" }),
      )
    },
  )

  test("may have at most 10,000 pieces that a parser reads as fields", () => {
    const encrypted = new EncryptedNames(["card"])
    const form = (pieces: number) => Buffer.from(`a=1${";".repeat(pieces - 1)}`)
    expect([...locateUrlencoded(form(10_000), ["card"], { encrypted }).unselected()]).toHaveLength(1)
    expect(() => locateUrlencoded(form(10_001), ["card"], { encrypted })).toThrow(
      expect.objectContaining({ reason: "too-large" }),
    )
    expect([...locateUrlencoded(form(10_001), ["card"]).unselected()]).toHaveLength(1)
  })

  test.each([
    "Card=1",
    "card[]=1",
    "card%00=1",
    "a=1;card=2",
    "a;card=2",
    "a;Card",
    "card[x",
    "a=%zz;c%61rd=1",
  ])(
    "is refused when a parser reads %j as an encrypted field, and accepted when none is encrypted",
    (form) => {
      const encrypted = new EncryptedNames(["card"])
      expect(() => locateUrlencoded(Buffer.from(form), ["card"], { encrypted })).toThrow(
        expect.objectContaining({ reason: "malformed" }),
      )
      expect(locateUrlencoded(Buffer.from(form), ["card"]).selected).toEqual([])
    },
  )

  test.each(["card=1;card=2", "card", "a=1;b=2", "a=card", "cards=1", "a=1;x=;y", "card_type=1"])(
    "is accepted when no parser reads another field of %j as the encrypted one",
    (form) => {
      const encrypted = new EncryptedNames(["card"])
      const fields = locateUrlencoded(Buffer.from(form), ["card"], { encrypted })
      expect(fields.selected).toHaveLength(form.startsWith("card=") ? 1 : 0)
    },
  )

  test.each([
    ["curl -d without -H, for Go and php://input", '{"card":{"number":"4242"}}'],
    ["the same with a name's end in it", '{"card":"4242","a":"="}'],
    ["blanks before it", ' {"card":"4242"}'],
    ["a byte order mark", '\ufeff{"card":"4242"}'],
    ["a comment with a name's end, for Ruby's JSON, Gson and fastjson", '/*=*/{"card":"4242"}'],
    ["a line of a comment, for Ruby's JSON", '#=\n{"card":"4242"}'],
    ["Gson's prefix against execution", ')]}\'=\n{"card":"4242"}'],
    ["a list", '[{"card":"4242"}]'],
    ["a text", '"4242"'],
    ["XML", '<card n="4242"/>'],
    ["a name without a value", 'a=1&{"card":"4242"}'],
    ["an encoded name without a value", "a=1&%7B%22x%22:%224242%22%7D"],
    ["an unclosed list in a name without a value", "b&x[4242"],
    ["a list in a name without a value", "b&[4242]"],
    ["a list behind what readers skip, without a value", "b&//\n[4242]"],
    ["a text in the index of a name without a value", 'b&x["pan"]'],
    ["an object in the index of a name without a value", "b&x[{pan:4242}]"],
    ["a blank beyond ASCII before it", '\u3000{"card":"4242"}'],
    ["a letter that some software writes as a quote", "\u02ba4242\u02ba"],
  ])("is refused when a reader takes it for JSON or XML, and fields are encrypted: %s", (_, form) => {
    const encrypted = new EncryptedNames(["pan"])
    expect(() => locateUrlencoded(Buffer.from(form), ["pan"], { encrypted })).toThrow(
      expect.objectContaining({ reason: "malformed" }),
    )
    expect(locateUrlencoded(Buffer.from(form), ["pan"]).selected).toEqual([])
  })

  test("is accepted with what clients of forms send, in names and values", () => {
    const encrypted = new EncryptedNames(["pan"])
    const serialized = new URLSearchParams({ "{a}": '{"x":["<b>"]}', "é<": "[", "": "1" }).toString()
    for (const form of [serialized, 'payload={"x":[1]}&a[b]=<b>', "_a=1", "-=1", "$x=1", "&&a", "=1", ""]) {
      expect(() => locateUrlencoded(Buffer.from(form), ["pan"], { encrypted })).not.toThrow()
    }
  })

  test("is accepted with raw letters beyond ASCII, and with names that have indices and no value", () => {
    const encrypted = new EncryptedNames(["pan"])
    for (const form of ["expand[]", "a=1&expand[]&items[0][name]", "größe=1", "öl[]&é[ß]", "名前=1"]) {
      expect(() => locateUrlencoded(Buffer.from(form), ["pan"], { encrypted })).not.toThrow()
    }
  })

  test("may have at most 10,000 fields", () => {
    const form = (fields: number) => Buffer.from("a=1&".repeat(fields))
    expect(locateUrlencoded(form(10_000), ["a"]).selected).toHaveLength(10_000)
    expect(() => locateUrlencoded(form(10_001), ["a"])).toThrow(
      expect.objectContaining({ name: "UnreadableBodyError", reason: "too-large" }),
    )
  })
})
