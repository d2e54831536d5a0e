import { describe, expect, test } from "vitest"
import { RequestTask } from "./task.ts"
import { createTurns } from "./turns.ts"
import { finish, type Work, waitFor } from "./work.ts"

/** Creates turns with a clock that only work advances, and a loop that only `turn` advances. */
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
    /** Returns work with steps of one millisecond each. */
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
    /** Runs one turn of the loop, and all promises that it settles. */
    async turn() {
      for (const task of deferred.splice(0)) task()
      for (let round = 0; round < 20; round++) await Promise.resolve()
    },
  }
}

describe("work in turns", () => {
  test("is done immediately, without a promise, when it takes less than a slice", () => {
    const loop = createLoop()
    expect(loop.turns.run(loop.work("a", 1))).toBe("a")
    expect([loop.done, loop.isIdle]).toEqual([["a"], true])
  })

  test("yields after each slice of two milliseconds when it takes longer", async () => {
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

  test("takes turns: one slice per turn of the loop, however much work there is", async () => {
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

  test("does not wait for large work when it is small", () => {
    const loop = createLoop()
    const large = loop.turns.run(loop.work("large", 100))
    expect(large).toBeInstanceOf(Promise)
    expect(loop.turns.run(loop.work("small", 0))).toBe("small")
  })

  test("continues within its slice when what it awaits is available, and takes a turn when that took long", async () => {
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

  test("receives the rejection of a promise, and can continue", async () => {
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

  test.each([0, 10])(
    "rejects when it fails after %d steps, and leaves the turns to others",
    async (steps) => {
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
    },
  )
})

describe("work that is cancelled", () => {
  const cancelled = new Error("The client has left")

  test("makes no further step, and cleans up", async () => {
    const loop = createLoop()
    const task = new RequestTask({ turns: loop.turns })
    let isClean = false
    function* cleaning(): Work<string> {
      try {
        return yield* loop.work("a", 100)
      } finally {
        isClean = true
      }
    }
    const result = task.run(cleaning())
    const others = loop.turns.run(loop.work("b", 3))
    await loop.turn()
    const steps = loop.done.filter((name) => name === "a").length
    task.cancel(cancelled)
    task.cancel(new Error("later"))
    const refused = expect(result).rejects.toBe(cancelled)
    while (!loop.isIdle) await loop.turn()
    await refused
    expect([loop.done.filter((name) => name === "a").length, isClean]).toEqual([steps, true])
    expect(await others).toBe("b")
  })

  test("ends only when what it waits for is settled", async () => {
    const loop = createLoop()
    const task = new RequestTask({ turns: loop.turns })
    const asked = Promise.withResolvers<number>()
    let isOver = false
    const result = Promise.resolve(task.run(waitFor(asked.promise))).finally(() => {
      isOver = true
    })
    const refused = expect(result).rejects.toBe(cancelled)
    task.cancel(cancelled)
    await loop.turn()
    expect(isOver).toBe(false)
    asked.resolve(1)
    await refused
  })

  test("does not begin, and gets neither turns nor memory", async () => {
    const loop = createLoop()
    const task = new RequestTask({ turns: loop.turns })
    const { signal } = task
    task.cancel(cancelled)
    expect(() => task.run(loop.work("a", 1))).toThrow(cancelled)
    expect(() => task.reserve(1)).toThrow(cancelled)
    expect(() => task.take(1)).toThrow(cancelled)
    const refused = expect(task.next()).rejects.toBe(cancelled)
    await loop.turn()
    await refused
    expect([signal.reason, task.signal.reason, loop.done]).toEqual([cancelled, cancelled, []])
  })
})

describe("finishing work immediately", () => {
  test("runs it to its end, and fails when it fails", () => {
    const loop = createLoop()
    expect(finish(loop.work("a", 100))).toBe("a")
    function* failing(): Work<never> {
      yield
      throw new RangeError("no")
    }
    expect(() => finish(failing())).toThrow(RangeError)
  })

  test("accepts waiting for available values only", () => {
    expect(finish(waitFor(7))).toBe(7)
    expect(() => finish(waitFor(Promise.resolve(7)))).toThrow(TypeError)
  })
})
