import { dyingWhen, exploreHistories } from "@sealway/ports/testing"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { cardNumberToken } from "../card-number-of.ts"
import { deleteEnrolled } from "../enrolments/change-enrolled.ts"
import { makeEnrolled, requireEnrolled, wakeWorker } from "../enrolments/keep-enrolled.ts"
import { holdMerchant, refuseUsedMerchant } from "../merchants/merchant-uses.ts"
import {
  RETRY_CONFIDENCES,
  RETRY_SIGNALS,
  type RetrySignal,
  type WatchStanding,
} from "../networks/messages/retries.ts"
import { requireRetryWatch } from "../retries/manage-retry-watches.ts"
import { newRetryWatch, WATCH_KEPT_MS, WATCH_MS, WATCH_STEPS } from "../retries/retry-watch.ts"
import { RETRY_WATCHES } from "../retries/retry-watch-kind.ts"
import { retryWatchSchema, showRetryWatch } from "../retries/show-retry-watch.ts"
import { applySignal } from "../retries/signal-retry-watch.ts"
import { DEATHS, expectSettled, happeningsAround, letHappen } from "../testing/histories.ts"
import { PRODUCTION_APP as APP, AUTHOR, createWorld } from "../testing/world.ts"

const NUMBER = "5200001357924681"
const MERCHANT = "merchant_00000000000000000000000000"
const EXPIRY = { month: "09", year: "39" }
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const LAST_FOUR = NUMBER.slice(-4)

type World = Awaited<ReturnType<typeof createWorld>>

/** Creates a watch as `POST /payments/retry-watches` does. */
async function watch(world: World): Promise<string> {
  const { dependencies } = world
  const nowMs = world.now()
  const id = dependencies.draws.newId("retry_watch", nowMs)
  const number = await cardNumberToken(dependencies, APP, { digits: NUMBER, token: null })
  const given = {
    merchantId: MERCHANT,
    card: { number, expiry: EXPIRY },
    lastFour: LAST_FOUR,
    declinedAmount: 1_000,
    currency: "eur",
    declinedAt: nowMs,
  }
  const made = newRetryWatch(id, APP.id, given, nowMs)
  await holdMerchant(dependencies.paymentsTable, APP, MERCHANT, { type: "retry-watch", id, since: nowMs })
  await makeEnrolled(RETRY_WATCHES, dependencies, APP, made)
  await wakeWorker(RETRY_WATCHES, dependencies, APP, made)
  return id
}

const find = (world: World, id: string) => requireEnrolled(RETRY_WATCHES, world.dependencies, APP, id)
const show = async (world: World, id: string) =>
  showRetryWatch(await requireRetryWatch(world.dependencies, APP, id))
const isHeld = (world: World) =>
  refuseUsedMerchant(world.dependencies.paymentsTable, APP, MERCHANT, world.now()).then(
    () => false,
    () => true,
  )
const remove = async (world: World, id: string) =>
  deleteEnrolled(RETRY_WATCHES, world.dependencies, APP, id, AUTHOR)

/** Signals as a network does, repeatedly until it is accepted. */
async function signal(world: World, id: string, given: RetrySignal, occurredAt = world.now(), round = 1) {
  const news = { id, round, signal: given, confidence: "medium" as const, occurredAt }
  for (;;) if (await world.mortal(() => applySignal(APP, news, world.dependencies))) return
}

/** Lets days pass, in which a sweeper finds work that has no message left. */
async function pass(world: World, days: number) {
  for (let quarters = 0; quarters < days * 4; quarters++) {
    await world.sweep(30 * MINUTE_MS)
    await world.work(6 * HOUR_MS)
  }
}

