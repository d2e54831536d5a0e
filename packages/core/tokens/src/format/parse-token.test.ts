import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { contentKeyId } from "../crypto/content-key.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { refusal } from "../testing/refused.ts"
import { createTestApp } from "../testing/test-app.ts"
import { vectors } from "../testing/vectors.ts"
import { createSealingKey } from "../values/sealing-key.ts"
import { type ParsedToken, parseToken } from "./parse-token.ts"
import { isToken } from "./token-grammar.ts"

const IV = "1sfU+3Xel3OLnQXM"
const KEY = "A2JJim2nKSbHK+7gL5Ydow6UPGprFBT8XrVNkSL7+YKF"
const CIPHERTEXT = "U9juPHngC2oIBmKvBfqRf8K2KZiovtcwde7a1B+RPfE"
const MEBIBYTE = 2 ** 20

const segments = fc.oneof(
  fc.constantFrom(
    "ev",
    "debug",
    "Tk9D",
    "QkTC",
    "XXXX",
    "string",
    "number",
    IV,
    KEY,
    CIPHERTEXT,
    "$",
    "",
    "=",
    "A==",
  ),
  fc.base64String(),
  fc.string(),
)
const nearTokens = fc.array(segments, { maxLength: 10 }).map((parts) => parts.join(":"))
const framed = nearTokens.map((middle) => `ev:${middle}:$`)

describe("treats as data", () => {
  test.each([
    "",
    "ev:",
    "ev:$",
    "ev::$",
    ":$",
    "ev:::::$",
    "ev:Tk9D::::$",
    "hello",
    "ev: is how tokens begin",
    `ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT}`,
    `ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT}:`,
    `ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT}:$ `,
    `ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT}:$\n`,
    ` ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT}:$`,
    `EV:Tk9D:${IV}:${KEY}:${CIPHERTEXT}:$`,
    `ev:DEBUG:Tk9D:${IV}:${KEY}:${CIPHERTEXT}:$`,
    `ev:debug:debug:Tk9D:${IV}:${KEY}:${CIPHERTEXT}:$`,
    `ev:Tk9:${IV}:${KEY}:${CIPHERTEXT}:$`,
    `ev:Tk9DD:${IV}:${KEY}:${CIPHERTEXT}:$`,
    `ev:Tk9D:object:${IV}:${KEY}:${CIPHERTEXT}:$`,
    `ev:Tk9D:Number:${IV}:${KEY}:${CIPHERTEXT}:$`,
    `ev:Tk9DA${IV}:${KEY}:${CIPHERTEXT}:$`,
    `ev:Tk9DA${IV.slice(1)}:${KEY}:${CIPHERTEXT}:$`,
    `ev:Tk9D:${IV}:${KEY}A${CIPHERTEXT}:$`,
    `ev:Tk9D:number:number:${IV}:${KEY}:${CIPHERTEXT}:$`,
    `ev:Tk9D:${KEY}:${CIPHERTEXT}:$`,
    `ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT}:${CIPHERTEXT}:$`,
    `ev:Tk9D:${IV}:${KEY}::$`,
    `ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT.replace("U", "_")}:$`,
    `ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT.replace("U", " ")}:$`,
    `ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT.replace("U", "\u0155")}:$`,
    `ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT.replace("9", "=")}:$`,
  ])("text outside the grammar: %j", (text) => {
    expect(parseToken(text)).toBeNull()
    expect(isToken(text)).toBe(false)
  })
})

