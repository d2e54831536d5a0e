import { dyingWhen, exploreHistories } from "@sealway/ports/testing"
import { parseToken } from "@sealway/tokens"
import { createTokenOpener } from "@sealway/vault"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { showSubscription, subscriptionSchema } from "../account-updater/show-subscription.ts"
import { MAX_NUMBER_KEYS, newSubscription } from "../account-updater/subscription.ts"
import { SUBSCRIPTIONS } from "../account-updater/subscription-kind.ts"
import { claimSubscription, subscriptionKeyOf } from "../account-updater/subscription-numbers.ts"
import { applyUpdate } from "../account-updater/take-update.ts"
import { applyEnrolmentNews } from "../enrolments/apply-news.ts"
import { deleteEnrolled } from "../enrolments/change-enrolled.ts"
import { makeEnrolled, requireEnrolled, wakeWorker } from "../enrolments/keep-enrolled.ts"
import { holdMerchant, refuseUsedMerchant } from "../merchants/merchant-uses.ts"
import type { AccountUpdate, SubscriptionAnswer } from "../networks/messages/account-updater.ts"
import { openOwnNumber } from "../own-number.ts"
import { DEATHS, expectSettled, happeningsAround, letHappen, restartDaily } from "../testing/histories.ts"
import { PRODUCTION_APP as APP, AUTHOR, createWorld } from "../testing/world.ts"

const NUMBER = "4000001357924687"
const NEW_NUMBER = "4000001357924695"
const MERCHANT = "merchant_00000000000000000000000000"
const EXPIRY = { month: "09", year: "39" }
const LATER = { month: "09", year: "44" }
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const CLOSURE: AccountUpdate = { updateType: "account-closure" }
const NEW_CARD: AccountUpdate = {
  updateType: "new-account-number",
  replacement: { number: NEW_NUMBER, expiry: LATER },
}

type World = Awaited<ReturnType<typeof createWorld>>

/** Creates a subscription as `POST /payments/account-updater/subscriptions` does. */
async function subscribe(world: World, digits = NUMBER, role?: string): Promise<string> {
  const { dependencies } = world
  const { paymentsTable, draws } = dependencies
  const nowMs = world.now()
  const numberKey = await subscriptionKeyOf(dependencies, APP, MERCHANT, digits)
  const newId = draws.newId("card_subscription", nowMs)
  const id = await claimSubscription(dependencies, APP, numberKey, newId)
  await holdMerchant(paymentsTable, APP, MERCHANT, { type: "card-subscription", id, since: nowMs })
  const { sealingKeys } = await dependencies.keyring.newest(APP, "public")
  const metadata = role === undefined ? undefined : { role, encryptedAt: 1 }
  const number = sealingKeys.current().seal("string", Buffer.from(digits), metadata)
  const given = { merchantId: MERCHANT, number, numberKey, lastFour: digits.slice(-4), expiry: EXPIRY }
  const made = newSubscription(id, APP.id, { ...given, brand: "visa" }, nowMs)
  await makeEnrolled(SUBSCRIPTIONS, dependencies, APP, made)
  await wakeWorker(SUBSCRIPTIONS, dependencies, APP, made)
  return id
}

const find = (world: World, id: string) => requireEnrolled(SUBSCRIPTIONS, world.dependencies, APP, id)
const show = async (world: World, id: string) => showSubscription(await find(world, id))
const numberOf = async (world: World, id: string) =>
  openOwnNumber(world.dependencies.keyring, APP, (await find(world, id)).details.number)
const remove = async (world: World, id: string) =>
  deleteEnrolled(SUBSCRIPTIONS, world.dependencies, APP, id, AUTHOR)
const isHeld = (world: World) =>
  refuseUsedMerchant(world.dependencies.paymentsTable, APP, MERCHANT, world.now()).then(
    () => false,
    () => true,
  )
const claims = (world: World) => world.kept().filter((key) => key.includes("card-subscription-number#"))

/** Reports an update as a network does, repeatedly until it is accepted. */
async function tell(world: World, id: string, sequence: number, update: AccountUpdate, round = 1) {
  const news = { id, round, sequence, occurredAt: world.now(), update }
  for (;;) if (await world.mortal(() => applyUpdate(APP, news, world.dependencies))) return
}

