import { describe, expect, test } from "vitest"
import { categoryCodeSchema } from "./merchant-rules.ts"

describe("a merchant category code", () => {
  const isAccepted = (code: string) => categoryCodeSchema.safeParse(code).success

  test.each([
    ["0700", "0999"],
    ["1500", "2999"],
    ["3000", "3999"],
    ["4000", "8999"],
    ["9200", "9999"],
  ])("is accepted from %s to %s", (first, last) => {
    for (let code = Number(first); code <= Number(last); code++) {
      expect(isAccepted(String(code).padStart(4, "0"))).toBe(true)
    }
  })

  test.each([
    ["0000", "0699"],
    ["1000", "1499"],
    ["9000", "9199"],
  ])("is refused from %s to %s, which the standard reserves", (first, last) => {
    for (let code = Number(first); code <= Number(last); code++) {
      expect(isAccepted(String(code).padStart(4, "0"))).toBe(false)
    }
  })

  test.each(["", "541", "54111", "541a", " 5411", "5411\n", "５４１１"])("is refused as %j", (code) => {
    expect(isAccepted(code)).toBe(false)
  })
})
