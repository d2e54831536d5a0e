import { AsyncLocalStorage } from "node:async_hooks"
import { syncBuiltinESMExports } from "node:module"
import timers from "node:timers/promises"

/** What runs within it is explored. The process also has timers of tests that ran before. */
const explored = new AsyncLocalStorage<true>()

/**
 * Runs something in which pauses of the product take the given time instead of a real one, and nothing else may wait for a
 * timer: what a timer decides would not be the same in two runs.
 */
export async function withVirtualTime<Result>(
  sleep: (ms: number) => Promise<void>,
  run: () => Promise<Result>,
): Promise<Result> {
  const { setTimeout: realPause } = timers
  const { setTimeout: realTimer } = globalThis
  const pause = (ms = 0) => sleep(ms)
  Object.assign(timers, { setTimeout: pause })
  Object.assign(globalThis, {
    setTimeout: (...timer: Parameters<typeof realTimer>) => {
      if (explored.getStore() === undefined) return realTimer(...timer)
      throw new Error("A program that is explored must not wait for a timer")
    },
  })
  syncBuiltinESMExports()
  try {
    return await explored.run(true, run)
  } finally {
    Object.assign(timers, { setTimeout: realPause })
    Object.assign(globalThis, { setTimeout: realTimer })
    syncBuiltinESMExports()
  }
}
