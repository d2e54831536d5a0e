import { setImmediate } from "node:timers/promises"
import { inspect } from "node:util"
import { describe, expect, test } from "vitest"
import { contentKeyId } from "../crypto/content-key.ts"
import { parseToken } from "../format/parse-token.ts"
import { createTestApp, openText } from "../testing/test-app.ts"
import { vectors } from "../testing/vectors.ts"
import { createSealingKey } from "./sealing-key.ts"

const app = createTestApp()
const appPublicKey = app.prime256v1.publicKey
const key = createSealingKey({ appPublicKey, debug: false })

describe("sealing throws a TypeError", () => {
  test.each(["", "PCI", "pci ", "pci\n", "p_c_i", "é", "a".repeat(21)])(
    "for a role that is not a slug: %j",
    (role) => {
      expect(() => key.seal("string", "a", { role, encryptedAt: 0 })).toThrow(TypeError)
    },
  )

  test.each([-1, 0.5, 0x1_0000_0000, Number.NaN, Number.POSITIVE_INFINITY])(
    "for a time that is not a uint32: %d",
    (encryptedAt) => {
      expect(() => key.seal("string", "a", { role: "pci", encryptedAt })).toThrow(TypeError)
    },
  )

  test.each(["", "01", "1 ", "NaN", '1,"admin":true', "true"])(
    "for a number that is not a JSON number: %j",
    (literal) => {
      expect(() => key.seal("number", literal)).toThrow(TypeError)
      expect(() => key.seal("number", Buffer.from(literal))).toThrow(TypeError)
    },
  )

  test.each(["", "True", "1", "null"])("for a boolean other than true and false: %j", (literal) => {
    expect(() => key.seal("boolean", literal)).toThrow(TypeError)
    expect(() => key.seal("boolean", Buffer.from(literal))).toThrow(TypeError)
  })

  test.each(["\ud800", "a\udfffb", "\udc00\ud800"])("for a text with a lone surrogate: %j", (text) => {
    expect(() => key.seal("string", text)).toThrow(TypeError)
  })

  test.each(["ff", "c080", "eda080"])("for bytes that are not UTF-8: %s", (hex) => {
    expect(() => key.seal("string", Buffer.from(hex, "hex"))).toThrow(TypeError)
  })

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["zeros", Buffer.alloc(33)],
    ["32 bytes", appPublicKey.subarray(1)],
    ["an uncompressed key", Buffer.from(vectors.keys.prime256v1.publicKeyUncompressedBase64, "base64")],
    ["a point off the curve", Buffer.concat([Buffer.of(2), Buffer.alloc(32, 0xff)])],
  ])("for a public key that is %s", (_, publicKey) => {
    expect(() => createSealingKey({ appPublicKey: publicKey, debug: false })).toThrow(TypeError)
  })

  test("whose message contains nothing of the plaintext", () => {
    let message = ""
    try {
      key.seal("number", "4242-4242")
    } catch (error) {
      message = String(error)
    }
    expect(message).toContain("TypeError")
    expect(message).not.toContain("4242")
  })
})

describe("a sealing key", () => {
  test("gives every value a different IV and the same ephemeral key", () => {
    const tokens = Array.from({ length: 5000 }, () => parseToken(key.seal("string", "the same")))
    expect(new Set(tokens.map((token) => token?.iv.toString("hex"))).size).toBe(tokens.length)
    expect(new Set(tokens.map((token) => token && contentKeyId(token)))).toEqual(
      new Set([key.keySegment.toString("base64")]),
    )
  })

  test("is different every time, and so are its IVs", () => {
    const keys = Array.from({ length: 100 }, () => createSealingKey({ appPublicKey, debug: false }))
    const tokens = keys.map((each) => parseToken(each.seal("string", "the same")))
    expect(new Set(tokens.map((token) => token && contentKeyId(token))).size).toBe(keys.length)
    expect(new Set(tokens.map((token) => token?.iv.toString("hex"))).size).toBe(keys.length)
  })

  test("keeps values apart that are sealed at the same time", async () => {
    const other = createTestApp()
    const otherKey = createSealingKey({ appPublicKey: other.prime256v1.publicKey, debug: true })
    const results = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const [ownKey, owner] = index % 2 === 0 ? [key, app] : [otherKey, other]
        const metadata = index % 3 === 0 ? undefined : { role: `role-${index % 5}`, encryptedAt: index }
        await setImmediate()
        const token = ownKey.seal("number", String(index), metadata)
        await setImmediate()
        const opened = openText(token, owner)
        return { index, metadata, opened }
      }),
    )
    for (const { index, metadata, opened } of results) {
      expect(opened).toEqual({
        type: "number",
        value: Buffer.from(String(index)),
        role: metadata?.role ?? null,
        encryptedAt: metadata?.encryptedAt ?? null,
      })
    }
  })

  test("uses the metadata of each value, even when it changes", () => {
    const given = [
      { role: "a", encryptedAt: 1 },
      { role: "a", encryptedAt: 2 },
      { role: "b", encryptedAt: 2 },
      { role: "a", encryptedAt: 1 },
      { role: "a", encryptedAt: 1 },
    ]
    const opened = given.map((metadata) => openText(key.seal("string", "x", metadata), app))
    expect(opened.map((value) => ({ role: value?.role, encryptedAt: value?.encryptedAt }))).toEqual(given)
  })

  test("does not change when the caller overwrites the bytes of the app's key", () => {
    const bytes = Buffer.from(appPublicKey)
    const ownKey = createSealingKey({ appPublicKey: bytes, debug: false })
    bytes.fill(0)
    expect(openText(ownKey.seal("string", "x"), app)?.value.toString()).toBe("x")
  })

  test("prints no key material", () => {
    expect(Object.keys(key)).toEqual(["debug", "keySegment"])
    expect(inspect(key, { showHidden: true, depth: 9 })).not.toMatch(/KeyObject|contentKey/)
  })
})
