import { createHmac } from "node:crypto"
import { describe, expect, test } from "vitest"
import {
  decodeDerivedPart,
  decodePrivatePart,
  derivePart,
  generateHsmPart,
  generatePrivatePart,
  valueKeyOf,
} from "./key-version-parts.ts"

const OPTIONS = ["public", "value", "secret"] as const
/** Decodes a private part that holds its private keys. */
function envelopeOf(bytes: Uint8Array) {
  const content = decodePrivatePart(bytes)
  if (content.custody !== "envelope") throw new Error("Its private key is in an HSM")
  return content
}

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
    const content = envelopeOf(generatePrivatePart())
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
    expect(valueKeyOf(envelopeOf(KNOWN))).toEqual(expected)
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

describe("the parts of a key version in an HSM", () => {
  const keyId = "6f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b"
  const publicKey = Buffer.concat([Buffer.of(2), Buffer.alloc(32, 7)])
  const bytes = generateHsmPart({ keyId, publicKey })

  test("name the key in KMS in the private part, and no private key", () => {
    expect(bytes[0]).toBe(5)
    const content = decodePrivatePart(bytes)
    expect(content).toEqual({ custody: "hsm", keyId, publicKey, secret: expect.any(Buffer) })
    expect(content.secret).toHaveLength(32)
  })

  test("have a public key on P-256 only, and a secret in the part of that name, but no part of values", () => {
    const content = decodePrivatePart(bytes)
    const derived = (part: "public" | "secret") => decodeDerivedPart(part, derivePart(part, content))
    const publicKeys = { prime256v1: publicKey, secp256k1: null }
    expect(derived("public")).toEqual({ publicKeys, key: Buffer.alloc(0) })
    expect(derived("secret")).toEqual({ publicKeys, key: content.secret })
    expect(() => derivePart("value", content)).toThrow(TypeError)
    expect(() => decodeDerivedPart("value", derivePart("public", content))).toThrow("known format")
    expect(() => decodeDerivedPart("secret", derivePart("public", content))).toThrow("known format")
  })

  test("are refused when they are cut off or another part", () => {
    for (const length of [0, 1, 33, 65, 66]) {
      expect(() => decodePrivatePart(bytes.subarray(0, length))).toThrow("known format")
    }
    expect(() => decodePrivatePart(derivePart("secret", decodePrivatePart(bytes)))).toThrow("known format")
  })
})
