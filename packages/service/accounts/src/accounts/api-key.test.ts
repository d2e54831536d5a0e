import { equalInConstantTime } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { apiKeyKind, createApiKey, hashApiKey } from "./api-key.ts"

const kinds = ["sandbox", "production", "team"] as const

describe("an API key", () => {
  test.each(kinds)("is recognised by its shape and checksum: kind %s", (kind) => {
    const key = createApiKey(kind)
    expect(key).toMatch(new RegExp(`^swk_${kind}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$`))
    expect(apiKeyKind(key)).toBe(kind)
  })

  test("has 256 random bits: no two are alike, and every position varies", () => {
    const keys = Array.from({ length: 200 }, () => createApiKey("sandbox").slice("swk_sandbox_".length, -7))
    expect(new Set(keys).size).toBe(200)
    for (let position = 1; position < 43; position++) {
      expect(new Set(keys.map((key) => key[position])).size).toBeGreaterThan(20)
    }
  })

  test("is not recognised when one character is changed", () => {
    const key = createApiKey("production")
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom(..."0aZ_"), (at, character) => {
        const changed = key.slice(0, at) + character + key.slice(at + 1)
        fc.pre(changed !== key)
        expect(apiKeyKind(changed)).toBeNull()
      }),
    )
  })

  test.each(["", "swk_", "swk_admin_x_y", "x".repeat(100_000)])(
    "is not recognised within other text (%#)",
    (text) => {
      expect(apiKeyKind(text)).toBeNull()
    },
  )

  test("is stored as a hash that does not contain it", () => {
    const key = createApiKey("team")
    const hash = hashApiKey(key)
    expect(hash).toHaveLength(43)
    expect(equalInConstantTime(hash, hashApiKey(key))).toBe(true)
    expect(equalInConstantTime(hash, hashApiKey(createApiKey("team")))).toBe(false)
    expect(equalInConstantTime(hash, hash.slice(1))).toBe(false)
  })

  test("keeps its checksum algorithm across releases, because secret scanners rely on it", () => {
    expect(apiKeyKind("swk_sandbox_DOYw93ef8j5lcJ6u6SQkJejn4b9GwWYVLRlNq4s3tno_3om2Uk")).toBe("sandbox")
  })
})
