import { createKeyAgreement, createSealingKey, generatePrivateKey, isToken } from "@sealway/tokens"
import fc from "fast-check"
import { expect, test } from "vitest"
import { containsToken } from "./contains-token.ts"

const { publicKey } = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
const key = createSealingKey({ appPublicKey: publicKey, debug: true })
const tokens = [
  key.seal("string", "a"),
  key.seal("number", "1"),
  key.seal("boolean", "true", { role: "pii", encryptedAt: 1 }),
]

test("finds a token anywhere in a text", () => {
  const noise = fc.string({
    unit: fc.constantFrom("e", "v", ":", "ev:", "ev:Tk9D:", "debug:", "A", "=", "$", " ", "é"),
  })
  fc.assert(
    fc.property(noise, fc.constantFrom(...tokens), noise, (before, token, after) => {
      expect(containsToken(`${before} ${token}${after}`)).toBe(true)
    }),
  )
})

test("finds what is a token by itself, and nothing else", () => {
  const parts = fc.constantFrom("ev:", "debug:", "Tk9D:", "number:", "AAAA:", "AA==:", "A===:", ":", "$", "a")
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 9 }), (chosen) => {
      const text = chosen.join("")
      if (isToken(text)) expect(containsToken(text)).toBe(true)
      if (containsToken(text)) expect(text).toMatch(/ev:.*:\$/)
    }),
  )
})

test("reads a text without tokens with little work, whatever it contains", () => {
  for (const part of ["ev:", "ev:AAAA:", "ev:debug:AAAA:string:A:A:A:", "ev:AAAA:AAAAAAAA"]) {
    expect(containsToken(part.repeat(200_000))).toBe(false)
  }
})
