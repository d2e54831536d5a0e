import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { MERCHANT } from "../support/payment-requests.ts"
import { expectProblem } from "../support/problem.ts"
import { type Answer, type CallOptions, useService } from "../support/service.ts"

const service = useService()

const PATH = "/payments/pre-chargeback-alerts"
const UNKNOWN = "chargeback_alert_00000000000000000000000000"
const NO_MERCHANT = "merchant_00000000000000000000000000"
const DAY_MS = 24 * 60 * 60_000
const RULE = { maximumAmount: 1_000, currency: "eur" }
const SWITCHES = { verifi: { enabled: true, refundRule: RULE }, ethoca: { enabled: true } }

const alertSchema = z.strictObject({
  id: z.string().regex(/^chargeback_alert_[0-9a-hjkmnp-tv-z]{26}$/),
  network: z.enum(["verifi", "ethoca"]),
  type: z.enum(["dispute", "fraud"]),
  merchant: z.string(),
  card: z.strictObject({ bin: z.string().optional(), lastFour: z.string(), brand: z.string() }),
  transaction: z.strictObject({
    amount: z.int(),
    currency: z.string(),
    occurredAt: z.int(),
    descriptor: z.string().optional(),
    authorizationCode: z.string().optional(),
    acquirerReferenceNumber: z.string().optional(),
  }),
  status: z.enum(["open", "resolved", "expired"]),
  outcome: z.enum(["refunded", "partially-refunded", "not-found", "declined"]).nullable(),
  refundedAmount: z.int().optional(),
  comment: z.string().optional(),
  respondBy: z.int().nullable(),
  createdAt: z.int(),
  updatedAt: z.int().optional(),
})

const idOf = ({ json, status, text }: Answer): string => {
  expect(status, text).toBeLessThan(300)
  return z.object({ id: z.string() }).parse(json).id
}
const alertOf = ({ status, text, json }: Answer, expected: number) => {
  expect(status, text).toBe(expected)
  return alertSchema.parse(json)
}
const newMerchant = async (changes: object = {}, options: CallOptions = {}) =>
  idOf(
    await service.post(
      "/payments/merchants",
      { ...MERCHANT, preChargebackAlerts: SWITCHES, ...changes },
      options,
    ),
  )
const simulate = async (changes: object = {}, options: CallOptions = {}) =>
  service.post(
    `${PATH}/simulate`,
    { merchant: await newMerchant({}, options), network: "ethoca", ...changes },
    options,
  )
const open = async (changes: object = {}, options: CallOptions = {}) =>
  alertOf(await simulate(changes, options), 201)
const answer = (id: string, body: object, options: CallOptions = {}) =>
  service.patch(`${PATH}/${id}`, body, options)
const show = async (id: string) => alertOf(await service.get(`${PATH}/${id}`), 200)

