import { expect, test } from "vitest"
import { LogStore } from "./log-store.ts"

test("keeps lines in their order, by group", () => {
  const logs = new LogStore()
  logs.append("a", "s", 1, "one")
  logs.append("b", "s", 2, "other")
  logs.append("a", "s", 3, "two")

  expect(logs.events("a")?.map(({ message, timestamp }) => [timestamp, message])).toEqual([
    [1, "one"],
    [3, "two"],
  ])
  expect(logs.events("c")).toBeNull()
})

test.each([
  ["many lines", "x", 30_000],
  ["much text", "x".repeat(16_000), 500],
])("keeps the newest of %s", (_, line, count) => {
  const logs = new LogStore()
  for (let at = 0; at < count; at++) logs.append("a", "s", at, line)

  const events = logs.events("a") ?? []
  expect(events.length).toBeLessThanOrEqual(10_000)
  expect(events.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThanOrEqual(1_000_000)
  expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => count - events.length + at))
})

test("gives up the group that was written to longest ago", () => {
  const logs = new LogStore()
  for (let at = 0; at < 200; at++) logs.append(`group-${at}`, "s", at, "x")
  logs.append("group-0", "s", 0, "x")
  logs.append("one more", "s", 0, "x")

  expect(logs.events("group-1")).toBeNull()
  expect(logs.events("group-0")).toHaveLength(2)
})
