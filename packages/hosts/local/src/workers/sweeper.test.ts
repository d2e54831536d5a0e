import { expect, test, vi } from "vitest"
import { startSweeper } from "./sweeper.ts"

const log = () => {
  const errors: unknown[] = []
  return { errors, error: (_: string, { error }: { error?: unknown } = {}) => void errors.push(error) }
}

test("sweeps repeatedly, one sweep at a time, and continues after a failed one", async () => {
  const { errors, error } = log()
  const failure = new Error("once")
  let underWay = 0
  let most = 0
  const sweep = vi.fn(async () => {
    underWay += 1
    most = Math.max(most, underWay)
    await new Promise((resolve) => setImmediate(resolve))
    underWay -= 1
    if (sweep.mock.calls.length === 1) throw failure
  })
  const sweeper = startSweeper({ sweep, everyMs: 1, log: { error } })
  await vi.waitFor(() => expect(sweep.mock.calls.length).toBeGreaterThan(3))
  await sweeper.close()
  expect([most, underWay]).toEqual([1, 0])
  expect(errors).toEqual([failure])
})

test("finishes the current sweep on close and starts no other", async () => {
  const { errors, error } = log()
  const held = Promise.withResolvers<void>()
  const sweep = vi.fn(() => held.promise)
  const sweeper = startSweeper({ sweep, everyMs: 1, log: { error } })
  await vi.waitFor(() => expect(sweep).toHaveBeenCalled())
  let isClosed = false
  const closing = sweeper.close().then(() => {
    isClosed = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isClosed).toBe(false)
  held.resolve()
  await closing
  await sweeper.close()
  expect(sweep).toHaveBeenCalledTimes(1)
  expect(errors).toEqual([])
})

test("starts no sweep after it is closed while waiting", async () => {
  const sweep = vi.fn(async () => undefined)
  await startSweeper({ sweep, everyMs: 3_600_000, log: log() }).close()
  expect(sweep).not.toHaveBeenCalled()
})
