import { expect, test } from "vitest"
import { wayInWords } from "./words.ts"

test.each([
  [{ endpoint: "decrypt" }, "endpoint decrypt"],
  [{ relay: "relay_1", direction: "request" }, "relay relay_1, request"],
  [{ relay: "relay_1" }, "relay relay_1"],
  [{ function: "greet", run: "run_1" }, "function greet"],
  [{ enclave: "i-1-enc2", endpoint: "decrypt-for-enclave" }, "enclave i-1-enc2"],
  [{}, "unknown"],
])("the way %j is said as %j", (way, expected) => {
  expect(wayInWords(way)).toBe(expected)
})
