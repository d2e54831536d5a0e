import { createHmac } from "node:crypto"
import fc from "fast-check"
import { expect, test } from "vitest"
import { createSymmetricDerivation } from "./symmetric-content-key.ts"

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

test("a content key is the first block of HKDF-Expand-SHA-256, with the key segment as info, for each segment in turn", () => {
  fc.assert(
    fc.property(bytes(32), fc.array(bytes(33), { minLength: 1, maxLength: 3 }), (key, segments) => {
      const derive = createSymmetricDerivation(key)
      for (const segment of segments) {
        const expected = createHmac("sha256", key).update(segment).update(Buffer.of(1)).digest()
        expect(derive(segment).export()).toEqual(expected)
      }
    }),
  )
})

test.each([32, 34])("a key segment of %d bytes is refused", (length) => {
  const derive = createSymmetricDerivation(Buffer.alloc(32))
  expect(() => derive(Buffer.alloc(length))).toThrow(TypeError)
})
