import { dyingWhen, exploreHistories } from "@sealway/ports/testing"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { addMerchant, deleteMerchant } from "../merchants/manage-merchants.ts"
import type { MerchantDetails } from "../merchants/merchant.ts"
import type { AlertAnswer, NetworkAlert } from "../networks/messages/pre-chargeback-alerts.ts"
import { ALERT_KEPT_MS, ALERT_STEPS, type AlertStatus, RESPOND_MS } from "../pre-chargeback-alerts/alert.ts"
import { ALERTS } from "../pre-chargeback-alerts/alert-kind.ts"
import { answerAlert, listAlerts, requireAlert } from "../pre-chargeback-alerts/manage-alerts.ts"
import { receiveAlert } from "../pre-chargeback-alerts/receive-alert.ts"
import { alertSchema, showAlert } from "../pre-chargeback-alerts/show-alert.ts"
import { DEATHS, expectSettled, happeningsAround, letHappen } from "../testing/histories.ts"
import { MERCHANT_DETAILS } from "../testing/merchant-details.ts"
import { PRODUCTION_APP as APP, AUTHOR, createWorld, type WorldOptions } from "../testing/world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const CREATED = "payments.pre-chargeback-alert.created"
const UPDATED = "payments.pre-chargeback-alert.updated"
const REMINDER = "payments.pre-chargeback-alert.reminder"
const PAGE = { limit: 100 }

type World = Awaited<ReturnType<typeof createWorld>>

const DETAILS: MerchantDetails = {
  ...MERCHANT_DETAILS,
  verifi: { isEnabled: true, refundRule: { maximumAmount: 1_000, currency: "eur" } },
  ethoca: { isEnabled: true },
}

/** Creates a world with a merchant and no pending work. */
async function createShop(options: WorldOptions = {}, details: Partial<MerchantDetails> = {}) {
  const world = await createWorld(options)
  const { id } = await addMerchant(world.dependencies, APP, { ...DETAILS, ...details }, AUTHOR)
  await world.work(HOUR_MS)
  return { world, merchant: id, events: () => world.events().filter(({ type }) => type.includes("alert")) }
}

const alertOf = (merchant: string, changes: Partial<NetworkAlert> = {}): NetworkAlert => ({
  network: "ethoca",
  reference: "case-1",
  type: "fraud",
  merchant: { id: merchant },
  card: { bin: "520000", lastFour: "0002", brand: "mastercard" },
  transaction: { amount: 1_000, currency: "eur", occurredAt: 1, descriptor: "Marker Shop" },
  ...changes,
})

/** Reports an alert as a network does, repeatedly until it is accepted. */
async function tell(world: World, told: NetworkAlert) {
  for (;;) if (await world.mortal(() => receiveAlert(APP, told, world.dependencies))) return
}

async function onlyAlert(world: World) {
  const { data } = await listAlerts(world.dependencies, APP, PAGE)
  expect(data).toHaveLength(1)
  const [alert] = data
  if (alert === undefined) throw new Error("There is no alert")
  return alert
}
const show = async (world: World) => showAlert(await onlyAlert(world))
const answer = (world: World, id: string, given: Parameters<typeof answerAlert>[3]) =>
  answerAlert(world.dependencies, APP, id, given, AUTHOR)

async function pass(world: World, hours: number) {
  for (let quarters = 0; quarters < hours * 4; quarters++) {
    await world.sweep(30 * MINUTE_MS)
    await world.work(15 * MINUTE_MS)
  }
}

