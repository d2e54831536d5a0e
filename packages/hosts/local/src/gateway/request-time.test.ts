import { expect, it } from "vitest"
import { createRequestTimeFormat } from "./request-time.ts"

it("formats times as API Gateway does", () => {
  const format = createRequestTimeFormat()
  expect(format(1783711145766)).toBe("10/Jul/2026:19:19:05 +0000")
  expect(format(Date.UTC(2020, 0, 2, 3, 4, 5))).toBe("02/Jan/2020:03:04:05 +0000")
})

it("follows the clock across a second, and back", () => {
  const format = createRequestTimeFormat()
  expect([999, 1000, 1999, 2000, 0].map(format)).toEqual(
    ["00", "01", "01", "02", "00"].map((second) => `01/Jan/1970:00:00:${second} +0000`),
  )
})
