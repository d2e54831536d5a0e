import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { terminalJson, terminalText } from "./terminal-text.ts"

const ESCAPE = "\u001b[2J\u001b]0;title\u0007"
/** Text with many hostile characters. */
const hostileText = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\u001b", "\u009b", "\u007f", "\r", "\n", "\u202e", "\u2028", '"', "\\"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
})

describe("text for a terminal", () => {
  test("loses what would control the terminal, break the line or change the writing direction", () => {
    expect(terminalText(`a${ESCAPE}b`)).toBe("a\u{fffd}[2J\u{fffd}]0;title\u{fffd}b")
    expect(terminalText("a\nb\tc\r\u007f\u009b\u202e\u2028d")).toBe(
      `a\u{fffd}b\u{fffd}c${"\u{fffd}".repeat(5)}d`,
    )
  })

  test("keeps letters of every language", () => {
    expect(terminalText("Ünïcode 漢字 مرحبا 👩‍💻")).toBe("Ünïcode 漢字 مرحبا 👩‍💻")
  })
})

describe("JSON for a terminal", () => {
  test("is the same JSON without characters that would control the terminal", () => {
    fc.assert(
      fc.property(fc.jsonValue(), hostileText, (value, text) => {
        const document = { [text]: [value, text] }
        const json = terminalJson(JSON.stringify(document, null, 1))
        expect(json).toMatch(/^(?:\n|[^\p{Cc}\u202e\u2028])*$/u)
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(document)))
      }),
    )
  })
})
