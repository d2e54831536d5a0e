import { dyingWhen, exploreHistories } from "@sealway/ports/testing"
import { parseToken } from "@sealway/tokens"
import { createTokenOpener } from "@sealway/vault"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { CARD_STEPS, type Card, newCard } from "../cards/card.ts"
import { CARDS, cardDecisionOf } from "../cards/card-kind.ts"
import { claimNumber } from "../cards/card-numbers.ts"
import { cardSchema, showCard } from "../cards/show-card.ts"
import { applyEnrolmentNews } from "../enrolments/apply-news.ts"
import { deleteEnrolled } from "../enrolments/change-enrolled.ts"
import { untilDailyCheck } from "../enrolments/daily-checks.ts"
import { makeEnrolled, requireEnrolled, wakeWorker } from "../enrolments/keep-enrolled.ts"
import { namePending } from "../enrolments/pending-enrolments.ts"
import type { CardStanding } from "../networks/messages/card-updates.ts"
import { numberKeyOf } from "../number-key.ts"
import { openOwnNumber } from "../own-number.ts"
import { DEATHS, expectSettled, happeningsAround, letHappen, restartDaily } from "../testing/histories.ts"
import { PRODUCTION_APP as APP, AUTHOR, createWorld } from "../testing/world.ts"

const NUMBER = "4000001357924687"
const NEW_NUMBER = "4000001357924695"
const EXPIRY = { month: "09", year: "39" }
const LATER = { month: "09", year: "44" }
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const ENABLED: CardStanding = { status: "active", automaticUpdates: "enabled" }
const REPLACED: CardStanding = { status: "replaced", replacement: { number: NEW_NUMBER, expiry: LATER } }

type World = Awaited<ReturnType<typeof createWorld>>

/** Stores a card as `POST /payments/cards` does. */
async function register(world: World, digits = NUMBER, role?: string): Promise<string> {
  const { dependencies } = world
  const { paymentsTable, draws, keyring } = dependencies
  const numberKey = await numberKeyOf(dependencies, APP, digits)
  let newId = ""
  // No test starts when the daily check is due.
  do newId = draws.newId("card", world.now())
  while (Math.abs(untilDailyCheck(newId, world.now()) - 12 * HOUR_MS) > 10 * HOUR_MS)
  const id = await claimNumber(paymentsTable, APP, { numberKey, newId, isFree: async () => false })
  const metadata = role === undefined ? undefined : { role, encryptedAt: 1 }
  const { sealingKeys } = await keyring.newest(APP, "public")
  const number = sealingKeys.current().seal("string", Buffer.from(digits), metadata)
  const given = {
    number,
    numberKey,
    digits,
    expiry: EXPIRY,
    facts: { brand: "visa" as const },
    isUpdated: true,
  }
  const card = newCard(id, APP.id, given, world.now())
  await makeEnrolled(CARDS, dependencies, APP, card)
  await wakeWorker(CARDS, dependencies, APP, card)
  return id
}

const find = (world: World, id: string): Promise<Card> => requireEnrolled(CARDS, world.dependencies, APP, id)
const show = async (world: World, id: string) => showCard(await find(world, id))
const numberOf = async (world: World, id: string) =>
  openOwnNumber(world.dependencies.keyring, APP, (await show(world, id)).number)

/** Reports for a network, repeatedly until it is accepted. */
async function tell(world: World, id: string, standing: CardStanding, occurredAt = world.now()) {
  const answer = cardDecisionOf(standing, id, world.now())
  const news = { id, round: 1, occurredAt, answer }
  for (;;) {
    if (await world.mortal(() => applyEnrolmentNews(CARDS, APP, news, world.dependencies))) return
  }
}

/** Returns the cards except the one with an id. */
const othersThan = (world: World, id: string) =>
  world.kept().flatMap((key) => /card_[0-9a-z]+$/.exec(key)?.filter((each) => each !== id) ?? [])

async function sweepFor(world: World, days: number) {
  for (let quarter = 0; quarter < days * 96; quarter++) {
    await world.sweep(30 * MINUTE_MS)
    await world.work(15 * MINUTE_MS)
  }
}

