import { describe, expect, test } from "vitest"
import { finish } from "../work/work.ts"
import { pointerAtOffsetInSteps } from "./json-pointer.ts"

const pointerAt = (text: string, literal: string) => {
  const bytes = Buffer.from(text)
  return finish(pointerAtOffsetInSteps(bytes, bytes.indexOf(literal), 100))
}

describe("the JSON Pointer at an offset", () => {
  test.each([
    ["7", "7", ""],
    ['{"a":7}', "7", "/a"],
    ["[0,[1,7]]", "7", "/1/1"],
    ['[[],{},{"x":[{}, 7]}]', "7", "/2/x/1"],
    ['{"a":{"b":1},"c":{"d":2,"e":7}}', "7", "/c/e"],
    ['{"a/b":{"m~n":7}}', "7", "/a~1b/m~0n"],
    ['{"":{"\\u00e9 ü":7}}', "7", "//é ü"],
    ['{"a":1,"a":7}', "7", "/a"],
  ])("in %s of the value %s is %j", (text, literal, pointer) => {
    expect(pointerAt(text, literal)).toBe(pointer)
  })

  test("is truncated when a long name makes it too long", () => {
    const pointer = pointerAt(`{"${"n".repeat(5000)}":7}`, "7")
    expect(pointer).toHaveLength(1025)
    expect(pointer.endsWith("…")).toBe(true)
  })
})