describe("refuses", () => {
  test.each([
    ["an unknown version", `ev:XXXX:${IV}:${KEY}:${CIPHERTEXT}:$`],
    ["a version in lower case", `ev:tk9d:${IV}:${KEY}:${CIPHERTEXT}:$`],
    ["an IV that runs into the ephemeral key", `ev:Tk9D:number:${IV}A${KEY}:${CIPHERTEXT}:$`],
    ["an IV of 9 bytes", `ev:Tk9D:${IV.slice(0, 12)}:${KEY}:${CIPHERTEXT}:$`],
    ["an IV of 15 bytes", `ev:Tk9D:${IV}AAAA:${KEY}:${CIPHERTEXT}:$`],
    ["an ephemeral key of 32 bytes", `ev:Tk9D:${IV}:${KEY.slice(0, -1)}:${CIPHERTEXT}:$`],
    ["an ephemeral key of 36 bytes", `ev:Tk9D:${IV}:${KEY}AAAA:${CIPHERTEXT}:$`],
    ["an uncompressed ephemeral key", `ev:Tk9D:${IV}:BA${"A".repeat(85)}:${CIPHERTEXT}:$`],
    ["an ephemeral key that says it is uncompressed", `ev:Tk9D:${IV}:B${KEY.slice(1)}:${CIPHERTEXT}:$`],
    ["a ciphertext shorter than the tag", `ev:Tk9D:${IV}:${KEY}:${"A".repeat(20)}:$`],
    ["a ciphertext whose length no bytes have", `ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT}AA:$`],
    ["a ciphertext with padding", `ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT}=:$`],
    ["an IV with padding", `ev:Tk9D:${IV}==:${KEY}:${CIPHERTEXT}:$`],
    ["bits that encode nothing", `ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT.slice(0, -1)}F:$`],
    ["bits that encode nothing, in a longer text", `ev:Tk9D:${IV}:${KEY}:${"A".repeat(1001)}B:$`],
    ["a longer text with padding", `ev:Tk9D:${IV}:${KEY}:${"A".repeat(1002)}==:$`],
  ])("a token with %s", (_, text) => {
    expect(() => parseToken(text)).toThrow(refusal)
    expect(isToken(text)).toBe(true)
  })
})

describe("a well-formed token", () => {
  test("parses into its parts", () => {
    expect(parseToken(`ev:debug:QkTC:number:${IV}:${KEY}:${CIPHERTEXT}:$`)).toEqual({
      version: "QkTC",
      curve: "prime256v1",
      derivation: "x963",
      type: "number",
      debug: true,
      iv: Buffer.from(IV, "base64"),
      ephemeralPublicKey: Buffer.from(KEY, "base64"),
      ephemeralPublicKeyBase64: KEY,
      ciphertext: Buffer.from(CIPHERTEXT, "base64"),
    })
  })

  test.each([
    ["", "string"],
    ["string:", "string"],
    ["number:", "number"],
    ["boolean:", "boolean"],
  ])("with the marker %j is a %s", (marker, type) => {
    expect(parseToken(`ev:Tk9D:${marker}${IV}:${KEY}:${CIPHERTEXT}:$`)).toMatchObject({ type, debug: false })
  })

  test("parses the same after any other token", () => {
    const appPublicKey = createTestApp().prime256v1.publicKey
    const fresh = createSealingKey({ appPublicKey, debug: true }).seal("number", "1")
    const texts = [...vectors.tokens.map(({ token }) => token), fresh]
    let previous: ParsedToken | null = null
    for (const text of [...texts, ...texts.toReversed()]) {
      const token = parseToken(text, previous)
      expect(token).toEqual(parseToken(text))
      previous = token
    }
  })

  test("parses the same after a token whose ephemeral key is nearly the same, or occurs elsewhere in it", () => {
    const previous = parseToken(`ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT}:$`)
    for (const key of [`${KEY.slice(0, -1)}G`, KEY.replace("2", "3")]) {
      const text = `ev:Tk9D:${IV}:${key}:${KEY}:$`
      expect(parseToken(text, previous)).toEqual(parseToken(text))
      const token = parseToken(text, previous)
      expect(token && contentKeyId(token)).toBe(key)
    }
  })

  test("is refused after any other token when its ephemeral key is truncated", () => {
    const previous = parseToken(`ev:Tk9D:${IV}:${KEY}:${CIPHERTEXT}:$`)
    for (const key of [KEY.slice(0, -4), `${KEY}AAAA`, `${KEY}=`]) {
      expect(() => parseToken(`ev:Tk9D:${IV}:${key}:${CIPHERTEXT}:$`, previous)).toThrow(refusal)
    }
  })

  test.each([
    ["IV", `${"A".repeat(15)}!`, CIPHERTEXT],
    ["ciphertext", IV, `${"A".repeat(23)}!`],
    ["ciphertext, in its last group", IV, `${"A".repeat(24)}!A`],
  ])(
    "is refused when one character of its %s is not base64 and all others encode zero bits",
    (_, iv, ciphertext) => {
      expect(readCiphertext(`ev:Tk9D:${iv}:${KEY}:${ciphertext}:$`)).toBeNull()
      expect(readCiphertext(`ev:Tk9D:${iv}:${KEY}:${ciphertext}:$`.replace("!", "A"))).not.toBeNull()
    },
  )

  test("has only one spelling", () => {
    const base64 = fc
      .uint8Array({ minLength: 16, maxLength: 200 })
      .map((bytes) => Buffer.from(bytes).toString("base64"))
    fc.assert(
      fc.property(base64, fc.nat(), fc.constantFrom(..."ABgkw/+-_ =é\n"), (text, at, character) => {
        const canonical = text.replace(/=+$/, "")
        const index = at % (canonical.length + 1)
        const changed = canonical.slice(0, index) + character + canonical.slice(index + 1)
        const read = (ciphertext: string) => readCiphertext(`ev:Tk9D:${IV}:${KEY}:${ciphertext}:$`)
        expect(read(canonical)).toEqual(Buffer.from(canonical, "base64"))
        const changedBytes = read(changed)
        if (changedBytes !== null) expect(changedBytes.toString("base64").replace(/=+$/, "")).toBe(changed)
      }),
      { numRuns: 1000 },
    )
  })
})