/** Returns what receivers were told. */
const told = (world: World) =>
  world.events().map(({ type, data }) => {
    expect(type).toBe("payments.account-updater.updated")
    return data as { subscription: string; updateType: string; replacement?: { number: string } }
  })

describe("the worker of subscriptions", () => {
  test("asks the network once, and sends no event when the subscription is active", async () => {
    const world = await createWorld()
    const id = await subscribe(world)
    expect(await show(world, id)).toMatchObject({ status: "pending" })
    await world.work(HOUR_MS)
    expect(await show(world, id)).toEqual({
      id,
      merchant: MERCHANT,
      status: "active",
      card: { lastFour: "4687", brand: "visa", expiry: EXPIRY },
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    })
    for (let days = 0; days < 3; days++) {
      await world.sweep(30 * MINUTE_MS)
      await world.work(DAY_MS)
    }
    expect(world.asked.get(`${id}.1`)).toBe(1)
    expect(world.events()).toEqual([])
    expect([world.pending(), world.daily()]).toEqual([[], []])
  })

  test("asks again while the network is undecided, and accepts its decision also when it sends it by itself", async () => {
    const decide = ({ asks }: { asks: number }): SubscriptionAnswer =>
      asks === 1 ? { status: "pending", checkAfterMs: MINUTE_MS } : { status: "pending" }
    const world = await createWorld({ decideSubscription: decide })
    const id = await subscribe(world)
    await world.work(5 * MINUTE_MS)
    expect(world.asked.get(`${id}.1`)).toBe(2)
    const news = { id, round: 1, occurredAt: world.now(), answer: { status: "failed" } as const }
    await applyEnrolmentNews(SUBSCRIPTIONS, APP, news, world.dependencies)
    await world.work(HOUR_MS)
    expect(await show(world, id)).toMatchObject({ status: "failed" })
    expect(world.events()).toEqual([])
    expect(world.pending()).toEqual([])
  })

  test("accepts an update that comes before the network has answered that the subscription is active", async () => {
    const world = await createWorld()
    const id = await subscribe(world)
    await tell(world, id, 1, NEW_CARD)
    await world.work(HOUR_MS)
    expect(await show(world, id)).toMatchObject({ status: "active", card: { lastFour: "4695" } })
    expect(told(world)).toHaveLength(1)
  })

  test("follows the new number, which then finds it, and reports it as a token", async () => {
    const world = await createWorld()
    const id = await subscribe(world)
    await world.work(MINUTE_MS)
    const occurredAt = world.now()
    await tell(world, id, 1, NEW_CARD)
    await world.work(MINUTE_MS)
    const { number } = (await find(world, id)).details
    expect(told(world)).toEqual([
      {
        subscription: id,
        updateType: "new-account-number",
        replacement: { number, expiry: LATER },
        occurredAt,
      },
    ])
    expect(await numberOf(world, id)).toBe(NEW_NUMBER)
    for (const digits of [NUMBER, NEW_NUMBER]) {
      const key = await subscriptionKeyOf(world.dependencies, APP, MERCHANT, digits)
      expect(await claimSubscription(world.dependencies, APP, key, "card_subscription_0")).toBe(id)
    }
  })

  test("seals the new number with the data role of the one before", async () => {
    const world = await createWorld()
    const id = await subscribe(world, NUMBER, "pci")
    await tell(world, id, 1, NEW_CARD)
    const token = parseToken((await find(world, id)).details.number)
    if (token === null) throw new Error("The number is not a token")
    const opened = await createTokenOpener(world.dependencies.keyring, APP).openToken(token)
    expect({ ...opened, value: opened.value?.toString() }).toMatchObject({ role: "pci", value: NEW_NUMBER })
  })

  test("releases the new number of an update that lost against the deletion", async () => {
    const world = await createWorld()
    const id = await subscribe(world)
    await world.work(MINUTE_MS)
    const { paymentsTable } = world.dependencies
    let isDeleted = false
    const racing = {
      ...paymentsTable,
      replace: async (...args: Parameters<typeof paymentsTable.replace>) => {
        if (!isDeleted) {
          isDeleted = true
          await remove(world, id)
        }
        return paymentsTable.replace(...args)
      },
    }
    const news = { id, round: 1, sequence: 1, occurredAt: world.now(), update: NEW_CARD }
    await applyUpdate(APP, news, { ...world.dependencies, paymentsTable: racing })
    await world.work(HOUR_MS)
    expect(world.events()).toEqual([])
    expect(world.kept()).toEqual([])
  })

  test("leaves a number to the subscription that has it already", async () => {
    const world = await createWorld()
    const ids = [await subscribe(world), await subscribe(world, NEW_NUMBER)] as const
    await tell(world, ids[0], 1, NEW_CARD)
    await world.work(MINUTE_MS)
    expect(await numberOf(world, ids[0])).toBe(NEW_NUMBER)
    await remove(world, ids[0])
    await world.work(MINUTE_MS)
    expect(await subscribe(world, NEW_NUMBER)).toBe(ids[1])
  })

  test("ends with a closure: the network is told, and the number and the merchant are free", async () => {
    const world = await createWorld()
    const id = await subscribe(world)
    await world.work(MINUTE_MS)
    expect(await isHeld(world)).toBe(true)
    await tell(world, id, 1, NEW_CARD)
    await tell(world, id, 2, CLOSURE)
    await tell(world, id, 3, { updateType: "contact-cardholder" })
    await world.work(HOUR_MS)
    expect(await show(world, id)).toMatchObject({ status: "ended", card: { lastFour: "4695" } })
    expect(told(world).map(({ updateType }) => updateType)).toEqual(["new-account-number", "account-closure"])
    expect(world.withdrawn).toEqual(new Set([`${id}.1`]))
    expect(await isHeld(world)).toBe(false)
    expect(claims(world)).toEqual([])
    expect(await subscribe(world)).not.toBe(id)
  })

  test("accepts no update of an earlier request to subscribe, nor of a deleted subscription", async () => {
    const world = await createWorld()
    const id = await subscribe(world)
    await world.work(MINUTE_MS)
    await tell(world, id, 1, NEW_CARD, 2)
    expect(await show(world, id)).toMatchObject({ card: { lastFour: "4687" } })
    world.setUnavailable(true)
    await remove(world, id)
    await tell(world, id, 1, NEW_CARD)
    expect(claims(world)).toHaveLength(1)
    world.setUnavailable(false)
    await world.work(DAY_MS)
    expect(world.events()).toEqual([])
    expect(world.kept()).toEqual([])
  })

  test("forgets old numbers, however often the network changes the number", async () => {
    const world = await createWorld()
    const id = await subscribe(world)
    for (let sequence = 1; sequence <= MAX_NUMBER_KEYS + 5; sequence++) {
      const number = `40000013579${String(sequence).padStart(5, "0")}`
      await tell(world, id, sequence, {
        updateType: "new-account-number" as const,
        replacement: { number, expiry: LATER },
      })
    }
    expect(claims(world)).toHaveLength(MAX_NUMBER_KEYS)
    await remove(world, id)
    await world.work(HOUR_MS)
    expect(world.kept()).toEqual([])
  })

  test("accepts each update once, and forgets a deleted subscription, when it dies at any one call", async () => {
    await exploreHistories(async (explored) => {
      const world = await createWorld({ explored })
      explored.begin()
      const id = await subscribe(world)
      await world.work(MINUTE_MS)
      await tell(world, id, 2, { updateType: "contact-cardholder" })
      await tell(world, id, 1, NEW_CARD)
      await world.work(MINUTE_MS)
      await tell(world, id, 3, CLOSURE)
      for (let hours = 0; hours < 3; hours++) {
        await world.sweep(30 * MINUTE_MS)
        await world.work(HOUR_MS)
      }
      const types = told(world).map(({ updateType }) => updateType)
      const held = await isHeld(world)
      expect({ types, held, ...(await show(world, id)) }).toMatchObject({
        types: ["contact-cardholder", "new-account-number", "account-closure"],
        held: false,
        status: "ended",
        card: { lastFour: "4695", expiry: LATER },
      })
      expect(world.withdrawn).toEqual(new Set([`${id}.1`]))
      expect(claims(world)).toEqual([])
      expectSettled(world)
      await remove(world, id)
      // The entry of a record that is gone stays for a day.
      for (let days = 0; days < 3; days++) {
        await world.sweep(30 * MINUTE_MS)
        await world.work(DAY_MS)
      }
      expect(world.kept()).toEqual([])
    })
  })

  test("keeps no number readable, and puts none into messages, logs or the audit log", async () => {
    const world = await createWorld()
    world.setUnavailable(true)
    const id = await subscribe(world)
    await world.work(MINUTE_MS)
    await tell(world, id, 1, NEW_CARD)
    await world.work(MINUTE_MS)
    const kept = JSON.stringify([...world.paymentsTable.items], (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    )
    const others = JSON.stringify([world.messages, world.audited, world.logged, world.published])
    for (const number of [NUMBER, NEW_NUMBER]) {
      for (const part of [number, number.slice(0, 9), number.slice(7)])
        expect(kept + others).not.toContain(part)
    }
    expect(kept).not.toMatch(/4687|4695|new-account/)
  })
})

const answer = fc.constantFrom<SubscriptionAnswer>(
  { status: "active" },
  { status: "failed" },
  { status: "pending" },
  { status: "pending", checkAfterMs: MINUTE_MS },
)
const update = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      updateType: fc.constantFrom("new-account-number" as const, "new-expiry-date" as const),
      replacement: fc.record({
        number: fc.constantFrom(NUMBER, NEW_NUMBER),
        expiry: fc.constantFrom(EXPIRY, LATER),
      }),
    }),
  },
  { weight: 3, arbitrary: fc.constant<AccountUpdate>({ updateType: "contact-cardholder" }) },
  { weight: 1, arbitrary: fc.constant(CLOSURE) },
)
const happening = fc.oneof(
  fc.record({ what: fc.constant("update" as const), sequence: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ what: fc.constant("decision" as const), answer, agoMs: fc.nat(100_000) }),
  ...happeningsAround(1, MINUTE_MS, DAY_MS),
)

