import { expect, test } from "vitest"
import { parseOptions, UsageError } from "./options.ts"

test.each([
  ["--port", "99999"],
  ["--port", "x"],
  ["--nonsense"],
  ["--limits", "none"],
  ["--max-requests", "0"],
  ["--stall-timeout", "1s"],
  ["--allow-host", "http://vault.test"],
  ["extra"],
])("the options %s %s are refused", (...args) => {
  const given = args.filter((arg) => arg !== undefined)
  expect(() => parseOptions(given, "/")).toThrow(UsageError)
})

test("functions run unconfined only when that is asked for", () => {
  expect(parseOptions([], "/")?.unconfinedFunctions).toBe(false)
  expect(parseOptions(["--unconfined-functions"], "/")?.unconfinedFunctions).toBe(true)
})