describe("a pre-chargeback alert of Verifi", () => {
  test.each<[string, MerchantDetails["verifi"], object, string]>([
    ["without a rule", { isEnabled: true, refundRule: null }, { amount: 2 ** 53 - 1 }, "refunded"],
    ["of the rule's amount", DETAILS.verifi, { amount: 1_000 }, "refunded"],
    ["of a minor unit more", DETAILS.verifi, { amount: 1_001 }, "declined"],
    ["of nothing", DETAILS.verifi, { amount: 0 }, "refunded"],
    ["in another currency", DETAILS.verifi, { amount: 1, currency: "jpy" }, "declined"],
    ["switched off meanwhile", { isEnabled: false, refundRule: null }, { amount: 1 }, "declined"],
  ])("is decided at once, reported once and answered: one %s", async (_, verifi, transaction, outcome) => {
    const answers: unknown[] = []
    const decideAnswer = (asked: object): AlertAnswer => {
      answers.push(asked)
      return { result: "taken" }
    }
    const { world, merchant, events } = await createShop({ decideAnswer }, { verifi })
    const told = alertOf(merchant, { network: "verifi" })
    await tell(world, { ...told, transaction: { ...told.transaction, ...transaction } })
    await pass(world, 1)
    const shown = await show(world)
    const { amount, currency } = shown.transaction
    expect(shown).toMatchObject({ network: "verifi", status: "resolved", outcome, respondBy: null })
    expect(shown.refundedAmount).toBe(outcome === "refunded" ? amount : undefined)
    expect(events()).toEqual([{ id: expect.any(String), type: CREATED, data: shown }])
    expect(answers).toEqual([
      {
        reference: `${shown.id}.1`,
        alert: { network: "verifi", reference: "case-1" },
        outcome,
        ...(outcome === "refunded" && { refund: { amount, currency } }),
        answeredAt: shown.createdAt,
        asks: 1,
        nowMs: expect.any(Number),
      },
    ])
    expect(world.pending()).toEqual([])
  })

  test("accepts no answer of its app", async () => {
    const { world, merchant } = await createShop()
    await tell(world, alertOf(merchant, { network: "verifi" }))
    const { id } = await show(world)
    await expect(answer(world, id, { outcome: "declined" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("automatically"),
    })
  })
})

describe("a pre-chargeback alert of Ethoca", () => {
  test("is open for a day, and its app gets an event at the start, four hours before the end and at the end", async () => {
    const { world, merchant, events } = await createShop()
    await tell(world, alertOf(merchant))
    await pass(world, 1)
    const open = await show(world)
    expect(open).toMatchObject({ status: "open", outcome: null })
    expect(open.respondBy).toBe(open.createdAt + RESPOND_MS)
    expect(events()).toEqual([{ id: expect.any(String), type: CREATED, data: open }])
    await pass(world, 18)
    expect(events()).toHaveLength(1)
    await pass(world, 2)
    expect(events().slice(1)).toEqual([
      { id: expect.any(String), type: REMINDER, data: { ...open, updatedAt: expect.any(Number) } },
    ])
    await pass(world, 6)
    expect(events().slice(2)).toEqual([{ id: expect.any(String), type: UPDATED, data: await show(world) }])
    expect(await show(world)).toMatchObject({ status: "expired", outcome: null })
    expect(world.asked.size).toBe(6 - 1)
    expect(world.pending()).toEqual([])
  })

  test("is reminded of, and expires, within a minute of the time, wherever a sweep falls", async () => {
    for (const offMs of [0, MINUTE_MS, 14 * MINUTE_MS]) {
      const { world, merchant, events } = await createShop()
      await tell(world, alertOf(merchant))
      const { createdAt } = await show(world)
      await world.work(offMs)
      for (let sweeps = 0; sweeps < 25 * 4; sweeps++) {
        await world.sweep(30 * MINUTE_MS)
        await world.work(15 * MINUTE_MS)
      }
      const at = events().map(({ data }) => Object(data).updatedAt - createdAt)
      expect(at.slice(1).map((ms) => Math.floor(ms / MINUTE_MS))).toEqual([20 * 60, 24 * 60])
      expect([...world.messages, ...world.pending()]).toEqual([])
    }
  })

  test("is answered once, which its network gets, and its app gets no more reminders", async () => {
    const answers: object[] = []
    const { world, merchant, events } = await createShop({
      decideAnswer: ({ asks: _, nowMs: __, ...asked }) => {
        answers.push(asked)
        return { result: "taken" }
      },
    })
    await tell(world, alertOf(merchant))
    const { id } = await show(world)
    const given = { outcome: "partially-refunded", refundedAmount: 999, comment: "Half" } as const
    const answered = showAlert(await answer(world, id, given))
    expect(answered).toMatchObject({ status: "resolved", ...given, updatedAt: world.now() })
    await pass(world, 26)
    expect(await show(world)).toEqual(answered)
    expect(events().map(({ type }) => type)).toEqual([CREATED, UPDATED])
    expect(events()[1]?.data).toEqual(answered)
    expect(answers).toEqual([
      {
        reference: `${id}.2`,
        alert: { network: "ethoca", reference: "case-1" },
        outcome: "partially-refunded",
        refund: { amount: 999, currency: "eur" },
        comment: "Half",
        answeredAt: answered.updatedAt,
      },
    ])
    expect(world.pending()).toEqual([])
  })

  test("accepts the answer of one of two concurrent callers, and refuses the other", async () => {
    const { world, merchant, events } = await createShop()
    await tell(world, alertOf(merchant))
    const { id } = await show(world)
    const results = await Promise.allSettled([
      answer(world, id, { outcome: "refunded" }),
      answer(world, id, { outcome: "declined" }),
      answer(world, id, { outcome: "partially-refunded", refundedAmount: 1 }),
    ])
    const refused = results.filter(({ status }) => status === "rejected")
    expect(refused).toHaveLength(2)
    for (const each of refused) expect(each).toMatchObject({ reason: { code: "conflict" } })
    await pass(world, 1)
    expect(events().filter(({ type }) => type === UPDATED)).toHaveLength(1)
    expect(world.asked.get(`${id}.2`)).toBe(1)
  })

  test("accepts an answer up to its last millisecond, and none from then on, though no worker has ended it", async () => {
    const { world, merchant } = await createShop()
    for (const reference of ["case-1", "case-2"]) {
      await tell(world, alertOf(merchant, { reference }))
      world.advance(1)
    }
    const { data } = await listAlerts(world.dependencies, APP, PAGE)
    const [late, early] = data
    if (late === undefined || early === undefined) throw new Error("There are no alerts")
    world.advance((early.details.respondBy ?? 0) - 1 - world.now())
    expect(await answer(world, early.id, { outcome: "not-found" })).toMatchObject({
      details: { status: "resolved" },
    })
    world.advance((late.details.respondBy ?? 0) - world.now())
    await expect(answer(world, late.id, { outcome: "not-found" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("expired"),
    })
    expect(showAlert(await requireAlert(world.dependencies, APP, late.id))).toMatchObject({
      status: "expired",
      updatedAt: late.details.respondBy,
    })
    const expired = await listAlerts(world.dependencies, APP, { ...PAGE, status: "expired" })
    expect(expired.data.map(({ id }) => id)).toEqual([late.id])
  })

  test("expires with its answer when the network no longer accepts it", async () => {
    const { world, merchant, events } = await createShop({ decideAnswer: () => ({ result: "too-late" }) })
    await tell(world, alertOf(merchant))
    const { id } = await show(world)
    await answer(world, id, { outcome: "refunded" })
    await pass(world, 1)
    expect(await show(world)).toMatchObject({ status: "expired", outcome: "refunded", refundedAmount: 1_000 })
    expect(events().map(({ type }) => type)).toEqual([CREATED, UPDATED, UPDATED])
    expect(events().at(-1)?.data).toEqual(await show(world))
    expect(world.pending()).toEqual([])
  })

  test("has its answer sent to its network until that responds, and given up after a month", async () => {
    const { world, merchant } = await createShop()
    await tell(world, alertOf(merchant))
    const { id } = await show(world)
    world.setUnavailable(true)
    await answer(world, id, { outcome: "declined" })
    await pass(world, 48)
    expect(await show(world)).toMatchObject({ status: "resolved", outcome: "declined" })
    world.advance(31 * DAY_MS)
    await pass(world, 1)
    expect(await show(world)).toMatchObject({ status: "expired", outcome: "declined" })
    expect(world.pending()).toEqual([])
  })

  test("keeps the time that its network gives, and has expired when that is over already", async () => {
    const { world, merchant, events } = await createShop()
    await tell(world, alertOf(merchant, { respondBy: world.now() + 10 * MINUTE_MS }))
    world.advance(1)
    await tell(world, alertOf(merchant, { reference: "case-2", respondBy: world.now() }))
    await world.work(HOUR_MS)
    const { data } = await listAlerts(world.dependencies, APP, PAGE)
    expect(data.map(({ details: { status } }) => status)).toEqual(["expired", "expired"])
    const typesOf = (id: string | undefined) =>
      events().flatMap(({ type, data: told }) => (Object(told).id === id ? [type] : []))
    expect(typesOf(data[0]?.id)).toEqual([CREATED])
    expect(typesOf(data[1]?.id)).toEqual([CREATED, REMINDER, UPDATED])
  })

  test.each<[string, (merchant: string, nowMs: number) => NetworkAlert, string]>([
    ["no merchant", () => alertOf("merchant_00000000000000000000000000"), "/alert/merchant/id"],
    ["nonsense", () => alertOf("nonsense"), "/alert/merchant/id"],
    [
      "no currency",
      (id) => alertOf(id, { transaction: { amount: 1, currency: "zzz", occurredAt: 1 } }),
      "/alert/transaction/currency",
    ],
    ["years", (id, nowMs) => alertOf(id, { respondBy: nowMs + 91 * DAY_MS }), "/alert/respondBy"],
  ])("is refused with invalid-request when it names %s", async (_, told, pointer) => {
    const { world, merchant } = await createShop()
    const received = receiveAlert(APP, told(merchant, world.now()), world.dependencies)
    await expect(received).rejects.toMatchObject({ code: "invalid-request", fields: [{ pointer }] })
    expect((await listAlerts(world.dependencies, APP, PAGE)).data).toEqual([])
  })

  test("is refused once its merchant is deleted, and one from before can be answered", async () => {
    const { world, merchant } = await createShop()
    await tell(world, alertOf(merchant))
    await deleteMerchant(world.dependencies, APP, merchant, AUTHOR)
    const another = receiveAlert(APP, alertOf(merchant, { reference: "case-2" }), world.dependencies)
    await expect(another).rejects.toMatchObject({ code: "invalid-request" })
    const { id } = await show(world)
    expect(await answer(world, id, { outcome: "refunded" })).toMatchObject({
      details: { status: "resolved" },
    })
  })

  test("stays as it was reported first, however often it comes, and two networks may use the same reference", async () => {
    const { world, merchant, events } = await createShop()
    await tell(world, alertOf(merchant))
    const first = await show(world)
    const changes = { transaction: { amount: 5, currency: "usd", occurredAt: 2 }, type: "dispute" } as const
    await tell(world, alertOf(merchant, changes))
    expect(await show(world)).toEqual(first)
    await tell(world, alertOf(merchant, { network: "verifi" }))
    await pass(world, 1)
    expect((await listAlerts(world.dependencies, APP, PAGE)).data).toHaveLength(2)
    expect(events()).toHaveLength(2)
  })

  test("is stored once and reported once when it comes many times at once, wherever a process dies", async () => {
    await exploreHistories(async (explored) => {
      const { world, merchant, events } = await createShop({ explored })
      explored.begin()
      await tell(world, alertOf(merchant))
      await Promise.all(["a", "b"].map(() => receiveAlert(APP, alertOf(merchant), world.dependencies)))
      await pass(world, 1)
      const { id } = await onlyAlert(world)
      await world.mortal(() => answer(world, id, { outcome: "declined" }))
      await pass(world, 1)
      // Either the call succeeded, or its repetition says that the answer was accepted.
      await answer(world, id, { outcome: "declined" }).catch(() => undefined)
      await pass(world, 1)
      const types = events().map(({ type }) => type)
      expect(types).toEqual([CREATED, UPDATED])
      expect([...world.asked.keys()]).toContain(`${id}.2`)
      expectSettled(world)
    })
  })

  test("is decided by its first answer, though a repetition of its message comes between", async () => {
    const { world, merchant } = await createShop()
    await tell(world, alertOf(merchant))
    const { id } = await show(world)
    const answered = showAlert(await answer(world, id, { outcome: "refunded" }))
    await tell(world, alertOf(merchant))
    expect(await show(world)).toEqual(answered)
  })

  test("keeps nothing readable except its names, and nothing after 540 days", async () => {
    const { world, merchant } = await createShop()
    await tell(world, alertOf(merchant, { reference: "markerreference" }))
    const { id } = await show(world)
    await answer(world, id, { outcome: "declined", comment: "markercomment" })
    await pass(world, 1)
    const kept = JSON.stringify([...world.paymentsTable.items], (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    )
    const told = JSON.stringify([world.messages, world.audited, world.logged])
    expect(kept + told).not.toMatch(/marker/i)
    expect(kept).not.toMatch(/ethoca|fraud|520000/)
    world.advance(ALERT_KEPT_MS)
    expect((await listAlerts(world.dependencies, APP, PAGE)).data).toEqual([])
    expect(await ALERTS.table.find(world.dependencies, APP, id)).toBeNull()
  })
})

const happening = fc.oneof(
  fc.record({
    what: fc.constant("answer" as const),
    given: fc.constantFrom(
      { outcome: "refunded" } as const,
      { outcome: "declined" } as const,
      { outcome: "partially-refunded", refundedAmount: 1 } as const,
    ),
  }),
  fc.record({ what: fc.constant("tell" as const) }),
  ...happeningsAround(1, MINUTE_MS, 3 * HOUR_MS, 13 * HOUR_MS),
)

test("changes an alert only as the table of its steps says, in any order of events, and reports it once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("ethoca" as const, "verifi" as const),
      fc.array(happening, { maxLength: 20 }),
      DEATHS,
      fc.infiniteStream(fc.constantFrom<AlertAnswer>({ result: "taken" }, { result: "too-late" })),
      async (network, happenings, dies, results) => {
        let isOver = true
        const told: AlertAnswer[] = []
        const { world, merchant, events } = await createShop({
          explored: dyingWhen(() => !isOver && dies.next().value === true),
          decideAnswer: () => {
            const result = isOver ? { result: "taken" as const } : results.next().value
            if (result !== undefined) told.push(result)
            return result ?? { result: "taken" }
          },
        })
        isOver = false
        await tell(world, alertOf(merchant, { network }))
        const { id, status: first } = await show(world)
        let status: AlertStatus = first
        let final: string | null = network === "verifi" ? "refunded" : null
        for (const each of happenings) {
          if (each.what === "tell") await tell(world, alertOf(merchant, { network }))
          else if (each.what === "answer") {
            await world.mortal(() => answer(world, id, each.given).catch(() => undefined))
          } else await letHappen(world, each)
          const alert = alertSchema.parse(await show(world))
          if (alert.status !== status) expect(reachable(status)).toContain(alert.status)
          // The first answer is final.
          if (final !== null) expect(alert.outcome).toBe(final)
          final = alert.outcome
          status = alert.status
        }
        isOver = true
        world.setUnavailable(false)
        await pass(world, 40)
        const alert = await show(world)
        expect(alert.status).not.toBe("open")
        const types = events().map(({ type }) => type)
        expect(types.filter((type) => type === CREATED)).toHaveLength(1)
        expect(types.filter((type) => type === REMINDER).length).toBeLessThanOrEqual(1)
        expect(types.filter((type) => type === UPDATED).length).toBeLessThanOrEqual(2)
        expect(events().at(-1)?.data).toEqual(alert)
        expectSettled(world)
      },
    ),
    { numRuns: 40 },
  )
}, 120_000)

/** Returns the statuses that can follow on a status, in one step or more. */
function reachable(status: AlertStatus): readonly AlertStatus[] {
  const next = Object.values(ALERT_STEPS[status])
  return [...next, ...next.flatMap(reachable)]
}
