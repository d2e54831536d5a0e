import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { ValueType } from "../format/value-type.ts"
import { sealAsClient } from "../testing/client.ts"
import { refusal } from "../testing/refused.ts"
import { createTestApp, openText } from "../testing/test-app.ts"
import { createSealingKey } from "./sealing-key.ts"

const app = createTestApp()
const appPublicKey = app.prime256v1.publicKey
const key = createSealingKey({ appPublicKey, debug: false })
const metadata = { role: "pci", encryptedAt: 1_700_000_000 }

const BOUNDARY_SIZES = [0, 1, 15, 16, 17, 65_535, 65_536]

/** Any JSON number in any spelling. */
const numberLiterals = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9][0-9]{0,30}$/)),
    fc.oneof(fc.constant(""), fc.stringMatching(/^\.[0-9]{1,30}$/)),
    fc.oneof(fc.constant(""), fc.stringMatching(/^[eE][+-]?[0-9]{1,5}$/)),
  )
  .map((parts) => parts.join(""))

function reopen(type: ValueType, plaintext: string | Uint8Array, role?: typeof metadata) {
  return openText(key.seal(type, plaintext, role), app)
}

describe("a sealed value", () => {
  test("opens to the same text for any string", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, hasRole) => {
        const opened = reopen("string", text, hasRole ? metadata : undefined)
        expect(opened?.value.toString()).toBe(text)
        expect(opened?.type).toBe("string")
      }),
    )
  })

  test.each(["", "a", "\0", "ev:", "héllo wörld ✓ 🚀", "\u{10ffff}", "e\u0301", "\ufeff"])(
    "opens to the same text, given as text or as UTF-8: %j",
    (text) => {
      expect(reopen("string", text)?.value.toString("utf8")).toBe(text)
      expect(reopen("string", Buffer.from(text))?.value).toEqual(Buffer.from(text))
      expect(reopen("string", new TextEncoder().encode(text), metadata)?.value).toEqual(Buffer.from(text))
    },
  )

  test("opens to the same digits when it is a number", () => {
    fc.assert(
      fc.property(numberLiterals, fc.boolean(), (literal, hasRole) => {
        const opened = reopen("number", literal, hasRole ? metadata : undefined)
        expect(opened).toMatchObject({ type: "number" })
        expect(opened?.value.toString()).toBe(literal)
      }),
    )
  })

  test.each(["12345678901234567890", "1.0", "1e400", "-0", "0.10", "1E+2", "-0.0e-0"])(
    "opens to the same digits when it is %s",
    (literal) => {
      expect(reopen("number", literal)?.value.toString()).toBe(literal)
      expect(reopen("number", Buffer.from(literal), metadata)?.value.toString()).toBe(literal)
    },
  )

  test.each(["true", "false"])("opens to %s", (literal) => {
    expect(reopen("boolean", literal)).toMatchObject({ type: "boolean", value: Buffer.from(literal) })
    expect(reopen("boolean", literal, metadata)).toMatchObject({
      type: "boolean",
      value: Buffer.from(literal),
    })
  })

  test.each(BOUNDARY_SIZES)("opens when it has %d bytes", (size) => {
    const text = "x".repeat(size)
    expect(reopen("string", text)?.value.toString()).toBe(text)
    expect(reopen("string", text, metadata)?.value.toString()).toBe(text)
    expect(reopen("string", Buffer.from(text), metadata)?.value.toString()).toBe(text)
  })

  test("carries no role and no time when none is given", () => {
    expect(reopen("string", "4242")).toMatchObject({ role: null, encryptedAt: null })
  })

  test.each([
    { role: "a", encryptedAt: 0 },
    { role: "abcdefghij-123456789", encryptedAt: 0xffff_ffff },
    { role: "-", encryptedAt: 0x8000_0000 },
  ])("carries its role and time: $role at $encryptedAt", (given) => {
    expect(reopen("string", "4242", given)).toMatchObject(given)
  })

  test("has the form and the version that match its type and role", () => {
    const debugKey = createSealingKey({ appPublicKey, debug: true })
    expect(key.seal("string", "a")).toMatch(/^ev:Tk9D:[^:]{16}:[^:]{44}:[^:]+:\$$/)
    expect(key.seal("number", "1")).toMatch(/^ev:Tk9D:number:[^:]{16}:[^:]{44}:[^:]+:\$$/)
    expect(key.seal("boolean", "true", metadata)).toMatch(/^ev:QkTC:boolean:[^:]{16}:[^:]{44}:[^:]+:\$$/)
    expect(debugKey.seal("string", "a")).toMatch(/^ev:debug:Tk9D:[^:]{16}:[^:]{44}:[^:]+:\$$/)
    expect(debugKey.seal("number", "1", metadata)).toMatch(
      /^ev:debug:QkTC:number:[^:]{16}:[^:]{44}:[^:]+:\$$/,
    )
  })

  test("opens when it belongs to a sandbox app", () => {
    const debugKey = createSealingKey({ appPublicKey, debug: true })
    expect(openText(debugKey.seal("number", "1", metadata), app)).toMatchObject({
      type: "number",
      role: "pci",
    })
    expect(openText(debugKey.seal("string", "a"), app)?.value.toString()).toBe("a")
  })

  test("is refused when it was sealed to another app", () => {
    const other = createTestApp()
    expect(() => openText(key.seal("string", "a"), other)).toThrow(refusal)
    expect(() => openText(key.seal("string", "a", metadata), other)).toThrow(refusal)
  })

  test("is refused with the right content key and another app's public key", () => {
    const mixed = {
      ...app,
      prime256v1: { ...app.prime256v1, publicKey: createTestApp().prime256v1.publicKey },
    }
    expect(() => openText(key.seal("string", "a"), mixed)).toThrow(refusal)
    expect(() => openText(key.seal("string", "a", metadata), mixed)).toThrow(refusal)
  })
})

