import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  afterUpdate,
  MAX_NUMBER_KEYS,
  newSubscription,
  postedAgain,
  type Subscription,
  statusOf,
  type TakenUpdate,
} from "./subscription.ts"

const EXPIRY = { month: "09", year: "39" }
const given = {
  merchantId: "merchant_1",
  number: "ev:0",
  numberKey: "key 0",
  lastFour: "0000",
  brand: "visa" as const,
  expiry: EXPIRY,
}
const subscription = newSubscription("card_subscription_1", "app_1", given, 1)

const replacement = fc
  .record({ card: fc.nat(9), year: fc.constantFrom("39", "44") })
  .map(
    ({ card, year }): NonNullable<TakenUpdate["replacement"]> => ({
      number: `ev:${card}`,
      numberKey: `key ${card}`,
      lastFour: `000${card}`,
      brand: "visa",
      expiry: { month: "09", year },
    }),
  )
const untimed = fc.oneof(
  fc.record({
    updateType: fc.constantFrom("new-account-number" as const, "new-expiry-date" as const),
    replacement,
  }),
  fc.record({ updateType: fc.constant("contact-cardholder" as const), replacement: fc.constant(null) }),
)
/** Updates as a network counts them. The last one may be a closure. */
const updates: fc.Arbitrary<readonly TakenUpdate[]> = fc
  .tuple(fc.array(untimed, { minLength: 1, maxLength: 12 }), fc.boolean())
  .map(([told, isClosed]) => [
    ...told,
    ...(isClosed ? [{ updateType: "account-closure" as const, replacement: null }] : []),
  ])
  .map((told) => told.map((update, index) => ({ ...update, sequence: index + 1, occurredAt: 1_000 + index })))

/** Collects what receivers were told, one after the other. */
function tellAll(told: readonly TakenUpdate[], first: Subscription = subscription) {
  let current = first
  const events: { sequence: number; updateType: string }[] = []
  for (const update of told) {
    const next = afterUpdate(current, update, 10_000)
    if (next.details.lastUpdate?.count !== current.details.lastUpdate?.count) {
      events.push({ sequence: update.sequence, updateType: update.updateType })
    }
    current = next
  }
  return { current, events }
}

const cardOf = ({ details: { number, expiry, lastFour } }: Subscription) => ({ number, expiry, lastFour })

describe("a subscription", () => {
  test("ends with the same card and status in any order of its updates, and with duplicates", () => {
    const shuffled = updates.chain((told) =>
      fc.record({
        told: fc.constant(told),
        // All of them, some twice, in any order; the closure may come before what has led to it.
        arriving: fc
          .tuple(fc.shuffledSubarray([...told], { minLength: told.length }), fc.shuffledSubarray([...told]))
          .map(([all, again]) => [...all, ...again]),
      }),
    )
    fc.assert(
      fc.property(shuffled, ({ told, arriving }) => {
        const inOrder = tellAll(told).current
        const { current } = tellAll(arriving)
        expect(statusOf(current)).toBe(statusOf(inOrder))
        if (statusOf(inOrder) !== "ended") expect(cardOf(current)).toEqual(cardOf(inOrder))
      }),
      { numRuns: 500 },
    )
  })

  test("reports no update twice, none of the card that is older than a reported one, and nothing after a closure", () => {
    const arriving = updates.chain((told) => fc.array(fc.constantFrom(...told), { maxLength: 40 }))
    fc.assert(
      fc.property(arriving, (told) => {
        const { events } = tellAll(told)
        expect(new Set(events.map(({ sequence }) => sequence)).size).toBe(events.length)
        const ofCard = events.filter(({ updateType }) => updateType.startsWith("new-"))
        const sequences = ofCard.map(({ sequence }) => sequence)
        expect(sequences).toEqual([...sequences].sort((left, right) => left - right))
        const closed = events.findIndex(({ updateType }) => updateType === "account-closure")
        if (closed !== -1) expect(events).toHaveLength(closed + 1)
      }),
      { numRuns: 500 },
    )
  })

  test("accepts a new number that comes after a later advice to ask the cardholder, but no older advice", () => {
    const card = {
      number: "ev:1",
      numberKey: "key 1",
      lastFour: "0001",
      brand: "visa" as const,
      expiry: EXPIRY,
    }
    const advice = {
      updateType: "contact-cardholder",
      sequence: 3,
      occurredAt: 3,
      replacement: null,
    } as const
    const number = {
      updateType: "new-account-number",
      sequence: 2,
      occurredAt: 2,
      replacement: card,
    } as const
    const { current, events } = tellAll([advice, number, { ...advice, sequence: 1 }])
    expect(events.map(({ sequence }) => sequence)).toEqual([3, 2])
    expect(cardOf(current)).toEqual({ number: "ev:1", expiry: EXPIRY, lastFour: "0001" })
    expect(current.details.numberKeys).toEqual(["key 0", "key 1"])
  })

  test("reports nothing that the card is already, and accepts no older update after that", () => {
    const { number, lastFour, brand } = given
    const same = { number, numberKey: null, lastFour, brand, expiry: { ...EXPIRY } }
    const known = { updateType: "new-expiry-date", sequence: 5, occurredAt: 5, replacement: same } as const
    const older = {
      updateType: "new-expiry-date" as const,
      sequence: 4,
      occurredAt: 4,
      replacement: { ...same, expiry: { month: "01", year: "30" } },
    }
    const { current, events } = tellAll([known, older])
    expect(events).toEqual([])
    expect(cardOf(current).expiry).toEqual(EXPIRY)
  })

  test("is found by 20 numbers at most, the newest ones", () => {
    const told = Array.from({ length: 50 }, (_, index) => ({
      updateType: "new-account-number" as const,
      sequence: index + 1,
      occurredAt: index,
      replacement: {
        number: `ev:${index + 1}`,
        numberKey: `key ${index + 1}`,
        lastFour: "0000",
        brand: null,
        expiry: EXPIRY,
      },
    }))
    const { numberKeys } = tellAll(told).current.details
    expect(numberKeys).toHaveLength(MAX_NUMBER_KEYS)
    expect(numberKeys[0]).toBe("key 31")
    expect(numberKeys.at(-1)).toBe("key 50")
  })

  test("stays the same object when its number is posted again, unless it has failed", () => {
    expect(postedAgain(subscription, { month: "01", year: "30" }, 2)).toBe(subscription)
  })
})