test("reports each update of a subscription once, the newest last, and none after its end, in any order of events", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(update, { minLength: 9, maxLength: 9 }),
      fc.array(happening, { maxLength: 25 }),
      DEATHS,
      fc.infiniteStream(answer),
      async (updates, happenings, dies, answers) => {
        let isOver = false
        const world = await createWorld({
          explored: dyingWhen(() => !isOver && dies.next().value === true),
          decideSubscription: () =>
            isOver ? { status: "active" } : (answers.next().value ?? { status: "active" }),
        })
        const id = await subscribe(world)
        let isEnded = false
        for (const each of happenings) {
          if (each.what === "update") {
            await tell(world, id, each.sequence, updates[each.sequence - 1] ?? CLOSURE)
          } else if (each.what === "decision") {
            const news = { id, round: 1, occurredAt: world.now() - each.agoMs, answer: each.answer }
            await world.mortal(() => applyEnrolmentNews(SUBSCRIPTIONS, APP, news, world.dependencies))
          } else await letHappen(world, each)
          const { status } = subscriptionSchema.parse(await show(world, id))
          if (isEnded) expect(status).toBe("ended")
          isEnded = status === "ended"
        }
        isOver = true
        world.setUnavailable(false)
        await restartDaily(world)
        expectSettled(world)
        const { status, card } = await show(world, id)
        expect(status).not.toBe("pending")
        const types = told(world).map(({ updateType }) => updateType)
        expect(types.indexOf("account-closure")).toBe(status === "ended" ? types.length - 1 : -1)
        expect(await isHeld(world)).toBe(status !== "ended")

        // The card is what its newest update says.
        const sequences = happenings.flatMap((each) => (each.what === "update" ? [each.sequence] : []))
        const end = sequences.findIndex((sequence) => updates[sequence - 1] === CLOSURE)
        const ofCard = sequences
          .slice(0, end === -1 ? undefined : end)
          .filter((sequence) => updates[sequence - 1]?.updateType.startsWith("new-"))
        const newest = Math.max(0, ...ofCard)
        const last = updates[newest - 1]
        const { number, expiry } =
          last !== undefined && "replacement" in last ? last.replacement : { number: NUMBER, expiry: EXPIRY }
        expect(await numberOf(world, id)).toBe(number)
        expect(card).toMatchObject({ lastFour: number.slice(-4), expiry })
        await remove(world, id)
        await world.work(DAY_MS)
        expect(world.kept()).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
}, 60_000)
