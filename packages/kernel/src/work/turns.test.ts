import { describe, expect, test } from "vitest"
import { createTurns } from "./turns.ts"
import { finish, type Work, waitFor } from "./work.ts"

/** Turns of a clock that only work moves on, and of a loop that only `turn` moves on. */
function createLoop() {
  let nowMs = 0
  const deferred: (() => void)[] = []
  const done: string[] = []
  const turns = createTurns({ now: () => nowMs, defer: (task) => deferred.push(task), sliceMs: 2 })
  return {
    done,
    turns,
    get isIdle() {
      return deferred.length === 0
    },
    /** Work of steps of one millisecond each. */
    *work(name: string, steps: number): Work<string> {
      for (let step = 0; step < steps; step++) {
        nowMs += 1
        done.push(name)
        yield
      }
      return name
    },
    pass(ms: number) {
      nowMs += ms
    },
    /** One turn of the loop, and all promises that it settles. */
    async turn() {
      for (const task of deferred.splice(0)) task()
      for (let round = 0; round < 20; round++) await Promise.resolve()
    },
  }
}

describe("work", () => {
  test("that takes less than a slice is done at once, without a promise", () => {
    const loop = createLoop()
    expect(loop.turns.run(loop.work("a", 1))).toBe("a")
    expect([loop.done, loop.isIdle]).toEqual([["a"], true])
  })

  test("that takes longer gives way after each slice of two milliseconds", async () => {
    const loop = createLoop()
    const result = loop.turns.run(loop.work("a", 7))
    const counts = [loop.done.length]
    while (!loop.isIdle) {
      await loop.turn()
      counts.push(loop.done.length)
    }
    expect(counts).toEqual([2, 4, 6, 7])
    expect(await result).toBe("a")
  })

  test("takes turns: one slice a turn of the loop, however much of it there is", async () => {
    const loop = createLoop()
    const results = ["a", "b", "c"].map((name) => loop.turns.run(loop.work(name, 5)))
    expect(loop.done.join("")).toBe("aabc")
    const slices: string[] = []
    while (!loop.isIdle) {
      const before = loop.done.length
      await loop.turn()
      slices.push(loop.done.slice(before).join(""))
    }
    expect(slices.filter((slice) => slice !== "")).toEqual(["aa", "bb", "cc", "a", "bb", "cc"])
    expect(await Promise.all(results)).toEqual(["a", "b", "c"])
  })

  test("that is small does not wait for what is large", () => {
    const loop = createLoop()
    const large = loop.turns.run(loop.work("large", 100))
    expect(large).toBeInstanceOf(Promise)
    expect(loop.turns.run(loop.work("small", 0))).toBe("small")
  })

  test("goes on within its slice when what it waits for is there at once, and takes a turn when that took long", async () => {
    const loop = createLoop()
    function* waiting(): Work<number> {
      let sum = 0
      for (let count = 0; count < 3; count++) sum += yield* waitFor(Promise.resolve(1))
      loop.pass(5)
      return sum + (yield* waitFor(Promise.resolve(1)))
    }
    const result = loop.turns.run(waiting())
    await Promise.resolve()
    expect(loop.isIdle).toBe(true)
    for (let round = 0; round < 50; round++) await Promise.resolve()
    expect(loop.isIdle).toBe(false)
    await loop.turn()
    expect(await result).toBe(4)
  })

  test("gets what a promise is rejected with, and can go on", async () => {
    const { turns } = createLoop()
    function* careful(): Work<string> {
      try {
        return yield* waitFor(Promise.reject<string>(new Error("no")))
      } catch (error) {
        return error instanceof Error ? error.message : ""
      }
    }
    expect(await turns.run(careful())).toBe("no")
  })

  test.each([0, 10])("that fails after %d steps rejects, and leaves the turns to others", async (steps) => {
    const loop = createLoop()
    function* failing(): Work<never> {
      yield* loop.work("failing", steps)
      throw new RangeError("no")
    }
    const run = async () => loop.turns.run(failing())
    const failed = expect(run()).rejects.toThrow(RangeError)
    const other = loop.turns.run(loop.work("other", 4))
    while (!loop.isIdle) await loop.turn()
    await failed
    expect(await other).toBe("other")
  })
})

describe("work that is finished at once", () => {
  test("is done to its end, and fails as it fails", () => {
    const loop = createLoop()
    expect(finish(loop.work("a", 100))).toBe("a")
    function* failing(): Work<never> {
      yield
      throw new RangeError("no")
    }
    expect(() => finish(failing())).toThrow(RangeError)
  })

  test("may wait for what is there, and for nothing else", () => {
    expect(finish(waitFor(7))).toBe(7)
    expect(() => finish(waitFor(Promise.resolve(7)))).toThrow(TypeError)
  })
})