describe("POST /payments/pre-chargeback-alerts/simulate", () => {
  test("makes up an alert of Ethoca that is open for a day", async () => {
    const merchant = await newMerchant()
    const alert = await open({ merchant, type: "fraud", amount: 5, currency: "JPY" })
    expect(alert).toMatchObject({
      network: "ethoca",
      type: "fraud",
      merchant,
      status: "open",
      outcome: null,
      card: { brand: "mastercard" },
      transaction: { amount: 5, currency: "jpy", descriptor: MERCHANT.name },
      respondBy: alert.createdAt + DAY_MS,
    })
    expect(await show(alert.id)).toEqual(alert)
  })

  test.each<[object, object]>([
    [{}, { outcome: "refunded", refundedAmount: 1_000 }],
    [
      { amount: 1_000, currency: "EUR" },
      { outcome: "refunded", refundedAmount: 1_000 },
    ],
    [{ amount: 1_001 }, { outcome: "declined" }],
    [{ amount: 1, currency: "usd" }, { outcome: "declined" }],
  ])("makes up an alert of Verifi that the rule decides: %j", async (changes, expected) => {
    const alert = await open({ network: "verifi", ...changes })
    expect(alert).toMatchObject({ status: "resolved", respondBy: null, ...expected })
    expect("refundedAmount" in alert).toBe("refundedAmount" in expected)
    expectProblem(await answer(alert.id, { outcome: "declined" }), "conflict")
  })

  test("follows a changed rule, and refunds any amount without one", async () => {
    const merchant = await newMerchant()
    const verifi = { enabled: true, refundRule: null }
    await service.patch(`/payments/merchants/${merchant}`, { preChargebackAlerts: { verifi } })
    const amount = Number.MAX_SAFE_INTEGER
    expect(await open({ merchant, network: "verifi", amount, currency: "usd" })).toMatchObject({
      outcome: "refunded",
      refundedAmount: amount,
    })
  })

  test.each([
    ["is not enrolled", { preChargebackAlerts: {} }],
    ["is being enrolled", { name: "Shop Pending" }],
    ["could not be enrolled", { name: "Shop Failed" }],
  ])("is refused with conflict for a merchant that %s", async (_, changes) => {
    const merchant = await newMerchant(changes)
    for (const network of ["verifi", "ethoca"]) {
      expectProblem(await simulate({ merchant, network }), "conflict")
    }
  })

  test("is refused with not-found for a merchant of another app, with forbidden in production", async () => {
    const { auth } = await service.newApp("sandbox")
    const merchant = await newMerchant({}, { auth })
    for (const id of [merchant, NO_MERCHANT, "nonsense"]) {
      expectProblem(await simulate({ merchant: id }), "not-found")
    }
    const body = { merchant: NO_MERCHANT, network: "ethoca" }
    const live = await service.post(`${PATH}/simulate`, body, { auth: service.production.auth })
    expectProblem(live, "forbidden")
  })

  test.each<object>([
    { network: "marker-7f3a" },
    { network: undefined },
    { merchant: undefined },
    { type: "marker-7f3a" },
    { amount: -1 },
    { amount: 1.5 },
    { amount: 2 ** 53 },
    { currency: "zzz" },
    { "marker-7f3a": 1 },
  ])("refuses %j with invalid-request", async (changes) => {
    const refused = await simulate(changes)
    expectProblem(refused, "invalid-request")
    expect(refused.text).not.toContain("marker-7f3a")
  })
})

describe("PATCH /payments/pre-chargeback-alerts/{pre_chargeback_alert_id}", () => {
  test.each<[object, object]>([
    [{ outcome: "refunded" }, { refundedAmount: 1_000 }],
    [{ outcome: "refunded", refundedAmount: 1_000, comment: "é".repeat(500) }, { refundedAmount: 1_000 }],
    [{ outcome: "partially-refunded", refundedAmount: 1 }, {}],
    [{ outcome: "partially-refunded", refundedAmount: 999 }, {}],
    [{ outcome: "not-found", comment: "No such order" }, {}],
    [{ outcome: "declined" }, {}],
  ])("answers an alert: %j", async (given, also) => {
    const { id, ...alert } = await open()
    const answered = alertOf(await answer(id, given), 200)
    expect(answered).toEqual({
      ...alert,
      id,
      status: "resolved",
      ...given,
      ...also,
      updatedAt: expect.any(Number),
    })
    for (const body of [given, { outcome: "declined" }]) expectProblem(await answer(id, body), "conflict")
    expect(await show(id)).toEqual(answered)
  })

  test("accepts one of several concurrent answers", async () => {
    const { id } = await open()
    const bodies = [
      { outcome: "refunded" },
      { outcome: "declined" },
      { outcome: "partially-refunded", refundedAmount: 1 },
    ]
    const answers = await Promise.all(bodies.map((body) => answer(id, body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const taken = answers.find(({ status }) => status === 200)
    expect(await show(id)).toEqual(taken?.json)
  })

  test("answers once when its request is repeated with its Idempotency-Key", async () => {
    const { id } = await open()
    const headers = { "idempotency-key": "alert-1" }
    const first = await answer(id, { outcome: "refunded" }, { headers })
    expect(first.status).toBe(200)
    expect((await answer(id, { outcome: "refunded" }, { headers })).text).toBe(first.text)
  })

  test.each<[object, string]>([
    [{}, "/outcome"],
    [{ outcome: "marker-7f3a" }, "/outcome"],
    [{ outcome: "refunded", refundedAmount: 999 }, "/refundedAmount"],
    [{ outcome: "refunded", refundedAmount: 1_001 }, "/refundedAmount"],
    [{ outcome: "partially-refunded" }, "/refundedAmount"],
    [{ outcome: "partially-refunded", refundedAmount: 0 }, "/refundedAmount"],
    [{ outcome: "partially-refunded", refundedAmount: 1_000 }, "/refundedAmount"],
    [{ outcome: "partially-refunded", refundedAmount: -1 }, "/refundedAmount"],
    [{ outcome: "partially-refunded", refundedAmount: 0.5 }, "/refundedAmount"],
    [{ outcome: "partially-refunded", refundedAmount: 2 ** 60 }, "/refundedAmount"],
    [{ outcome: "declined", refundedAmount: 1 }, ""],
    [{ outcome: "declined", comment: "marker-7f3a".repeat(46) }, "/comment"],
    [{ outcome: "declined", comment: "" }, "/comment"],
    [{ outcome: "declined", "marker-7f3a": 1 }, ""],
  ])("refuses %j with invalid-request, and leaves the alert open", async (body, pointer) => {
    const alert = await open()
    const refused = await answer(alert.id, body)
    expectProblem(refused, "invalid-request")
    expect(refused.json).toMatchObject({ fields: [{ pointer }] })
    expect(refused.text).not.toContain("marker-7f3a")
    expect(await show(alert.id)).toEqual(alert)
  })

  test("audits who has answered, with the outcome and nothing else of the alert", async () => {
    const { auth, app } = await service.newApp("sandbox")
    const { id } = await open({}, { auth })
    await answer(id, { outcome: "declined", comment: "Markercomment" }, { auth })
    const logged = await service.get(`/audit-logs?appId=${app.id}`, { auth: service.team.auth })
    expect(logged.json).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({
          action: "chargeback-alert.update",
          target: { type: "chargeback-alert", id },
          details: { outcome: "declined" },
        }),
      ]),
    })
    expect(logged.text).not.toContain("Markercomment")
  })
})

