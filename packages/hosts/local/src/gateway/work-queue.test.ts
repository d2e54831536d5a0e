import { setImmediate as nextTurn } from "node:timers/promises"
import { SMALL_BYTES } from "@sealway/http/ingress"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts"

const LARGE = SMALL_BYTES + 1

/** Creates a queue whose work takes event loop time, partly in promise jobs, and records when it is done. */
function recorded(options: WorkQueueOptions = {}) {
  const queue = new WorkQueue(options)
  const done: string[] = []
  const run = (name: string, bytes: number, { ms = 4, functionName = "encrypt" } = {}) =>
    queue.run({
      functionName,
      bytes,
      async start() {
        await Promise.resolve()
        const until = performance.now() + ms
        while (performance.now() < until);
        await Promise.resolve()
        done.push(name)
        queue.end({ functionName, bytes })
      },
    })
  return { queue, done, run }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn()
}

describe("queued work", () => {
  it("starts immediately while nothing is waiting", async () => {
    const started: string[] = []
    new WorkQueue().run({ functionName: "a", bytes: 1, start: () => started.push("a") })
    expect(started).toEqual(["a"])
  })

  it("overtakes earlier larger work, and work of equal size keeps its order", async () => {
    const { done, run } = recorded()
    run("first", 10)
    await Promise.resolve()
    await Promise.resolve()
    for (const name of ["large 1", "large 2", "large 3"]) run(name, LARGE)
    run("medium", 5000)
    run("small 1", 10)
    run("small 2", 10)
    await until(() => done.length === 7)
    const place = (name: string) => done.indexOf(name)
    expect(place("small 1")).toBeLessThan(place("large 2"))
    expect(place("small 2")).toBeLessThan(place("large 3"))
    expect(place("small 1")).toBeLessThan(place("small 2"))
    expect(place("large 1")).toBeLessThan(place("large 2"))
    expect(place("large 2")).toBeLessThan(place("large 3"))
  })

  it("is not starved by an endless stream of smaller work", async () => {
    const { done, run } = recorded()
    run("first", 10)
    await Promise.resolve()
    await Promise.resolve()
    run("medium", 5000)
    let count = 0
    while (!done.includes("medium")) {
      run(`small ${count++}`, 10, { ms: 1 })
      run(`small ${count++}`, 10, { ms: 1 })
      await nextTurn()
    }
    expect(done).toContain("medium")
  })

  it("is not starved, when it is large, by small work that blocks the event loop", async () => {
    const { done, run } = recorded({ maxWaitMs: 50 })
    run("first", 10, { ms: 8 })
    await Promise.resolve()
    await Promise.resolve()
    run("large", LARGE)
    for (let count = 0; count < 60 && !done.includes("large"); count++) {
      for (let each = 0; each < 3; each++) run(`small ${count}-${each}`, 10, { ms: 8 })
      await nextTurn()
    }
    expect(done).toContain("large")
  })

  it("is not starved by smaller large work of the same endpoint, some of which is always in progress", async () => {
    const queue = new WorkQueue({ maxWaitMs: 0 })
    const MEBIBYTE = 1024 * 1024
    const underWay: number[] = []
    let isHugeStarted = false
    const run = (bytes: number) => {
      const start = () => {
        if (bytes > 2 * MEBIBYTE) isHugeStarted = true
        else underWay.push(bytes)
      }
      queue.run({ functionName: "encrypt", bytes, start })
    }
    run(MEBIBYTE)
    run(5 * MEBIBYTE)
    for (let count = 0; count < 60 && !isHugeStarted; count++) {
      for (let each = 0; each < 2; each++) run(MEBIBYTE)
      await nextTurn()
      const bytes = underWay.length > 1 ? underWay.shift() : undefined
      if (bytes !== undefined) queue.end({ functionName: "encrypt", bytes })
    }
    expect(isHugeStarted).toBe(true)
  })

  it("is not starved by work that never ends, even when nothing else arrives", async () => {
    const queue = new WorkQueue({ maxWaitMs: 5 })
    const started: string[] = []
    for (const name of ["first", "second", "third"]) {
      const start = () => started.push(name)
      queue.run({ functionName: "encrypt", bytes: 3 * 1024 * 1024, start })
    }
    await until(() => started.length === 3)
    expect(started).toEqual(["first", "second", "third"])
  })

  it("of one endpoint, when it is large, waits for other such work to end, and not for another endpoint's", async () => {
    const queue = new WorkQueue()
    const started: string[] = []
    const large = (name: string, functionName: string) => ({
      functionName,
      bytes: 1.5 * 1024 * 1024,
      start: () => started.push(name),
    })
    queue.run(large("first", "encrypt"))
    queue.run(large("second", "encrypt"))
    queue.run(large("other", "decrypt"))
    await until(() => started.length === 2)
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect(started).toEqual(["first", "other"])
    queue.end(large("first", "encrypt"))
    await until(() => started.length === 3)
    expect(started).toEqual(["first", "other", "second"])
  })

  it("that exceeds the limit for work in progress runs alone", async () => {
    const { done, run } = recorded()
    for (const name of ["a", "b"]) run(name, 100 * 1024 * 1024, { ms: 1 })
    await until(() => done.length === 2)
    expect(done).toEqual(["a", "b"])
  })

  it("sets no timer in the past while work that is overdue may not start", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout")
    onTestFinished(() => timers.mockRestore())
    const queue = new WorkQueue({ maxWaitMs: 1 })
    let started = 0
    const start = () => {
      started += 1
    }
    for (let count = 0; count < 4; count++)
      queue.run({ functionName: "encrypt", bytes: 3 * 1024 * 1024, start })
    const end = performance.now() + 5
    while (performance.now() < end);
    await until(() => started === 4)
    const delays = timers.mock.calls.map(([, delayMs = 0]) => delayMs)
    expect([delays.length > 0, delays.filter((delayMs) => delayMs < 0)]).toEqual([true, []])
  })
})
