import { expect, test } from "vitest"
import { LogStore } from "./log-store.ts"

const clock = { ms: 0 }
const store = () => new LogStore(() => clock.ms)

test("keeps lines with their times in order, per function", () => {
  const logs = store()
  const start = clock.ms
  for (const [name, message] of [
    ["a", "one"],
    ["b", "other"],
    ["a", "two"],
  ] as const) {
    clock.ms += 1
    logs.append(name, message)
  }

  expect(logs.lines("a").map(({ message, at }) => [at - start, message])).toEqual([
    [1, "one"],
    [3, "two"],
  ])
  expect(logs.lines("c")).toEqual([])
})

test.each([
  ["many lines", "x", 30_000],
  ["much text", "x".repeat(16_000), 500],
])("keeps the newest of %s", (_, line, count) => {
  const logs = store()
  for (let at = 0; at < count; at++) logs.append("a", line)

  const lines = logs.lines("a")
  expect(lines.length).toBeLessThanOrEqual(10_000)
  expect(lines.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThanOrEqual(1_000_000)
  expect(lines.map(({ id }) => id)).toEqual(lines.map((_, at) => count - lines.length + at))
})

test("drops the lines of the function that printed longest ago", () => {
  const logs = store()
  for (let at = 0; at < 200; at++) logs.append(`f-${at}`, "x")
  logs.append("f-0", "x")
  logs.append("one more", "x")

  expect(logs.lines("f-1")).toEqual([])
  expect(logs.lines("f-0")).toHaveLength(2)
})

test("forgets the lines of a removed function, and hides those that are older than 14 days", () => {
  const logs = store()
  const messages = (name: string) => logs.lines(name).map(({ message }) => message)
  logs.append("a", "old")
  logs.append("b", "old")
  logs.remove("b")
  clock.ms += 14 * 86_400_000 - 1
  logs.append("a", "new")
  expect([messages("a"), messages("b")]).toEqual([["old", "new"], []])
  clock.ms += 1
  expect(messages("a")).toEqual(["new"])
})
