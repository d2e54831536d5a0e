import { finish } from "@sealway/kernel"
import fc from "fast-check"
import { expect, it } from "vitest"
import { isPayloadLargerThan, mayBeLargerThan } from "./payload-size.ts"

const awkward = fc.string({ unit: fc.constantFrom("\u0000", '"', "\\", "a", "é", "\u{1f600}", "\ud800") })
const text = awkward.map((body) => ({ headers: { a: "b" }, body, isBase64Encoded: false }))
const base64 = fc
  .uint8Array()
  .map((bytes) => ({ body: Buffer.from(bytes).toString("base64"), isBase64Encoded: true }))
const nothing = fc.constant({ headers: { a: "b" }, body: undefined })

it("agrees with the size of the JSON to the byte", () => {
  fc.assert(
    fc.property(fc.oneof(text, base64, nothing), (payload) => {
      const bytes = Buffer.byteLength(JSON.stringify(payload))
      expect(finish(isPayloadLargerThan(bytes, payload))).toBe(false)
      expect(finish(isPayloadLargerThan(bytes - 1, payload))).toBe(true)
    }),
  )
})

it("is not asked about a payload that is certainly smaller, and always about one that is larger", () => {
  fc.assert(
    fc.property(fc.oneof(text, base64, nothing), (payload) => {
      const bytes = Buffer.byteLength(JSON.stringify(payload))
      const others = Buffer.byteLength(JSON.stringify({ ...payload, body: "" }))
      expect(mayBeLargerThan(bytes - 1, payload, others)).toBe(true)
      expect(mayBeLargerThan(6 * bytes + others, payload, others)).toBe(false)
    }),
  )
  const bodyBytes = Buffer.alloc(100)
  expect([129, 130].map((limit) => mayBeLargerThan(limit, { bodyBytes }, 30))).toEqual([true, false])
})

it("counts a large body piece by piece", () => {
  const payload = { body: '"\u{1f600}\u0001'.repeat(50_000), isBase64Encoded: false }
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  const work = isPayloadLargerThan(bytes, payload)
  let steps = 0
  let result = work.next()
  for (; result.done !== true; result = work.next()) steps++
  expect([result.value, steps]).toEqual([false, 4])
  expect(finish(isPayloadLargerThan(bytes - 1, payload))).toBe(true)
})
