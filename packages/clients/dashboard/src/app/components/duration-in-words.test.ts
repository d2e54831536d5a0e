import { expect, test } from "vitest"
import { durationInWords } from "./duration-in-words.ts"

test.each([
  [0, "0 seconds"],
  [999, "0 seconds"],
  [61_000, "1 minute 1 second"],
  [3_600_000, "1 hour 0 minutes"],
  [604_799_000, "6 days 23 hours"],
])("%d ms are %s", (ms, words) => {
  expect(durationInWords(ms)).toBe(words)
})
