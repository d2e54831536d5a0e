import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { createDeliveryTurns, type Turn } from "./delivery-turns.ts"

const SECOND_MS = 1_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Creates turns whose clock only moves with `pass`. */
function world(random = 0.5) {
  let nowMs = 0
  const turns = createDeliveryTurns({ now: () => nowMs, random: () => random })
  const pass = async (ms: number) => {
    nowMs += ms
    await vi.advanceTimersByTimeAsync(ms)
  }
  /** Takes several turns at a time, and returns what has become of each so far. */
  const take = async (count: number, url = "a", appId = "app_1") => {
    const taken: (Turn | null)[] = Array.from({ length: count }, () => null)
    for (const index of taken.keys()) {
      turns.take(appId, url).then((turn) => {
        taken[index] = turn
      })
    }
    await vi.advanceTimersByTimeAsync(0)
    return taken
  }
  return { take, pass }
}

type TakenTurns = readonly (Turn | null)[]
const begun = (taken: TakenTurns) => taken.flatMap((turn) => (turn !== null && "end" in turn ? [turn] : []))
const putBack = (taken: TakenTurns) =>
  taken.flatMap((turn) => (turn !== null && "waitMs" in turn ? [turn.waitMs] : []))
const waiting = (taken: TakenTurns) => taken.filter((turn) => turn === null)
const endAll = (taken: TakenTurns, isSent = true) => {
  for (const { end } of begun(taken)) end(isSent)
}

describe("a destination that answers quickly", () => {
  test("has 20 turns at a time, and the waiting deliveries get theirs in order as others end", async () => {
    const { take } = world()
    const taken = await take(25)
    expect(begun(taken)).toHaveLength(20)
    expect(waiting(taken.slice(20))).toHaveLength(5)
    for (const { end } of begun(taken).slice(0, 2)) end(true)
    await take(0)
    expect(begun(taken.slice(20, 22))).toHaveLength(2)
    expect(waiting(taken.slice(22))).toHaveLength(3)
  })

  test("has 100 deliveries waiting for at most a second; the others come again in 1 to 5 seconds", async () => {
    const { take, pass } = world()
    const taken = await take(121)
    expect(waiting(taken)).toHaveLength(100)
    expect(putBack(taken)).toEqual([3 * SECOND_MS])
    await pass(SECOND_MS)
    expect(begun(taken)).toHaveLength(20)
    expect(putBack(taken)).toHaveLength(101)
  })

  test("stays as quick when a turn ends twice, and gets no quicker by one that sent nothing", async () => {
    const { take, pass } = world()
    const first = await take(20)
    for (const { end } of begun(first).slice(0, 1)) {
      end(true)
      end(true)
    }
    expect(begun(await take(2))).toHaveLength(1)
    endAll(first)
    const slow = await take(1, "b")
    await pass(SECOND_MS + 1)
    endAll(slow)
    endAll(await take(1, "b"), false)
    expect(begun(await take(20, "b"))).toHaveLength(4)
  })
})

describe("a destination that takes longer than a second", () => {
  test.each([
    [SECOND_MS, 20],
    [SECOND_MS + 1, 4],
  ])("to answer in %i ms has %i turns at a time", async (tookMs, turns) => {
    const { take, pass } = world()
    const first = await take(1)
    await pass(tookMs)
    endAll(first)
    const taken = await take(20)
    expect(begun(taken)).toHaveLength(turns)
    expect(waiting(taken)).toEqual([])
    expect(putBack(taken)).toEqual(Array.from({ length: 20 - turns }, () => 32_500))
  })

  test("is slow until it answers, and quick again once it answers quickly", async () => {
    const { take, pass } = world()
    const first = await take(2)
    await pass(SECOND_MS + 1)
    const second = await take(5)
    expect(begun(second)).toHaveLength(2)
    expect(putBack(second)).toHaveLength(3)
    endAll(first)
    endAll(second)
    expect(begun(await take(25))).toHaveLength(20)
  })

  test("takes no turns of other destinations", async () => {
    const { take, pass } = world()
    await take(200)
    await pass(SECOND_MS + 1)
    expect(putBack(await take(200))).toHaveLength(200)
    expect(begun(await take(20, "b"))).toHaveLength(20)
  })

  test("has its deliveries retried in 5 to 60 seconds", async () => {
    for (const [random, waitMs] of [
      [0, 5 * SECOND_MS],
      [1, 60 * SECOND_MS],
    ] as const) {
      const { take, pass } = world(random)
      await take(4)
      await pass(SECOND_MS + 1)
      expect(putBack(await take(1))).toEqual([waitMs])
    }
  })
})

test("leaves a destination that took 10 seconds alone for as long, with no delivery before that", async () => {
  const { take, pass } = world(0)
  const first = await take(1)
  await pass(10 * SECOND_MS)
  endAll(first)
  expect(putBack(await take(1))).toEqual([10 * SECOND_MS])
  await pass(10 * SECOND_MS - 1)
  expect(putBack(await take(1))).toEqual([5 * SECOND_MS])
  await pass(1)
  expect(begun(await take(1))).toHaveLength(1)
})

test("shares 100 turns among all slow destinations, separate from those of quick ones", async () => {
  const { take, pass } = world()
  for (let n = 0; n < 26; n++) await take(4, `slow-${n}`, `app_${n % 3}`)
  await pass(SECOND_MS + 1)
  expect(begun(await take(1, "slow-0", "app_0"))).toEqual([])
  const known = await take(1, "known", "app_3")
  await pass(SECOND_MS + 1)
  endAll(known)
  expect(putBack(await take(1, "known", "app_3"))).toHaveLength(1)
  expect(begun(await take(20, "quick", "app_3"))).toHaveLength(20)
})

test("gives an app 40 turns for all its slow destinations, and leaves the other turns to other apps", async () => {
  const { take, pass } = world()
  /** Takes turns of a destination that is slow from now on. */
  const takeSlow = async (url: string, appId: string) => {
    const first = await take(1, url, appId)
    await pass(SECOND_MS + 1)
    endAll(first)
    return take(4, url, appId)
  }
  const taken: TakenTurns[] = []
  for (let n = 0; n < 11; n++) taken.push(await takeSlow(`slow-${n}`, "greedy"))
  expect(taken.map((each) => begun(each).length)).toEqual([...Array(10).fill(4), 0])
  expect(begun(await takeSlow("slow", "other"))).toHaveLength(4)
  expect(begun(await take(20, "quick", "greedy"))).toHaveLength(20)
  endAll(taken[0] ?? [], false)
  expect(begun(await take(4, "slow-10", "greedy"))).toHaveLength(4)
})
