import { createHmac } from "node:crypto"
import { describe, expect, test } from "vitest"
import {
  decodeDerivedPart,
  decodePrivatePart,
  derivePart,
  generatePrivatePart,
  valueKeyOf,
} from "./key-version-parts.ts"

const OPTIONS = ["public", "value", "secret"] as const
const KNOWN = Buffer.concat([Buffer.of(1), Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)])

describe("the parts of a key version", () => {
  test("have the lengths and first bytes of their formats", () => {
    const content = decodePrivatePart(KNOWN)
    const shapes = OPTIONS.map((part) => {
      const bytes = derivePart(part, content)
      return [part, bytes[0], bytes.length]
    })
    expect(shapes).toEqual([
      ["public", 2, 67],
      ["value", 3, 99],
      ["secret", 4, 99],
    ])
  })

  test("hold the same public keys, and their own key only", () => {
    const content = decodePrivatePart(generatePrivatePart())
    const [open, value, secret] = OPTIONS.map((part) => decodeDerivedPart(part, derivePart(part, content)))
    expect(value?.publicKeys).toEqual(open?.publicKeys)
    expect(secret?.publicKeys).toEqual(open?.publicKeys)
    expect([open?.key.length, value?.key, secret?.key]).toEqual([0, valueKeyOf(content), content.secret])
    for (const part of OPTIONS) {
      const bytes = derivePart(part, content)
      expect(bytes.includes(content.privateKeys.prime256v1)).toBe(false)
      expect(bytes.includes(content.privateKeys.secp256k1)).toBe(false)
      expect(bytes.includes(content.secret)).toBe(part === "secret")
      expect(bytes.includes(valueKeyOf(content))).toBe(part === "value")
    }
  })

  test("derive the key of values from the private keys and the secret, by HKDF-SHA-256 (RFC 5869)", () => {
    const pseudorandom = createHmac("sha256", Buffer.alloc(32)).update(KNOWN.subarray(1)).digest()
    const expected = createHmac("sha256", pseudorandom).update("sealway/v1/value\u0001").digest()
    expect(valueKeyOf(decodePrivatePart(KNOWN))).toEqual(expected)
  })

  test.each(OPTIONS)("are refused when the bytes are not the part %s", (part) => {
    const bytes = derivePart(part, decodePrivatePart(KNOWN))
    const others = OPTIONS.filter((each) => each !== part)
    for (const other of others) expect(() => decodeDerivedPart(other, bytes)).toThrow("known format")
    expect(() => decodePrivatePart(bytes)).toThrow("known format")
    expect(() => decodeDerivedPart(part, KNOWN)).toThrow("known format")
    expect(() => decodeDerivedPart(part, bytes.subarray(1))).toThrow("known format")
    expect(() => decodeDerivedPart(part, Buffer.concat([bytes, Buffer.of(0)]))).toThrow("known format")
  })
})
