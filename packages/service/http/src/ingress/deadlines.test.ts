import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { Deadlines } from "./deadlines.ts"

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it("expires each deadline after its own time, oldest first", () => {
  const deadlines = new Deadlines(100)
  const expired: string[] = []
  deadlines.set(() => expired.push("first"))
  vi.advanceTimersByTime(60)
  deadlines.set(() => expired.push("second"))
  vi.advanceTimersByTime(39)
  expect(expired).toEqual([])
  vi.advanceTimersByTime(1)
  expect(expired).toEqual(["first"])
  vi.advanceTimersByTime(60)
  expect(expired).toEqual(["first", "second"])
})

it.each([[[0]], [[1]], [[2]], [[0, 1]], [[2, 1]], [[1, 0, 2]]])(
  "does not expire cancelled deadlines: %j of three",
  (cancelled) => {
    const deadlines = new Deadlines(100)
    const expired: number[] = []
    const set = [0, 1, 2].map((index) => deadlines.set(() => expired.push(index)))
    const results = cancelled.map((index) => {
      const deadline = set[index]
      return deadline !== undefined && deadlines.cancel(deadline)
    })
    vi.advanceTimersByTime(100)
    expect(results.every(Boolean)).toBe(true)
    expect(expired).toEqual([0, 1, 2].filter((index) => !cancelled.includes(index)))
  },
)

it("tells whether a deadline could still be cancelled", () => {
  const deadlines = new Deadlines(100)
  const deadline = deadlines.set(() => undefined)
  vi.advanceTimersByTime(100)
  expect(deadlines.cancel(deadline)).toBe(false)
})

it("continues after it was empty", () => {
  const deadlines = new Deadlines(100)
  deadlines.cancel(deadlines.set(() => undefined))
  vi.advanceTimersByTime(1000)
  const expire = vi.fn()
  deadlines.set(expire)
  vi.advanceTimersByTime(100)
  expect(expire).toHaveBeenCalledOnce()
})

it("keeps no deadline alive by an earlier one that is over", () => {
  const deadlines = new Deadlines(100)
  const [first, second] = [deadlines.set(() => undefined), deadlines.set(() => undefined)]
  expect([first.next, second.previous]).toEqual([second, first])
  deadlines.cancel(first)
  expect([first.next, second.previous]).toEqual([null, null])
})
