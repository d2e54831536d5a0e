import { expect, test } from "vitest"
import { seldom } from "./seldom.ts"

test("passes a message on once a minute, and a different one immediately", () => {
  const reported: string[] = []
  let now = 0
  const report = seldom(
    (message) => reported.push(message),
    () => now,
  )

  for (const [at, message] of [
    [0, "a"],
    [59_999, "a"],
    [59_999, "b"],
    [60_000, "a"],
    [100_000, "a"],
    [119_998, "b"],
  ] as const) {
    now = at
    report(message)
  }

  expect(reported).toEqual(["a", "b", "a"])
})
