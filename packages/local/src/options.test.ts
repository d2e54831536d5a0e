import { availableParallelism } from "node:os"
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
  ["--workers", "0"],
  ["--workers", "x"],
  ["--workers", "257"],
  ["extra"],
])("the options %s %s are refused", (...args) => {
  const given = args.filter((arg) => arg !== undefined)
  expect(() => parseOptions(given, "/")).toThrow(UsageError)
})

test("functions run unconfined only when that is asked for", () => {
  expect(parseOptions([], "/")?.unconfinedFunctions).toBe(false)
  expect(parseOptions(["--unconfined-functions"], "/")?.unconfinedFunctions).toBe(true)
})

test("there are as many workers as the machine has processors, unless another number is given", () => {
  expect(parseOptions([], "/")?.workers).toBe(availableParallelism())
  expect(parseOptions(["--workers", "1"], "/")?.workers).toBe(1)
  expect(() => parseOptions(["--workers", "0"], "/")).toThrow("--workers takes a number from 1 to 256.")
})
