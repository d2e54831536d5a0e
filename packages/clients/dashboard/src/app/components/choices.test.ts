import { expect, test } from "vitest"
import { choiceOf } from "./choices.ts"

const DATA = [
  "plain",
  { value: "*", label: "all events" },
  { group: "Values", items: ["api:decrypt", "api:inspect"] },
]

test.each([
  ["api:decrypt", "api:decrypt"],
  [" API:Decrypt ", "api:decrypt"],
  ["All events", "*"],
  ["plain", "plain"],
])("%j spells the choice %s", (text, value) => {
  expect(choiceOf(text, DATA)).toBe(value)
})

test.each(["", "api:", "Values"])("%j spells no choice, although some begin with it", (text) => {
  expect(choiceOf(text, DATA)).toBeNull()
})