describe("the card worker", () => {
  test("asks the network once a day, and does not list a card as pending for longer than necessary", async () => {
    const world = await createWorld()
    const id = await register(world)
    await world.work(MINUTE_MS)
    expect(world.asked.get(`${id}.1`)).toBe(1)
    expect(world.pending()).toEqual([])
    expect(world.daily()).toHaveLength(1)
    await sweepFor(world, 3)
    expect(world.asked.get(`${id}.1`)).toBe(4)
    expect(world.events()).toEqual([])
  })

  test("waits for the daily check, and for a network that is down, in a queue apart from that of merchants", async () => {
    const world = await createWorld()
    const id = await register(world)
    await world.work(MINUTE_MS)
    const merchant = { type: "merchant", appId: APP.id, id: "merchant_00000000000000000000000000" } as const
    await namePending(world.paymentsTable, merchant, world.now(), 1)
    world.advance(DAY_MS)
    world.setUnavailable(true)
    await world.sweep(30 * MINUTE_MS)
    const waiting = () => world.messages.map(({ queue, body }) => [queue, JSON.parse(body).id])
    expect(waiting().sort()).toEqual([
      ["card-checks", id],
      ["enrolments", merchant.id],
    ])
    await world.work(MINUTE_MS)
    expect(waiting()).toEqual([["card-checks", id]])
  })

  test("learns the new number from the daily check, and continues with the replacement", async () => {
    const world = await createWorld({
      decideCard: ({ number, asks }) => (number === NUMBER && asks > 1 ? REPLACED : ENABLED),
    })
    const id = await register(world)
    await world.work(MINUTE_MS)
    await sweepFor(world, 2)
    const card = await show(world, id)
    expect(card).toMatchObject({ status: "replaced", automaticUpdates: "enabled" })
    const successor = String(card.replacement)
    expect(await show(world, successor)).toMatchObject({
      status: "active",
      automaticUpdates: "enabled",
      expiry: LATER,
      lastFour: "4695",
      brand: "visa",
      bin: "40000013",
    })
    expect(await numberOf(world, successor)).toBe(NEW_NUMBER)
    expect(world.events()).toEqual([{ id: expect.any(String), type: "payments.card.updated", data: card }])
    expect(world.withdrawn).toEqual(new Set([`${id}.1`]))
    expect(world.daily()).toHaveLength(1)
    expect(world.asked.get(`${successor}.1`)).toBeGreaterThan(1)
  })

  test("seals the number of a replacement with the data role of the number before", async () => {
    const world = await createWorld({ decideCard: ({ number }) => (number === NUMBER ? REPLACED : ENABLED) })
    const id = await register(world, NUMBER, "pci")
    await world.work(MINUTE_MS)
    const { number } = await show(world, String((await show(world, id)).replacement))
    const token = parseToken(number)
    if (token === null) throw new Error("The number is not a token")
    const opened = await createTokenOpener(world.dependencies.keyring, APP).openToken(token)
    expect({ ...opened, value: opened.value?.toString() }).toMatchObject({ role: "pci", value: NEW_NUMBER })
  })

  test("never replaces a card by its current state, and keeps asking", async () => {
    const same: CardStanding = { status: "replaced", replacement: { number: NUMBER, expiry: EXPIRY } }
    const world = await createWorld({ decideCard: () => same })
    const id = await register(world)
    await world.work(MINUTE_MS)
    await sweepFor(world, 2)
    expect(await show(world, id)).toMatchObject({ status: "active", replacement: null })
    expect(world.asked.get(`${id}.1`)).toBe(3)
    expect(world.events()).toEqual([])
  })

  test("publishes that the issuer does not take part, and that it later does", async () => {
    const world = await createWorld({
      decideCard: ({ asks }) =>
        asks === 1 ? { status: "active", automaticUpdates: "issuer-not-enrolled" } : ENABLED,
    })
    const id = await register(world)
    await world.work(MINUTE_MS)
    expect(await show(world, id)).toMatchObject({ automaticUpdates: "issuer-not-enrolled", status: "active" })
    await sweepFor(world, 1)
    expect(await show(world, id)).toMatchObject({ automaticUpdates: "enabled" })
    expect(world.events()).toHaveLength(2)
  })

  test("creates one replacement and publishes it once when it dies at any one call", async () => {
    await exploreHistories(async (explored) => {
      const world = await createWorld({
        explored,
        decideCard: ({ number, asks }) => (number === NUMBER && asks > 1 ? REPLACED : ENABLED),
      })
      explored.begin()
      const id = await register(world)
      await world.work(MINUTE_MS)
      await sweepFor(world, 1)
      await world.restart()
      await world.work(HOUR_MS)
      await sweepFor(world, 1)
      // A process that died just now leaves a message that is invisible for minutes.
      await world.work(HOUR_MS)
      const card = await show(world, id)
      expect(card).toMatchObject({ status: "replaced" })
      expect(new Set(othersThan(world, id))).toEqual(new Set([card.replacement]))
      expect(await show(world, String(card.replacement))).toMatchObject({ status: "active" })
      expect(world.events()).toHaveLength(1)
      expect(world.events()[0]?.data).toEqual(card)
      expect(world.pending()).toEqual([])
      expect(world.messages).toEqual([])
    })
  }, 120_000)

  test("changes nothing when the network reports again, late, or about the past", async () => {
    const world = await createWorld()
    const id = await register(world)
    await world.work(MINUTE_MS)
    const toldAt = world.now()
    await tell(world, id, REPLACED)
    await tell(world, id, REPLACED, toldAt)
    await tell(world, id, { status: "closed" })
    await tell(world, id, ENABLED, 1)
    await world.work(MINUTE_MS)
    const card = await show(world, id)
    expect(card).toMatchObject({ status: "replaced" })
    expect(othersThan(world, id)).toContain(card.replacement)
    expect(world.events()).toHaveLength(1)
  })

  test("keeps asking every day after the network's own reports", async () => {
    const world = await createWorld()
    const id = await register(world)
    await world.work(MINUTE_MS)
    await tell(world, id, { status: "active", automaticUpdates: "issuer-not-enrolled" })
    await world.work(MINUTE_MS)
    await sweepFor(world, 1)
    expect(world.asked.get(`${id}.1`)).toBe(2)
    expect(await show(world, id)).toMatchObject({ automaticUpdates: "enabled" })
  })

  test("checks all cards when the service restarts, and all of a day after it was down", async () => {
    const world = await createWorld()
    const ids = [await register(world), await register(world, NEW_NUMBER)]
    await world.work(MINUTE_MS)
    await world.sweep(30 * MINUTE_MS)
    world.advance(3 * DAY_MS)
    await world.sweep(30 * MINUTE_MS)
    await world.work(MINUTE_MS)
    expect(ids.map((id) => world.asked.get(`${id}.1`))).toEqual([2, 2])
    await world.restart()
    await world.work(MINUTE_MS)
    expect(ids.map((id) => world.asked.get(`${id}.1`))).toEqual([2, 2])
  })

  test("ends a deleted card's registration at the network, then forgets it", async () => {
    const world = await createWorld()
    const id = await register(world)
    await world.work(MINUTE_MS)
    await deleteEnrolled(CARDS, world.dependencies, APP, id, AUTHOR)
    await world.work(HOUR_MS)
    expect(world.withdrawn).toEqual(new Set([`${id}.1`]))
    expect(world.kept()).toEqual([])
  })

  test("stores no readable number, and puts none into messages, logs or the audit log", async () => {
    const world = await createWorld({ decideCard: ({ asks }) => (asks > 1 ? REPLACED : ENABLED) })
    world.setUnavailable(true)
    await register(world)
    await world.work(MINUTE_MS)
    world.setUnavailable(false)
    await sweepFor(world, 1)
    const kept = JSON.stringify([...world.paymentsTable.items], (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    )
    const told = JSON.stringify([world.messages, world.audited, world.logged, world.published])
    for (const number of [NUMBER, NEW_NUMBER]) {
      for (const part of [number, number.slice(0, 9), number.slice(7)])
        expect(kept + told).not.toContain(part)
    }
    expect(kept).not.toContain("4687")
  })
})

const standing: fc.Arbitrary<CardStanding> = fc.constantFrom<CardStanding>(
  ENABLED,
  { status: "active", automaticUpdates: "issuer-not-enrolled" },
  { status: "pending", checkAfterMs: MINUTE_MS },
  REPLACED,
  { status: "replaced", replacement: { expiry: LATER } },
  { status: "closed" },
  { status: "invalid" },
)
const happening = fc.oneof(
  fc.record({ what: fc.constant("news" as const), standing, agoMs: fc.nat(100_000) }),
  ...happeningsAround(1, MINUTE_MS, DAY_MS),
)

test("a card only changes as its state table allows, published once, for any events in any order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { maxLength: 20 }),
      DEATHS,
      fc.infiniteStream(standing),
      async (happenings, dies, standings) => {
        let isOver = false
        const world = await createWorld({
          explored: dyingWhen(() => !isOver && dies.next().value === true),
          decideCard: () => (isOver ? ENABLED : (standings.next().value ?? ENABLED)),
        })
        const id = await register(world)
        let { status } = await show(world, id)
        for (const each of happenings) {
          if (each.what === "news") await tell(world, id, each.standing, world.now() - each.agoMs)
          else await letHappen(world, each)
          const card = cardSchema.parse(await show(world, id))
          if (card.status !== status) expect(Object.values(CARD_STEPS[status])).toContain(card.status)
          expect(card.replacement !== null).toBe(card.status === "replaced")
          if (card.replacement !== null) await show(world, card.replacement)
          status = card.status
        }
        isOver = true
        world.setUnavailable(false)
        await restartDaily(world)
        const card = await show(world, id)
        const told = world.events().filter(({ data }) => (data as { id: string }).id === id)
        // The last event matches the current state.
        const { updatedAt: _, ...unchanged } = card
        const last: unknown = told.at(-1)?.data ?? unchanged
        expect(last).toEqual(card)
        expectSettled(world)
        expect(card.automaticUpdates === "disabled").toBe(card.status === "invalid")
      },
    ),
    { numRuns: 60 },
  )
}, 120_000)
