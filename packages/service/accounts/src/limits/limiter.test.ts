import { createMemoryTable } from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import { createLimiter } from "./limiter.ts"
import { RateLimitError } from "./rate-limit-error.ts"
import type { ChosenLimits } from "./rate-limits.ts"

const limits = (requestsPerSecond: number, valuesPerSecond = 100): ChosenLimits => ({
  requestsPerSecond,
  valuesPerSecond,
})

/** Processes of one deployment, whose clock is set by hand. */
function createDeployment({ isFrozenBetweenRequests = true } = {}) {
  let nowMs = 1_000_000
  const warned: unknown[] = []
  const table = createMemoryTable({ wallClock: () => nowMs })
  return {
    table,
    warned,
    pass: (ms: number) => {
      nowMs += ms
    },
    start: (through: Pick<typeof table, "tally"> = table) =>
      createLimiter({
        table: through,
        isFrozenBetweenRequests,
        now: () => nowMs,
        wallClock: () => nowMs,
        log: { warn: (_message, fields) => void warned.push(fields) },
      }),
  }
}

const APP = { id: "app_1", limits: limits(100_000, 100_000) }
const keyWith = (chosen: ChosenLimits) => ({ app: APP, apiKey: { id: "key_1", limits: chosen } })

function refusalOf(work: () => unknown): RateLimitError {
  try {
    work()
  } catch (error) {
    if (error instanceof RateLimitError) return error
    throw error
  }
  throw new Error("Nothing was refused")
}

/** Returns how many requests are let through. */
function admitted(
  limiter: ReturnType<typeof createLimiter>,
  caller: Parameters<typeof limiter.admit>[0],
  asked: number,
) {
  let count = 0
  for (let each = 0; each < asked; each++) {
    try {
      limiter.admit(caller)
      count++
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error
    }
  }
  return count
}

describe("the limits of a key", () => {
  test("refuse the request after the last one with too-many-requests, for as long as Retry-After says", () => {
    const { start, pass } = createDeployment()
    const limiter = start()
    const caller = keyWith(limits(1))
    expect(admitted(limiter, caller, 20)).toBe(10)
    const refusal = refusalOf(() => limiter.admit(caller))
    expect(refusal).toMatchObject({ code: "too-many-requests", headers: { "retry-after": "1" } })
    expect(refusal.message).toBe(
      "The API key has reached its limit of 1 requests a second. Try again after the time in Retry-After.",
    )
    pass(1_000)
    expect(admitted(limiter, caller, 5)).toBe(1)
  })

  test("count values apart from requests, and give back what was not needed", () => {
    const { start } = createDeployment()
    const limiter = start()
    const allowance = limiter.admit(keyWith(limits(100, 10)))
    allowance.takeValues(90)
    expect(refusalOf(() => allowance.takeValues(20)).headers["retry-after"]).toBe("1")
    allowance.addValues(-10)
    allowance.takeValues(20)
    // What is done already is counted, and delays what follows.
    allowance.addValues(50)
    expect(refusalOf(() => allowance.takeValues(1)).headers["retry-after"]).toBe("6")
  })

  test("are told as RateLimit and RateLimit-Policy, of the key that was sent", () => {
    const { start } = createDeployment()
    const limiter = start()
    const allowance = limiter.admit(keyWith(limits(5, 50)))
    allowance.takeValues(100)
    expect(allowance.headers()).toEqual({
      ratelimit: '"requests";r=49;t=1, "values";r=400;t=2',
      "ratelimit-policy": '"requests";q=50;w=10, "values";q=500;w=10;qu="values"',
    })
    expect(limiter.admit({ app: APP, apiKey: null }).headers()).toBeNull()
  })

  test("change with the key's record", () => {
    const { start } = createDeployment()
    const limiter = start()
    expect(admitted(limiter, keyWith(limits(1)), 20)).toBe(10)
    expect(admitted(limiter, keyWith({ requestsPerSecond: null, valuesPerSecond: null }), 20)).toBe(0)
    expect(limiter.admit({ app: null, apiKey: { id: "key_2", limits: limits(1) } }).headers()).toMatchObject({
      ratelimit: expect.stringContaining('"requests";r=9;t=1'),
    })
  })

  test("do not concern another key of the app, nor another app", () => {
    const { start } = createDeployment()
    const limiter = start()
    admitted(limiter, keyWith(limits(1)), 20)
    expect(admitted(limiter, { app: APP, apiKey: { id: "key_2", limits: limits(1) } }, 5)).toBe(5)
    expect(admitted(limiter, { app: { ...APP, id: "app_2" }, apiKey: null }, 5)).toBe(5)
  })
})

