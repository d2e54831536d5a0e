import { expect, test } from "vitest"
import { errorCodeOf } from "./error-code.ts"

test.each([
  [Object.assign(new Error("gone"), { code: "ENOENT" }), "ENOENT"],
  [Object.assign(new Error("a status"), { code: 404 }), ""],
  [new Error("none"), ""],
  [{ code: "ENOENT" }, ""],
  [null, ""],
])("returns an error's own code, and an empty text when it has none: %o", (error, code) => {
  expect(errorCodeOf(error)).toBe(code)
})
