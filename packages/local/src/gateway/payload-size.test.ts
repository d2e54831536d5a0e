import fc from "fast-check"
import { expect, it } from "vitest"
import { isPayloadLargerThan } from "./payload-size.ts"

const awkward = fc.string({ unit: fc.constantFrom("\u0000", '"', "\\", "a", "é", "\u{1f600}", "\ud800") })
const text = awkward.map((body) => ({ headers: { a: "b" }, body, isBase64Encoded: false }))
const base64 = fc
  .uint8Array()
  .map((bytes) => ({ body: Buffer.from(bytes).toString("base64"), isBase64Encoded: true }))
const nothing = fc.constant({ headers: { a: "b" }, body: undefined })

it("agrees with the size of the JSON, to the byte", () => {
  fc.assert(
    fc.property(fc.oneof(text, base64, nothing), (payload) => {
      const bytes = Buffer.byteLength(JSON.stringify(payload))
      expect(isPayloadLargerThan(bytes, payload, bytes)).toBe(false)
      expect(isPayloadLargerThan(bytes - 1, payload, bytes)).toBe(true)
    }),
  )
})
