import { localTime } from "@sealway/policies/analysis"
import { expect, test } from "vitest"
import { createDice } from "../testing/dice.ts"
import { periodsOf } from "./zone-facts.ts"

const HOUR_MS = 3_600_000
const HORIZON = { fromMs: Date.UTC(2026, 10, 27), untilMs: Date.UTC(2029, 0, 1) }

/** What a clock shows that is so many minutes ahead of UTC. */
function readingOf(timeMs: number, offsetMinutes: number) {
  const date = new Date(timeMs + offsetMinutes * 60_000)
  return { minuteOfDay: date.getUTCHours() * 60 + date.getUTCMinutes(), weekday: date.getUTCDay() || 7 }
}

// With changes by half an hour, for a month of fasting, never, and with offsets on both sides of the date line.
test.each([
  ["UTC", 1],
  ["Asia/Kolkata", 1],
  ["Pacific/Kiritimati", 1],
  ["Pacific/Pago_Pago", 1],
  ["Europe/Dublin", 5],
  ["America/St_Johns", 5],
  ["Australia/Lord_Howe", 5],
])("the periods of %s say what its clock shows at any time", (zone, count) => {
  const periods = periodsOf(zone, HORIZON)
  expect(periods).toHaveLength(count)
  const dice = createDice(1)
  const changes = periods.flatMap(({ fromMs }) => [fromMs - 1, fromMs, fromMs + 1])
  const hours = (HORIZON.untilMs - HORIZON.fromMs) / HOUR_MS
  const times = [...changes, ...dice.times(300, () => HORIZON.fromMs + dice.below(hours) * HOUR_MS)]
  for (const timeMs of times.filter((time) => time >= HORIZON.fromMs)) {
    const period = periods.findLast(({ fromMs }) => fromMs <= timeMs)
    expect({ timeMs, ...readingOf(timeMs, period?.offsetMinutes ?? 0) }).toEqual({
      timeMs,
      ...localTime(timeMs, zone),
    })
  }
})
