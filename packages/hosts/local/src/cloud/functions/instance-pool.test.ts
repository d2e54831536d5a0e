import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { InstancePool, type InstancePoolOptions } from "./instance-pool.ts"
import { answered, type Outcome, outOfMemory } from "./outcome.ts"

const OK = answered(Buffer.from("1"))
const BROKEN = outOfMemory("1")

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test("reuses a warm instance, and starts another only while all are busy", async () => {
  const { pool, started, invoke, finish } = pooled()
  const first = invoke()
  finish(OK)
  await first
  const both = [invoke(), invoke()]
  finish(OK)
  finish(OK)
  await Promise.all(both)

  expect(started).toHaveLength(2)
  await pool.close()
})

test("never exceeds its maximum of instances, and lets further calls wait in turn", async () => {
  const { started, invoke, finish, running } = pooled({ maxInstances: 2 })
  const outcomes = Array.from({ length: 5 }, invoke)
  for (let done = 0; done < 5; done++) {
    await settle()
    expect(running()).toBeLessThanOrEqual(2)
    finish(OK)
    // A new call must not overtake waiting ones.
    if (done === 0) outcomes.push(invoke())
  }
  await settle()
  finish(OK)

  expect(await Promise.all(outcomes)).toEqual(Array.from({ length: 6 }, () => OK))
  expect(started).toHaveLength(2)
})

test("refuses calls when too many are waiting, and when one has waited too long", async () => {
  const { invoke, finish } = pooled({ maxInstances: 1, maxWaiting: 1, maxWaitMs: 1_000 })
  const [running, waiting, refused] = [invoke(), invoke(), invoke()]

  expect(await refused).toBeNull()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await waiting).toBeNull()

  const next = invoke()
  finish(OK)
  await settle()
  finish(OK)
  expect(await Promise.all([running, next])).toEqual([OK, OK])
})

test("ends an instance that is no longer usable", async () => {
  const { started, invoke, finish } = pooled()
  const first = invoke()
  finish(BROKEN)
  await first
  const second = invoke()
  finish(OK)
  await second

  expect(started.map(({ ended }) => ended)).toEqual([true, false])
})

test("ends an instance that has been idle for long", async () => {
  const { started, invoke, finish } = pooled({ idleMs: 60_000 })
  const first = invoke()
  finish(OK)
  await first

  await vi.advanceTimersByTimeAsync(59_999)
  expect(started[0]?.ended).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(started[0]?.ended).toBe(true)
})

test("does not use an instance that ended while it was idle", async () => {
  const { started, invoke, finish } = pooled()
  const first = invoke()
  finish(OK)
  await first
  await started[0]?.end()
  const second = invoke()
  finish(OK)

  expect(await second).toEqual(OK)
  expect(started).toHaveLength(2)
})

test("lets running and waiting calls finish when it is retired", async () => {
  const { pool, started, invoke, finish } = pooled({ maxInstances: 1 })
  const outcomes = [invoke(), invoke()]
  let retired = false
  const retiring = pool.retire().then(() => {
    retired = true
  })
  finish(OK)
  await settle()
  expect(retired).toBe(false)
  finish(OK)
  await retiring

  expect(await Promise.all(outcomes)).toEqual([OK, OK])
  expect(started.every(({ ended }) => ended)).toBe(true)
})

function pooled(options: Partial<InstancePoolOptions> = {}) {
  const unfinished: ((outcome: Outcome) => void)[] = []
  const started: { ended: boolean; end(): Promise<void> }[] = []
  const pool = new InstancePool({
    maxInstances: 10,
    maxWaiting: 100,
    maxWaitMs: 10_000,
    idleMs: 60_000,
    ...options,
    start() {
      const instance = {
        ended: false,
        invoke: () => new Promise<Outcome>((resolve) => unfinished.push(resolve)),
        async end() {
          instance.ended = true
        },
      }
      started.push(instance)
      return instance
    },
  })
  return {
    pool,
    started,
    running: () => unfinished.length,
    invoke: () => pool.invoke({ requestId: "r", event: Buffer.from("1"), timeoutMs: 1_000 }, () => 0),
    finish: (outcome: Outcome) => unfinished.shift()?.(outcome),
  }
}

function settle(): Promise<unknown> {
  return vi.advanceTimersByTimeAsync(0)
}