describe("a pre-chargeback alert", () => {
  test("is listed by merchant, network and status, page by page", async () => {
    const { auth } = await service.newApp("sandbox")
    const [one, two] = [await newMerchant({}, { auth }), await newMerchant({}, { auth })]
    const made: string[] = []
    for (const [merchant, network] of [
      [one, "ethoca"],
      [two, "ethoca"],
      [one, "verifi"],
      [one, "ethoca"],
    ]) {
      made.unshift((await open({ merchant, network }, { auth })).id)
    }
    const [last = "", verifi, other, first] = made
    await answer(last, { outcome: "not-found" }, { auth })
    const list = async (query: string) => {
      const { json } = await service.get(`${PATH}?${query}`, { auth })
      return z
        .object({ data: z.array(z.object({ id: z.string() })) })
        .parse(json)
        .data.map(({ id }) => id)
    }
    expect(await list("")).toEqual(made)
    expect(await list("status=open")).toEqual([other, first])
    expect(await list(`status=resolved&merchant=${one}`)).toEqual([last, verifi])
    expect(await list("network=verifi")).toEqual([verifi])
    expect(await list(`network=ethoca&merchant=${two}`)).toEqual([other])
    expect(await list(`limit=2&startingAfter=${last}`)).toEqual([verifi, other])
    for (const query of ["status=late", "network=visa", "merchant=a%20b", "limit=101", "marker=1"]) {
      expectProblem(await service.get(`${PATH}?${query}`, { auth }), "invalid-request")
    }
  })

  test("is reported when it is created and when it is answered, and to its own app only", async () => {
    const { auth } = await service.newApp("sandbox")
    const listener = idOf(await service.post("/webhook-listeners", { events: ["payments.*"] }, { auth }))
    const made = await open({}, { auth })
    const answered = alertOf(await answer(made.id, { outcome: "refunded" }, { auth }), 200)
    const told = new Map<string, unknown>()
    await vi.waitFor(async () => {
      const { json } = await service.post(`/webhook-listeners/${listener}/fetch`, {}, { auth })
      const { data } = z.object({ data: z.array(z.looseObject({ id: z.string() })) }).parse(json)
      for (const event of data) told.set(event.id, event)
      expect(told.size).toBe(2)
    }, 10_000)
    expect([...told.values()]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "payments.pre-chargeback-alert.created", data: made }),
        expect.objectContaining({ type: "payments.pre-chargeback-alert.updated", data: answered }),
      ]),
    )
  })

  test("is not found by another app, by a malformed id, nor without credentials", async () => {
    const { id } = await open()
    const { auth } = await service.newApp("sandbox")
    const everyCall = async (name: string, options: CallOptions = {}) => [
      await service.get(`${PATH}/${name}`, options),
      await answer(name, { outcome: "declined" }, options),
    ]
    for (const each of await everyCall(id, { auth })) expectProblem(each, "not-found")
    for (const each of await everyCall(id, { auth: null })) expectProblem(each, "unauthorized")
    for (const name of [UNKNOWN, "nonsense"]) {
      for (const each of await everyCall(name)) expectProblem(each, "not-found")
    }
    expect(await show(id)).toMatchObject({ status: "open" })
  })
})
