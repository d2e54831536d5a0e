import { describe, expect, test } from "vitest"
import { contentKeyId } from "../crypto/content-key.ts"
import { parseToken } from "../format/parse-token.ts"
import { createTestApp, openText } from "../testing/test-app.ts"
import { createSealingKeySource } from "./sealing-key-source.ts"

const app = createTestApp()
const appPublicKey = app.prime256v1.publicKey

function createClock(startMs = 0) {
  const clock = { nowMs: startMs, now: () => clock.nowMs }
  return clock
}

describe("a source of sealing keys", () => {
  test.each([0, 5_000_000.25])("renews its key after 60 seconds (starting at %d)", (startMs) => {
    const clock = createClock(startMs)
    const source = createSealingKeySource({ appPublicKey, debug: false, now: clock.now })
    const first = source.current()
    clock.nowMs = startMs + 59_999
    expect(source.current()).toBe(first)
    clock.nowMs = startMs + 60_000
    const second = source.current()
    expect(second).not.toBe(first)
    clock.nowMs = startMs + 119_999
    expect(source.current()).toBe(second)
    clock.nowMs = startMs + 120_000
    expect(source.current()).not.toBe(second)
  })

  test("renews its key after the given age", () => {
    const clock = createClock()
    const source = createSealingKeySource({ appPublicKey, debug: false, now: clock.now, maxAgeMs: 10 })
    const first = source.current()
    clock.nowMs = 9
    expect(source.current()).toBe(first)
    clock.nowMs = 10
    expect(source.current()).not.toBe(first)
  })

  test("renews its key when the clock goes backwards", () => {
    const clock = createClock(1000)
    const source = createSealingKeySource({ appPublicKey, debug: false, now: clock.now })
    const first = source.current()
    clock.nowMs = 999
    expect(source.current()).not.toBe(first)
  })

  test("renews its key after the maximum number of values", () => {
    const source = createSealingKeySource({ appPublicKey, debug: false, now: () => 0, maxUses: 3 })
    const keys = Array.from({ length: 7 }, () => source.current())
    expect(new Set(keys).size).toBe(3)
    expect(keys[2]).toBe(keys[0])
    expect(keys[3]).not.toBe(keys[2])
    expect(keys[5]).toBe(keys[3])
    expect(keys[6]).not.toBe(keys[5])
  })

  test("counts the values about to be sealed", () => {
    const source = createSealingKeySource({ appPublicKey, debug: false, now: () => 0, maxUses: 10 })
    const first = source.current(6)
    expect(source.current(4)).toBe(first)
    const second = source.current(1)
    expect(second).not.toBe(first)
    expect(source.current(10)).not.toBe(second)
  })

  test("creates a separate key for a request for more values than the maximum", () => {
    const source = createSealingKeySource({ appPublicKey, debug: false, now: () => 0, maxUses: 10 })
    const before = source.current()
    const large = source.current(11)
    const after = source.current()
    expect(new Set([before, large, after]).size).toBe(3)
  })

  test("uses a key for 2^20 values by default", () => {
    const source = createSealingKeySource({ appPublicKey, debug: false, now: () => 0 })
    const first = source.current(2 ** 20 - 1)
    expect(source.current()).toBe(first)
    expect(source.current()).not.toBe(first)
  })

  test("never gives two values the same IV, even across its keys", () => {
    const source = createSealingKeySource({ appPublicKey, debug: false, now: () => 0, maxUses: 100 })
    const tokens = Array.from({ length: 3000 }, () => parseToken(source.current().seal("string", "the same")))
    expect(new Set(tokens.map((token) => token?.iv.toString("hex"))).size).toBe(3000)
    expect(new Set(tokens.map((token) => token && contentKeyId(token))).size).toBe(30)
  })

  test("seals for its app and environment", () => {
    const source = createSealingKeySource({ appPublicKey, debug: true, now: () => 0 })
    const token = source.current().seal("string", "a")
    expect(parseToken(token)?.debug).toBe(true)
    expect(openText(token, app)?.value.toString()).toBe("a")
  })

  test("throws a TypeError immediately when the app's key is not a valid key", () => {
    expect(() =>
      createSealingKeySource({ appPublicKey: Buffer.alloc(33), debug: false, now: () => 0 }),
    ).toThrow(TypeError)
  })
})
