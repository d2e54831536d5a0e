import { expect, test } from "vitest"
import { importAppPublicKey } from "../crypto/app-public-key.ts"
import { createTestApp } from "../testing/test-app.ts"
import { createSubjectSealingKey } from "../values/sealing-key.ts"
import { longestTokenOf } from "./token-length.ts"

const subject = importAppPublicKey(createTestApp().prime256v1.publicKey)
const key = createSubjectSealingKey(subject, Buffer.alloc(16), true)
const metadata = { role: "a".repeat(20), encryptedAt: 0xffff_ffff }

test("computes the exact length of the longest token", () => {
  expect(key.seal("boolean", "false", metadata).length).toBe(longestTokenOf(5))
})

test.each([0, 1, 2, 3, 4, 1_000, 5_242_880])(
  "bounds the length of the token of a string of %d bytes",
  (bytes) => {
    const longest = longestTokenOf(bytes)
    expect(key.seal("string", "a".repeat(bytes), metadata).length).toBe(longest - "boolean:".length)
    expect(key.seal("string", "a".repeat(bytes)).length).toBeLessThan(longest)
  },
)