/** Returns null when the text is data or refused. */
function readCiphertext(text: string): Buffer | null {
  try {
    return parseToken(text)?.ciphertext ?? null
  } catch (error) {
    if (error instanceof InvalidTokenError) return null
    throw error
  }
}

describe("any text", () => {
  test("is a token when it parses or is refused, and data otherwise", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearTokens, framed), (text) => {
        let isData: boolean
        try {
          isData = parseToken(text) === null
        } catch (error) {
          expect(error).toEqual(refusal)
          isData = false
        }
        expect(isToken(text)).toBe(!isData)
      }),
      { numRuns: 2000 },
    )
  })

  const long = "A".repeat(5 * MEBIBYTE)
  test.each([
    ["one segment", `ev:${long}:$`, "data"],
    ["a long ciphertext", `ev:Tk9D:${IV}:${KEY}:${long}:$`, "token"],
    ["a long ciphertext with a wrong character at its end", `ev:Tk9D:${IV}:${KEY}:${long}!:$`, "data"],
    ["long segments", `ev:AAAA:${long}:${long}:${long}:$`, "refused"],
    ["long segments with a wrong character at their end", `ev:AAAA:${long}:${long}:${long}!:$`, "data"],
    ["nothing but colons", `ev:${":".repeat(5 * MEBIBYTE)}:$`, "data"],
    ["nothing but padding", `ev:AAAA:${"=".repeat(5 * MEBIBYTE)}:$`, "data"],
    ["very many segments", `ev:AAAA:${"A=:".repeat(MEBIBYTE)}:$`, "data"],
    ["very many types", `ev:AAAA:${"string:".repeat(MEBIBYTE)}:$`, "data"],
  ])("of several megabytes is classified: %s", (_, text, expected) => {
    const outcome = () => {
      try {
        return parseToken(text) === null ? "data" : "token"
      } catch (error) {
        expect(error).toEqual(refusal)
        return "refused"
      }
    }
    expect(outcome()).toBe(expected)
    expect(isToken(text)).toBe(expected !== "data")
  })
})