describe("a client's value", () => {
  const versions = (["Tk9D", "QkTC", "RFVC", "S0lS"] as const).map((version) => ({
    version,
    appPublicKey: app[version === "Tk9D" || version === "QkTC" ? "prime256v1" : "secp256k1"].publicKey,
  }))
  const configured = versions.filter(({ version }) => version === "QkTC" || version === "S0lS")

  describe.each(versions)("of $version", (client) => {
    test.each(BOUNDARY_SIZES)("opens when it has %d bytes", (size) => {
      const plaintext = "x".repeat(size)
      expect(openText(sealAsClient({ ...client, plaintext }), app)?.value.toString()).toBe(plaintext)
    })

    test.each([
      ["number", "1e400"],
      ["boolean", "false"],
    ] as const)("opens when it is a %s", (type, plaintext) => {
      const token = sealAsClient({ ...client, type, plaintext })
      expect(openText(token, app)).toMatchObject({ type, value: Buffer.from(plaintext) })
    })

    test("opens when it claims to be a sandbox app's", () => {
      const token = sealAsClient({ ...client, debug: true, type: "number", plaintext: "7" })
      expect(openText(token, app)).toMatchObject({ type: "number", value: Buffer.from("7") })
    })

    test.each([
      "",
      " 1",
      "1 ",
      "1\n",
      "01",
      "+1",
      ".5",
      "1.",
      "1e",
      "0x10",
      "NaN",
      "Infinity",
      "1,2",
      '1,"admin":true',
      "true",
      '"1"',
      "١",
      "1\0",
    ])("is refused when it claims to be a number and is not: %j", (plaintext) => {
      expect(() => openText(sealAsClient({ ...client, type: "number", plaintext }), app)).toThrow(refusal)
    })

    test.each(["", "True", "true ", "1", "null", 'true,"admin":true'])(
      "is refused when it claims to be a boolean and is not: %j",
      (plaintext) => {
        expect(() => openText(sealAsClient({ ...client, type: "boolean", plaintext }), app)).toThrow(refusal)
      },
    )

    test.each(["ff", "c080", "eda080", "f4908080", "e282"])("is refused when it is not UTF-8: %s", (hex) => {
      const plaintext = Buffer.from(hex, "hex")
      expect(() => openText(sealAsClient({ ...client, plaintext }), app)).toThrow(refusal)
    })
  })

  describe.each(configured)("of $version", (client) => {
    test.each([
      ["1", "number"],
      ["true", "boolean"],
    ])("is refused when it is the text %j of a sandbox app, relabelled a %s", (plaintext, type) => {
      const token = sealAsClient({ ...client, debug: true, plaintext })
      expect(openText(token, app)).toMatchObject({ type: "string" })
      const relabelled = token.replace(`:${client.version}:`, `:${client.version}:${type}:`)
      expect(() => openText(relabelled, app)).toThrow(refusal)
    })

    test("is refused with a configuration byte of 0x80 when it does not claim to be a sandbox app's", () => {
      const token = sealAsClient({ ...client, configurationByte: 0x80, plaintext: "a" })
      expect(() => openText(token, app)).toThrow(refusal)
    })

    test.each([false, true])("is refused with any wrong configuration byte (debug: %s)", (debug) => {
      for (let configurationByte = 0; configurationByte <= 0xff; configurationByte++) {
        const own = (debug ? 0x80 : 0) | 0x10 | (client.version === "QkTC" ? 1 : 0)
        const isQuirk = debug && client.version === "QkTC" && configurationByte === 0x80
        if (configurationByte === own || isQuirk) continue
        const token = sealAsClient({ ...client, type: "number", debug, configurationByte, plaintext: "1" })
        expect(() => openText(token, app)).toThrow(refusal)
      }
    })
  })

  describe("of QkTC with the configuration byte 0x80, as one browser client writes it for sandbox apps", () => {
    const browserClient = {
      version: "QkTC",
      appPublicKey,
      metadata: Buffer.of(0x80),
      debug: true,
      configurationByte: 0x80,
    } as const

    test.each([
      [undefined, "1"],
      ["number", "1"],
      ["boolean", "true"],
    ] as const)("opens with its type: %s", (type, plaintext) => {
      const token = sealAsClient({ ...browserClient, ...(type && { type }), plaintext })
      expect(openText(token, app)).toMatchObject({ type: type ?? "string", value: Buffer.from(plaintext) })
    })

    test("does not authenticate its type: the client binds none", () => {
      const token = sealAsClient({ ...browserClient, plaintext: "1" })
      expect(openText(token.replace(":QkTC:", ":QkTC:number:"), app)).toMatchObject({ type: "number" })
    })
  })
})
