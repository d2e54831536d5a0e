import { expect, test } from "vitest"
import { ACCESS_COLUMNS, accessCell } from "./access-columns.ts"

const part = (
  name: "source" | "ip" | "relayDestination" | "weekday" | "minute" | "apiKey" | "reason" | "masked" | "pcr0",
  words: string,
) => ({ name, words, timezone: null, excluded: false, values: [] })
const cellsOf = (...parts: ReturnType<typeof part>[]) =>
  ACCESS_COLUMNS.map((column) => accessCell({ words: "", parts }, column))

test("a column says what it is about, and that it may be anything where nothing is said", () => {
  expect(cellsOf()).toEqual(["anything", "anywhere", "any time", "any key", "full values"])
  expect(
    cellsOf(
      part("source", "through relays"),
      part("ip", "from 10.0.0.0/8"),
      part("relayDestination", "to api.stripe.com"),
      part("weekday", "on Monday (UTC)"),
      part("minute", "09:00-17:00 (UTC)"),
      part("reason", "with a reason"),
      part("masked", "masked"),
    ),
  ).toEqual([
    "through relays, to api.stripe.com",
    "from 10.0.0.0/8",
    "on Monday (UTC), 09:00-17:00 (UTC)",
    "with a reason",
    "masked",
  ])
})