describe("the worker of retry watches", () => {
  test("asks the network once, then keeps nothing of the number, and sends its app no event", async () => {
    const numbers: string[] = []
    const world = await createWorld({
      decideWatch: ({ number }) => {
        numbers.push(number)
        return { status: "watching" }
      },
    })
    const id = await watch(world)
    expect((await find(world, id)).details.card).not.toBeNull()
    await pass(world, 2)
    expect(numbers).toEqual([NUMBER])
    expect((await find(world, id)).details.card).toBeNull()
    expect(world.events()).toEqual([])
    expect(world.pending()).toEqual([])
    expect(world.daily()).toHaveLength(1)
    expect(await isHeld(world)).toBe(true)
  })

  test("asks again with the number as long as the network requires it", async () => {
    const world = await createWorld({
      decideWatch: ({ asks }) =>
        asks === 1
          ? { status: "watching", checkAfterMs: MINUTE_MS }
          : { status: "signalled", signal: "stop", confidence: "low" },
    })
    const id = await watch(world)
    await world.work(HOUR_MS)
    expect(world.asked.get(`${id}.1`)).toBe(2)
    expect(await show(world, id)).toMatchObject({ status: "stopped" })
    expect((await find(world, id)).details.card).toBeNull()
    expect(world.events()).toEqual([
      {
        id: expect.any(String),
        type: "payments.intelligent-retries.signal",
        data: { watch: id, signal: "stop", confidence: "low", occurredAt: expect.any(Number) },
      },
    ])
  })

  test("sends its app the first signal only, whatever comes after it by whatever message", async () => {
    const world = await createWorld()
    const id = await watch(world)
    await world.work(MINUTE_MS)
    await signal(world, id, "retry-now", world.now() - 5)
    for (const given of ["retry-now", "stop", "retry-now"] as const) await signal(world, id, given)
    await world.work(HOUR_MS)
    expect(await show(world, id)).toMatchObject({ status: "signalled", updatedAt: expect.any(Number) })
    expect(world.events().map(({ data }) => data)).toEqual([
      { watch: id, signal: "retry-now", confidence: "medium", occurredAt: expect.any(Number) },
    ])
    expect(world.withdrawn).toEqual(new Set([`${id}.1`]))
    expect(await isHeld(world)).toBe(false)
  })

  test("accepts a signal by a clock that is behind, which is older than the watch", async () => {
    const world = await createWorld()
    const id = await watch(world)
    await world.work(MINUTE_MS)
    await signal(world, id, "retry-now", 1)
    expect(await show(world, id)).toMatchObject({ status: "signalled" })
  })

  test("ignores a signal of another request, of a deleted watch and of none", async () => {
    const world = await createWorld()
    const id = await watch(world)
    await world.work(MINUTE_MS)
    await signal(world, id, "retry-now", world.now(), 2)
    expect(await show(world, id)).toMatchObject({ status: "watching" })
    await remove(world, id)
    await signal(world, id, "retry-now")
    await signal(world, "retry_watch_00000000000000000000000000", "retry-now")
    await world.work(HOUR_MS)
    expect(world.events()).toEqual([])
  })

  test.each([
    ["watched", false],
    ["could not be watched", true],
  ])("expires after 30 days a card that was %s, and is gone after 90", async (_, isUnavailable) => {
    const world = await createWorld()
    world.setUnavailable(isUnavailable)
    const id = await watch(world)
    const { createdAt } = await find(world, id)
    await pass(world, 29)
    world.advance(createdAt + WATCH_MS - 1 - world.now())
    expect(await show(world, id)).toMatchObject({ status: "watching" })
    world.advance(1)
    // Before any worker has checked it.
    expect(await show(world, id)).toMatchObject({ status: "expired", updatedAt: createdAt + WATCH_MS })
    await signal(world, id, "retry-now")
    world.setUnavailable(false)
    await pass(world, 2)
    expect((await find(world, id)).details).toMatchObject({ status: "expired", card: null, signal: null })
    expect(world.events()).toEqual([])
    expect(world.withdrawn).toEqual(new Set([`${id}.1`]))
    expect(await isHeld(world)).toBe(false)
    expect([...world.pending(), ...world.daily()]).toEqual([])
    world.advance(WATCH_KEPT_MS)
    await expect(show(world, id)).rejects.toMatchObject({ code: "not-found" })
  })

  test("ends a deleted watch at the network, when it dies at any one call", async () => {
    await exploreHistories(async (explored) => {
      const world = await createWorld({ explored })
      explored.begin()
      const id = await watch(world)
      await world.work(MINUTE_MS)
      await world.mortal(() => remove(world, id))
      for (let hours = 0; hours < 3; hours++) {
        await world.sweep(30 * MINUTE_MS)
        await world.work(HOUR_MS)
      }
      const isThere = (await RETRY_WATCHES.table.find(world.dependencies, APP, id)) !== null
      if (isThere) await remove(world, id)
      await pass(world, 2)
      expect(world.withdrawn).toEqual(new Set([`${id}.1`]))
      expect(world.kept()).toEqual([])
    })
  })

  test("sends its app a signal once, wherever a process dies", async () => {
    await exploreHistories(async (explored) => {
      const world = await createWorld({ explored })
      const id = await watch(world)
      await world.work(MINUTE_MS)
      explored.begin()
      await signal(world, id, "stop")
      await pass(world, 1)
      expect(world.events()).toHaveLength(1)
      expect(await isHeld(world)).toBe(false)
      expectSettled(world)
    })
  })

  test("lists a watch for daily checks, wherever a worker dies whose message is then lost", async () => {
    await exploreHistories(async (explored) => {
      const world = await createWorld({ explored })
      await watch(world)
      explored.begin()
      await world.work(MINUTE_MS)
      world.loseMessages()
      await pass(world, 1)
      expect(world.pending()).toEqual([])
      expect(world.daily()).toHaveLength(1)
    })
  })

  test("keeps nothing readable of a watch except its names", async () => {
    const world = await createWorld()
    const id = await watch(world)
    await signal(world, id, "retry-now")
    await world.work(MINUTE_MS)
    const kept = JSON.stringify([...world.paymentsTable.items], (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    )
    const told = JSON.stringify([world.messages, world.audited, world.logged])
    for (const part of [NUMBER, NUMBER.slice(0, 9), NUMBER.slice(7)]) expect(kept + told).not.toContain(part)
    expect(kept).not.toMatch(/signalled|retry-now|eur/)
  })
})

const standing: fc.Arbitrary<WatchStanding> = fc.oneof(
  fc.constant<WatchStanding>({ status: "watching" }),
  fc.constant<WatchStanding>({ status: "watching", checkAfterMs: MINUTE_MS }),
  fc.record({
    status: fc.constant("signalled" as const),
    signal: fc.constantFrom(...RETRY_SIGNALS),
    confidence: fc.constantFrom(...RETRY_CONFIDENCES),
  }),
)
const happening = fc.oneof(
  fc.record({
    what: fc.constant("signal" as const),
    signal: fc.constantFrom(...RETRY_SIGNALS),
    agoMs: fc.nat(100_000),
    round: fc.constantFrom(1, 1, 1, 2),
  }),
  ...happeningsAround(1, MINUTE_MS, DAY_MS, 12 * DAY_MS),
)

test("ends a retry watch once, with one event, in any order of events", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { maxLength: 20 }),
      DEATHS,
      fc.infiniteStream(standing),
      async (happenings, dies, standings) => {
        let isOver = false
        const world = await createWorld({
          explored: dyingWhen(() => !isOver && dies.next().value === true),
          decideWatch: () =>
            isOver ? { status: "watching" } : (standings.next().value ?? { status: "watching" }),
        })
        const id = await watch(world)
        let { status } = await show(world, id)
        for (const each of happenings) {
          if (world.now() > (await find(world, id)).createdAt + 60 * DAY_MS) break
          if (each.what === "signal") {
            await signal(world, id, each.signal, world.now() - each.agoMs, each.round)
          } else await letHappen(world, each)
          const shown = retryWatchSchema.parse(await show(world, id))
          if (shown.status !== status) expect(Object.values(WATCH_STEPS[status])).toContain(shown.status)
          status = shown.status
        }
        isOver = true
        world.setUnavailable(false)
        await pass(world, 2)
        const ended = await show(world, id)
        const told = world.events().map(({ data }) => data)
        const { signal: last } = (await find(world, id)).details
        expect(told).toEqual(last === null ? [] : [{ watch: id, ...last }])
        expect(last !== null).toBe(ended.status === "signalled" || ended.status === "stopped")
        expectSettled(world)
        expect(await isHeld(world)).toBe(ended.status === "watching")
        expect(world.daily()).toHaveLength(ended.status === "watching" ? 1 : 0)
        await remove(world, id)
        await world.work(DAY_MS)
        expect(world.kept()).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
}, 120_000)