describe("the limits of an app", () => {
  const app = { id: "app_1", limits: limits(1) }

  test("hold for all its keys and tokens together, and leave a refused key what it had", () => {
    const { start, pass } = createDeployment()
    const limiter = start()
    const key = { id: "key_1", limits: limits(1) }
    expect(admitted(limiter, { app, apiKey: null }, 4)).toBe(4)
    expect(admitted(limiter, { app, apiKey: { ...key, id: "key_2" } }, 10)).toBe(6)
    expect(refusalOf(() => limiter.admit({ app, apiKey: key })).message).toMatch(/^The app has reached/)
    pass(10_000)
    expect(admitted(limiter, { app, apiKey: key }, 20)).toBe(10)
  })

  test("are free again for others after 20 seconds, however much one key has done that could not be refused", () => {
    const { start, pass } = createDeployment()
    const limiter = start()
    const app = { id: "app_1", limits: limits(100, 100) }
    const [one, other] = ["key_1", "key_2"].map((id) => ({ app, apiKey: { id, limits: limits(100, 100) } }))
    if (one === undefined || other === undefined) throw new Error("There are two keys")
    for (let each = 0; each < 3; each++) limiter.admit(one).addValues(1_000_000)
    pass(20_000)
    limiter.admit(other).takeValues(1_000)
    pass(100_000)
    expect(refusalOf(() => limiter.admit(one).takeValues(1)).message).toMatch(/^The API key has reached/)
  })

  test("leave half to its keys, whatever those use up who have none", () => {
    const { start } = createDeployment()
    const limiter = start()
    const stranger = { app: { id: "app_1", limits: limits(10, 40) }, apiKey: null }
    expect(admitted(limiter, stranger, 200)).toBe(50)
    expect(refusalOf(() => limiter.admit(stranger)).message).toMatch(
      /^Requests to the app without an API key have reached their limit of 5 requests a second/,
    )
    const allowance = limiter.admit({ ...stranger, apiKey: { id: "key_1", limits: limits(10) } })
    expect(admitted(limiter, { ...stranger, apiKey: { id: "key_2", limits: limits(10) } }, 200)).toBe(49)
    allowance.takeValues(400)
  })

  test("are none for a request that acts as no app and has no key", () => {
    const { start } = createDeployment()
    expect(start().admit({ app: null, apiKey: null }).headers()).toBeNull()
  })
})

describe("processes that serve the same key", () => {
  const caller = keyWith(limits(10))
  const INTERVAL_MS = 10_000

  /** Asks each process as often in every second, and returns what they let through in each interval. */
  async function serve(
    { pass }: ReturnType<typeof createDeployment>,
    limiters: readonly ReturnType<typeof createLimiter>[],
    perSecond: readonly number[],
    intervals: number,
  ) {
    const through: number[] = []
    for (let interval = 0; interval < intervals; interval++) {
      let count = 0
      for (let second = 0; second < INTERVAL_MS / 1000; second++) {
        for (const [index, limiter] of limiters.entries()) {
          count += admitted(limiter, caller, perSecond[index] ?? 0)
          await limiter.settle()
        }
        pass(1_000)
      }
      through.push(count)
    }
    return through
  }

  test("divide the limit by what is asked of each, once they have told each other", async () => {
    const deployment = createDeployment()
    const limiters = [deployment.start(), deployment.start(), deployment.start(), deployment.start()]
    const through = await serve(deployment, limiters, [50, 30, 10, 10], 6)
    // The burst of each, then together 100 in ten seconds.
    expect(through[0]).toBeGreaterThan(200)
    for (const later of through.slice(2)) expect(later).toBeLessThanOrEqual(110)
    for (const later of through.slice(2)) expect(later).toBeGreaterThanOrEqual(80)
  })

  test("do not count for the app what a key is refused, so that other keys keep their part", async () => {
    const deployment = createDeployment()
    const [first, second] = [deployment.start(), deployment.start()]
    const app = { id: "app_1", limits: limits(50) }
    const leaked = { app, apiKey: { id: "key_1", limits: limits(10) } }
    const other = { app, apiKey: { id: "key_2", limits: limits(40) } }
    let through = 0
    for (let elapsed = 0; elapsed < 60; elapsed++) {
      admitted(first, leaked, 100)
      const count = admitted(second, other, 20)
      if (elapsed >= 20) through += count
      await first.settle()
      await second.settle()
      deployment.pass(1_000)
    }
    expect(through).toBe(40 * 20)
  })

  test("leave the whole limit to the one that is used", async () => {
    const deployment = createDeployment()
    const through = await serve(deployment, [deployment.start(), deployment.start()], [8, 0], 3)
    expect(through).toEqual([80, 80, 80])
  })

  test("get the whole limit again when the others are used no more", async () => {
    const deployment = createDeployment()
    const limiters = [deployment.start(), deployment.start()]
    await serve(deployment, limiters, [20, 20], 3)
    expect((await serve(deployment, limiters, [9, 0], 5)).at(-1)).toBe(90)
  })

  test("tell at most once in ten seconds, and nothing while they are hardly used, however long", async () => {
    const { table, pass, start } = createDeployment()
    let calls = 0
    const counting = {
      tally: async (...given: Parameters<typeof table.tally>) => {
        calls++
        return table.tally(...given)
      },
    }
    const limiter = start(counting)
    const quiet = keyWith(limits(2_000, 250_000))
    for (let second = 0; second < 300; second++) {
      if (second % 10 === 0) expect(admitted(limiter, quiet, 5)).toBe(5)
      await limiter.settle()
      pass(1_000)
    }
    expect(calls).toBe(0)
    for (let second = 0; second < 30; second++) {
      admitted(limiter, quiet, 100)
      await limiter.settle()
      pass(1_000)
    }
    // Of the key, and less often of the app, whose limit is higher.
    expect(calls).toBeGreaterThanOrEqual(3)
    expect(calls).toBeLessThanOrEqual(6)
  })

  test("go on alone when the table fails, and tell later what they could not", async () => {
    const deployment = createDeployment()
    const { table, warned, pass, start } = deployment
    let fails = true
    const failing = {
      tally: async (...given: Parameters<typeof table.tally>) => {
        if (fails) throw new Error("no table")
        return table.tally(...given)
      },
    }
    const limiter = start(failing)
    await limiter.settle()
    expect(admitted(limiter, caller, 60)).toBe(60)
    pass(10_000)
    await limiter.settle()
    expect(warned).toHaveLength(1)
    fails = false
    pass(10_000)
    limiter.admit(caller)
    await limiter.settle()
    const [usage] = await table.list("limits#key_1", "key")
    expect(Object.entries(usage ?? {})).toContainEqual([expect.stringMatching(/^r\d+$/), 61])
  })
})
