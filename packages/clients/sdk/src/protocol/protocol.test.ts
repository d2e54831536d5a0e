import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  type FrameMessage,
  PROTOCOL_VERSION,
  readFieldStart,
  readFrameMessage,
  readPageMessage,
  readRevealFrameMessage,
  readRevealPageMessage,
  readRevealStart,
  writeStart,
} from "./index.ts"

const APPEARANCE = {
  theme: { color: "#123456", fontSize: "1.5rem", font: "Georgia, 'Times New Roman'" },
  scheme: "dark",
  locale: "de-AT",
  texts: { cvc: "Prüfziffer" },
  showLabels: true,
  isDisabled: false,
  brand: "visa",
} as const
const SETTINGS = { kind: "card", role: "pci", minLength: 1, maxLength: 4, isMasked: true } as const
const TOKEN = "ev:debug:QkTC:AAAA:BBBB:CCCC:$"
const readers = [
  readFieldStart,
  readFrameMessage,
  readPageMessage,
  readRevealFrameMessage,
  readRevealPageMessage,
  readRevealStart,
]

describe("a message", () => {
  test("that is none is not accepted, whatever it is", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withMap: true, withTypedArray: true }), (value) => {
        for (const read of readers) expect(read(value)).toBeUndefined()
      }),
    )
  })

  test("is read with the fields that it may have, and no others", () => {
    const start = writeStart({ settings: SETTINGS, appearance: APPEARANCE, token: "x" })
    expect(readFieldStart(start)).toEqual({ settings: SETTINGS, appearance: APPEARANCE })
    const change = { isEmpty: false, isComplete: true, brand: "visa", lastFour: "4242" }
    expect(readFrameMessage({ type: "change", state: { ...change, number: "4242424242424242" } })).toEqual({
      type: "change",
      state: change,
    })
    expect(readPageMessage({ type: "seal", id: 3, more: 1 })).toEqual({ type: "seal", id: 3 })
  })

  test("from another version is not accepted", () => {
    const start = { settings: SETTINGS, appearance: APPEARANCE }
    expect(readFieldStart({ sealway: PROTOCOL_VERSION + 1, ...start })).toBeUndefined()
    expect(readFieldStart(start)).toBeUndefined()
  })

  test.each([
    { color: "url(https://x)" },
    { color: "red;}" },
    { color: "var(--x)" },
    { background: "image-set('x' 1x)" },
    { fontSize: "10vw" },
    { fontSize: "calc(1px)" },
    { font: "x;y" },
    { font: "url(x)" },
    { radius: "-1px" },
    { color: 7 },
    { color: "a".repeat(31) },
  ])("with the theme %j is not accepted", (theme) => {
    expect(readPageMessage({ type: "update", appearance: { ...APPEARANCE, theme } })).toBeUndefined()
  })

  test("takes unknown variables for nothing, also names that objects inherit", () => {
    const theme = JSON.parse('{"zIndex":"9","__proto__":{"color":"red"},"constructor":"red"}')
    const read = readPageMessage({ type: "update", appearance: { ...APPEARANCE, theme } })
    expect(read).toMatchObject({ type: "update", appearance: { theme: {} } })
    expect(readPageMessage({ type: "constructor" })).toBeUndefined()
  })

  test.each([
    { ...SETTINGS, role: "PCI" },
    { ...SETTINGS, role: "a".repeat(21) },
    { ...SETTINGS, minLength: 5 },
    { ...SETTINGS, maxLength: 1_001 },
    { ...SETTINGS, minLength: 0 },
    { ...SETTINGS, kind: "password" },
  ])("with the settings %j is not accepted", (settings) => {
    expect(readFieldStart(writeStart({ settings, appearance: APPEARANCE }))).toBeUndefined()
  })

  test("carries tokens to the page, and nothing else that a frame could hold", () => {
    const values = {
      number: TOKEN,
      expiry: { month: TOKEN, year: TOKEN },
      brand: "visa",
      lastFour: "4242",
    } as const
    const sealed: FrameMessage = { type: "sealed", id: 1, values }
    expect(readFrameMessage(sealed)).toEqual(sealed)
    for (const number of ["4242424242424242", "ev:", `${TOKEN} `, 4242]) {
      expect(readFrameMessage({ ...sealed, values: { ...values, number } })).toBeUndefined()
    }
    expect(readFrameMessage({ ...sealed, values: { ...values, lastFour: "42424" } })).toBeUndefined()
    expect(
      readFrameMessage({ type: "refused", id: 1, problems: { number: "numberIncomplete" } }),
    ).toBeUndefined()
  })
})
