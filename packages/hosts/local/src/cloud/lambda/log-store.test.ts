import { expect, test } from "vitest"
import { LogStore } from "./log-store.ts"

test("keeps lines in order, per group", () => {
  const logs = new LogStore()
  logs.append("a", "s", 1, "one")
  logs.append("b", "s", 2, "other")
  logs.append("a", "s", 3, "two")

  expect(logs.events("a", 0)?.map(({ message, timestamp }) => [timestamp, message])).toEqual([
    [1, "one"],
    [3, "two"],
  ])
  expect(logs.events("c", 0)).toBeNull()
})

test.each([
  ["many lines", "x", 30_000],
  ["much text", "x".repeat(16_000), 500],
])("keeps the newest of %s", (_, line, count) => {
  const logs = new LogStore()
  for (let at = 0; at < count; at++) logs.append("a", "s", at, line)

  const events = logs.events("a", 0) ?? []
  expect(events.length).toBeLessThanOrEqual(10_000)
  expect(events.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThanOrEqual(1_000_000)
  expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => count - events.length + at))
})

test("drops the group that was written to longest ago", () => {
  const logs = new LogStore()
  for (let at = 0; at < 200; at++) logs.append(`group-${at}`, "s", at, "x")
  logs.append("group-0", "s", 0, "x")
  logs.append("one more", "s", 0, "x")

  expect(logs.events("group-1", 0)).toBeNull()
  expect(logs.events("group-0", 0)).toHaveLength(2)
})

test("creates a group once, and forgets it with its lines when it is removed", () => {
  const logs = new LogStore()

  expect([logs.create("a"), logs.create("a")]).toEqual([true, false])
  expect(logs.events("a", 0)).toEqual([])
  logs.append("a", "s", 1, "one")
  expect([logs.remove("a"), logs.remove("a")]).toEqual([true, false])
  expect(logs.events("a", 0)).toBeNull()
})

test("hides lines that are older than the group's retention", () => {
  const logs = new LogStore()
  const day = 86_400_000
  expect(logs.setRetention("a", 1)).toBe(false)
  logs.append("a", "s", 0, "old")
  logs.append("a", "s", 1, "new")
  const messages = (now: number) => logs.events("a", now)?.map(({ message }) => message)

  expect(messages(9 * day)).toEqual(["old", "new"])
  expect(logs.setRetention("a", 1)).toBe(true)
  expect(messages(day)).toEqual(["new"])
})

test("drops the oldest group when there are too many", () => {
  const logs = new LogStore()
  for (let at = 0; at <= 200; at++) logs.create(`group-${at}`)

  expect(logs.events("group-0", 0)).toBeNull()
  expect(logs.events("group-1", 0)).toEqual([])
})
