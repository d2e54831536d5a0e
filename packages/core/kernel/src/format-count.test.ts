import fc from "fast-check"
import { expect, test } from "vitest"
import { formatCount } from "./format-count.ts"

test("writes every count as English does", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (count) => {
      expect(formatCount(count)).toBe(count.toLocaleString("en"))
    }),
    { examples: [[0], [999], [1_000], [999_999], [1_000_000]] },
  )
})
