import fc from "fast-check"
import { expect, test } from "vitest"
import { coalesce, QUIET_MS } from "./coalesce.ts"

/** Timers whose clock a test moves. */
function createTimers() {
  let now = 0
  let count = 0
  const waiting = new Map<number, { at: number; action: () => void }>()
  return {
    set(action: () => void, delayMs: number) {
      waiting.set(++count, { at: now + delayMs, action })
      return count
    },
    clear: (timer: number) => void waiting.delete(timer),
    advance(ms: number) {
      now += ms
      for (const [timer, { at, action }] of [...waiting]) {
        if (at > now) continue
        waiting.delete(timer)
        action()
      }
    },
  }
}

test("a page is told once after each pause in typing, however many keys came before", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 2 * QUIET_MS })), (pauses) => {
      const timers = createTimers()
      let told = 0
      const change = coalesce(() => told++, timers)
      for (const pause of pauses) {
        change.ask()
        timers.advance(pause)
      }
      timers.advance(QUIET_MS)
      const expected = pauses.filter(
        (pause, index) => pause >= QUIET_MS || index === pauses.length - 1,
      ).length
      expect(told).toBe(expected)
    }),
  )
})

test("what waits for quiet goes on when the page was told, and at once if nothing was typed", async () => {
  const timers = createTimers()
  const order: string[] = []
  const change = coalesce(() => order.push("told"), timers)
  await change.settled()
  change.ask()
  const sealed = change.settled().then(() => order.push("sealed"))
  timers.advance(QUIET_MS - 1)
  change.ask()
  timers.advance(1)
  await Promise.resolve()
  expect(order).toEqual([])
  timers.advance(QUIET_MS)
  await sealed
  expect(order).toEqual(["told", "sealed"])
})
