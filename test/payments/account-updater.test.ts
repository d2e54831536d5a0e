import { outcomeNumber } from "@sealway/payments/testing"
import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { CARD, MERCHANT } from "../support/payment-requests.ts"
import { expectProblem } from "../support/problem.ts"
import { type Answer, type CallOptions, useService } from "../support/service.ts"

const service = useService()

const PATH = "/payments/account-updater/subscriptions"
const UNKNOWN = "card_subscription_00000000000000000000000000"
const OTHER_EXPIRY = { month: "01", year: "45" }
const OTHER_NUMBER = "5555555555554444"

const subscriptionSchema = z.strictObject({
  id: z.string().regex(/^card_subscription_[0-9a-hjkmnp-tv-z]{26}$/),
  merchant: z.string(),
  card: z.strictObject({
    lastFour: z.string(),
    brand: z.string().optional(),
    expiry: z.strictObject({ month: z.string(), year: z.string() }).optional(),
  }),
  status: z.enum(["pending", "active", "failed", "ended"]),
  createdAt: z.int(),
  updatedAt: z.int().optional(),
})
const listSchema = z.strictObject({
  data: z.array(subscriptionSchema),
  hasMore: z.boolean(),
  continueAfter: z.string().nullable(),
})
const eventSchema = z.object({ id: z.string(), type: z.string(), data: z.record(z.string(), z.unknown()) })

const idOf = ({ json, status, text }: Answer): string => {
  expect(status, text).toBeLessThan(300)
  return z.object({ id: z.string() }).parse(json).id
}
const subscriptionOf = ({ status, text, json }: Answer, expected = 201) => {
  expect(status, text).toBe(expected)
  return subscriptionSchema.parse(json)
}
const newMerchant = async (options: CallOptions = {}) =>
  idOf(await service.post("/payments/merchants", MERCHANT, options))
const post = async (changes: object = {}, options: CallOptions = {}) =>
  service.post(PATH, { ...CARD, merchant: await newMerchant(options), ...changes }, options)
const create = async (changes: object = {}, options: CallOptions = {}) =>
  subscriptionOf(await post(changes, options))
const show = async (id: string, options: CallOptions = {}) =>
  subscriptionOf(await service.get(`${PATH}/${id}`, options), 200)
const simulate = (id: string, update: object, options: CallOptions = {}) =>
  service.post(`${PATH}/${id}/simulate`, update, options)
const list = async (query: string, options: CallOptions = {}) =>
  listSchema.parse((await service.get(`${PATH}?${query}`, options)).json)

describe("POST /payments/account-updater/subscriptions", () => {
  test("subscribes a merchant to a card, of which only the last four digits are returned", async () => {
    const merchant = await newMerchant()
    const subscription = await create({ merchant })
    expect(subscription).toMatchObject({
      merchant,
      status: "active",
      card: { lastFour: "4242", brand: "visa", expiry: CARD.expiry },
    })
    expect(await show(subscription.id)).toEqual(subscription)
  })

  test("accepts the number as a token, and a card whose expiry is unknown", async () => {
    const number = (await service.post("/encrypt", JSON.stringify(CARD.number))).json
    const { card } = await create({ number, expiry: undefined })
    expect(card).toEqual({ lastFour: "4242", brand: "visa" })
  })

  test("returns with 200 the subscription that follows the number, of the same merchant only", async () => {
    const merchant = await newMerchant()
    const subscription = await create({ merchant })
    const number = (await service.post("/encrypt", JSON.stringify(CARD.number))).json
    for (const changes of [{}, { number }, { expiry: OTHER_EXPIRY }, { expiry: undefined }]) {
      expect(subscriptionOf(await post({ merchant, ...changes }), 200)).toEqual(subscription)
    }
    expect((await create()).id).not.toBe(subscription.id)
  })

  test("creates one subscription for a card that is posted many times at once", async () => {
    const merchant = await newMerchant()
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({ merchant })))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201])
    expect(new Set(answers.map(idOf)).size).toBe(1)
    expect((await list(`merchant=${merchant}`)).data).toHaveLength(1)
  })

  test("gives the same answer, with 201, when a request is repeated with its Idempotency-Key", async () => {
    const body = { ...CARD, merchant: await newMerchant() }
    const headers = { "idempotency-key": "subscription-1" }
    const first = await service.post(PATH, body, { headers })
    expect(first.status).toBe(201)
    expect(await service.post(PATH, body, { headers })).toMatchObject({ status: 201, text: first.text })
  })

  test("requests a failed subscription again, with the expiry that is given now", async () => {
    const merchant = await newMerchant()
    const number = outcomeNumber("visa", "603")
    const failed = await create({ number, merchant })
    expect(failed).toMatchObject({ status: "failed" })
    const again = subscriptionOf(await post({ number, merchant, expiry: OTHER_EXPIRY }), 200)
    expect(again).toEqual({
      ...failed,
      card: { ...failed.card, expiry: OTHER_EXPIRY },
      updatedAt: expect.any(Number),
    })
  })

  test.each(["discover", "diners-club", "jcb", "unionpay"] as const)(
    "creates a failed one for a card of %s, whose network reports no changes",
    async (brand) => {
      const number = outcomeNumber(brand, "999")
      expect(await create({ number })).toMatchObject({ status: "failed", card: { brand } })
    },
  )

  test("is refused with not-found for a merchant that the app does not have", async () => {
    const { auth } = await service.newApp("sandbox")
    const others = await newMerchant({ auth })
    for (const merchant of ["merchant_00000000000000000000000000", "nonsense", others, UNKNOWN]) {
      expectProblem(await post({ merchant }), "not-found")
    }
  })

  test("is refused with decrypt/forbidden when a role forbids the number", async () => {
    const { auth } = await service.newApp("sandbox")
    await service.post("/data-roles", { slug: "pci", name: "Cards" }, { auth })
    const headers = { "x-service-data-role": "pci" }
    const number = (await service.post("/encrypt", JSON.stringify(CARD.number), { auth, headers })).json
    expectProblem(await post({ number }, { auth }), "decrypt/forbidden")
    const { id } = await create({}, { auth })
    const update = { updateType: "new-account-number", number }
    expectProblem(await simulate(id, update, { auth }), "decrypt/forbidden")
  })

  test.each<[string, object, string]>([
    ["no number", { number: undefined }, "/number"],
    ["a number of 11 digits", { number: "42424242424" }, "/number"],
    ["a number that fails Luhn", { number: "4242424242424241" }, "/number"],
    ["a token that does not open", { number: "ev:marker-7f3a" }, "/number"],
    ["a month 13", { expiry: { month: "13", year: "39" } }, "/expiry/month"],
    ["no merchant", { merchant: undefined }, "/merchant"],
    ["a merchant that is no text", { merchant: { "marker-7f3a": 1 } }, "/merchant"],
    ["an unknown field", { "marker-7f3a": 1 }, ""],
  ])("refuses with invalid-request, without repeating it, %s", async (_, changes, pointer) => {
    const answer = await post(changes)
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer }] })
    expect(answer.text).not.toMatch(/marker-7f3a|42424242/)
  })

  test("refuses another app's token with invalid-request, and more than 64 KB with payload-too-large", async () => {
    const { auth } = await service.newApp("sandbox")
    const number = (await service.post("/encrypt", JSON.stringify(CARD.number), { auth })).json
    expectProblem(await post({ number }), "invalid-request")
    expectProblem(await post({ number: "4".repeat(65_536) }), "payload-too-large")
  })
})

describe("GET /payments/account-updater/subscriptions", () => {
  test("lists the app's subscriptions, newest first, in pages, by merchant and status", async () => {
    const { auth } = await service.newApp("sandbox")
    const merchants = [await newMerchant({ auth }), await newMerchant({ auth })] as const
    const made = [
      await create({ merchant: merchants[0] }, { auth }),
      await create({ merchant: merchants[1] }, { auth }),
      await create({ merchant: merchants[0], number: outcomeNumber("visa", "603") }, { auth }),
    ].reverse()
    expect(await list("", { auth })).toEqual({ data: made, hasMore: false, continueAfter: null })
    const first = await list("limit=2", { auth })
    expect(first).toMatchObject({ data: made.slice(0, 2), hasMore: true, continueAfter: made[1]?.id })
    const rest = await list(`limit=2&startingAfter=${first.continueAfter}`, { auth })
    expect(rest).toEqual({ data: made.slice(2), hasMore: false, continueAfter: null })
    expect((await list(`merchant=${merchants[0]}`, { auth })).data).toEqual([made[0], made[2]])
    expect((await list(`merchant=${merchants[0]}&status=failed`, { auth })).data).toEqual([made[0]])
    expect((await list("status=ended", { auth })).data).toEqual([])
    const stranger = await service.newApp("sandbox")
    expect((await list(`merchant=${merchants[0]}`, { auth: stranger.auth })).data).toEqual([])
  })

  test("lists no deleted subscription", async () => {
    const { auth } = await service.newApp("sandbox")
    const { id } = await create({}, { auth })
    await service.delete(`${PATH}/${id}`, { auth })
    expect((await list("", { auth })).data).toEqual([])
  })

  test.each([
    "status=marker-7f3a",
    "merchant=marker%207f3a",
    "limit=0",
    "limit=101",
    "startingAfter=card_00000000000000000000000000",
    "marker-7f3a=1",
  ])("refuses %s with invalid-request, without repeating it", async (query) => {
    const answer = await service.get(`${PATH}?${query}`)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toMatch(/marker|00000000/)
  })
})

describe("POST /payments/account-updater/subscriptions/{subscription_id}/simulate", () => {
  test("makes the subscription follow a new number, which finds it from then on", async () => {
    const merchant = await newMerchant()
    const subscription = await create({ merchant })
    const update = { updateType: "new-account-number", number: OTHER_NUMBER, expiry: OTHER_EXPIRY }
    const changed = subscriptionOf(await simulate(subscription.id, update), 200)
    expect(changed).toEqual({
      ...subscription,
      card: { lastFour: "4444", brand: "mastercard", expiry: OTHER_EXPIRY },
      updatedAt: expect.any(Number),
    })
    for (const number of [CARD.number, OTHER_NUMBER]) {
      expect(subscriptionOf(await post({ number, merchant }), 200)).toEqual(changed)
    }
  })

  test("makes up missing values: a number of the same range, and an expiry three years later", async () => {
    const { id } = await create()
    expect(subscriptionOf(await simulate(id, { updateType: "new-account-number" }), 200)).toMatchObject({
      card: { brand: "visa", expiry: { month: "09", year: "42" } },
    })
    const unknown = await create({ expiry: undefined })
    const renewed = subscriptionOf(await simulate(unknown.id, { updateType: "new-expiry-date" }), 200)
    expect(renewed.card).toMatchObject({ lastFour: "4242", expiry: { month: "12" } })
  })

  test("ends the subscription with a closure: it gets no more updates, and its number can be subscribed again", async () => {
    const merchant = await newMerchant()
    const { id } = await create({ merchant })
    expect(subscriptionOf(await simulate(id, { updateType: "account-closure" }), 200)).toMatchObject({
      status: "ended",
    })
    expectProblem(await simulate(id, { updateType: "contact-cardholder" }), "conflict")
    const next = await create({ merchant })
    expect(next.id).not.toBe(id)
    expect(await show(id)).toMatchObject({ status: "ended" })
    await service.delete(`${PATH}/${id}`)
    expect(subscriptionOf(await post({ merchant }), 200)).toEqual(next)
  })

  test("changes a card once when its request is repeated with its Idempotency-Key", async () => {
    const { id } = await create()
    const headers = { "idempotency-key": "subscription-2" }
    const update = { updateType: "new-account-number" }
    const first = subscriptionOf(await simulate(id, update, { headers }), 200)
    expect(subscriptionOf(await simulate(id, update, { headers }), 200)).toEqual(first)
    expect(await show(id)).toEqual(first)
  })

  test("takes many updates at once, or refuses with conflict those that find the subscription changed", async () => {
    const { id } = await create()
    const update = { updateType: "new-account-number" }
    const answers = await Promise.all(Array.from({ length: 24 }, () => simulate(id, update)))
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    for (const answer of answers) if (answer.status !== 200) expectProblem(answer, "conflict")
  })

  test("is refused with conflict unless the subscription is active, with forbidden in production", async () => {
    const update = { updateType: "contact-cardholder" }
    for (const digits of ["603", "606"]) {
      const { id } = await create({ number: outcomeNumber("visa", digits) })
      expectProblem(await simulate(id, update), "conflict")
    }
    const { auth } = service.production
    expectProblem(await simulate(UNKNOWN, update, { auth }), "forbidden")
  })

  test.each<object>([
    {},
    { updateType: "marker-7f3a" },
    { updateType: "account-closure", expiry: OTHER_EXPIRY },
    { updateType: "contact-cardholder", number: CARD.number },
    { updateType: "new-expiry-date", number: CARD.number },
    { updateType: "new-account-number", number: "4242424242424241" },
    { updateType: "new-account-number", expiry: { month: "0", year: "40" } },
  ])("refuses %j with invalid-request", async (update) => {
    const { id } = await create()
    const answer = await simulate(id, update)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toMatch(/marker-7f3a|424242/)
  })
})

describe("a subscription", () => {
  test("is gone once it is deleted, and its merchant can be deleted only then", async () => {
    const merchant = await newMerchant()
    const { id } = await create({ merchant })
    expectProblem(await service.delete(`/payments/merchants/${merchant}`), "conflict")
    expect((await service.delete(`${PATH}/${id}`)).status).toBe(204)
    for (const answer of await everyCall(id)) expectProblem(answer, "not-found")
    expect((await service.delete(`/payments/merchants/${merchant}`)).status).toBe(204)
  })

  test("holds no merchant once it has ended", async () => {
    const merchant = await newMerchant()
    const { id } = await create({ merchant })
    await simulate(id, { updateType: "account-closure" })
    await vi.waitFor(async () => {
      expect((await service.delete(`/payments/merchants/${merchant}`)).status).toBe(204)
    }, 10_000)
    expect(await show(id)).toMatchObject({ status: "ended" })
  })

  test("never exists without its merchant, whichever request comes first", async () => {
    for (let round = 0; round < 5; round++) {
      const merchant = await newMerchant()
      const [made, deleted] = await Promise.all([
        post({ merchant }),
        service.delete(`/payments/merchants/${merchant}`),
      ])
      if (made.status === 201) expectProblem(deleted, "conflict")
      else expectProblem(made, "not-found")
    }
  })

  test.each([UNKNOWN, "nonsense", "card_00000000000000000000000000"])(
    "is not found by the id %s",
    async (id) => {
      for (const answer of await everyCall(id)) expectProblem(answer, "not-found")
    },
  )

  test("is not found by another app", async () => {
    const { id } = await create()
    const { auth } = await service.newApp("sandbox")
    for (const answer of await everyCall(id, { auth })) expectProblem(answer, "not-found")
    expect(await show(id)).toMatchObject({ status: "active" })
  })

  test("is refused with unauthorized without credentials", async () => {
    const nobody = { auth: null }
    const answers = [
      ...(await everyCall(UNKNOWN, nobody)),
      await service.post(PATH, {}, nobody),
      await service.get(PATH, nobody),
    ]
    for (const answer of answers) expectProblem(answer, "unauthorized")
  })

  test("audits its creation, change and deletion, and each decryption of its number", async () => {
    const { auth, app } = await service.newApp("sandbox")
    const number = (await service.post("/encrypt", JSON.stringify(CARD.number), { auth })).json
    const { id } = await create({ number }, { auth })
    await simulate(id, { updateType: "contact-cardholder" }, { auth })
    await service.delete(`${PATH}/${id}`, { auth })
    const audit = await service.get(`/audit-logs?limit=100`, { auth: service.team.auth })
    const { data } = z.object({ data: z.array(z.looseObject({ action: z.string() })) }).parse(audit.json)
    const actions = data.filter(({ target }) => (target as { id?: string }).id === id)
    expect(actions.map(({ action }) => action)).toEqual(
      ["delete", "simulate", "create"].map((verb) => `card-subscription.${verb}`),
    )
    expect(actions[0]).toMatchObject({ appId: app.id, target: { type: "card-subscription" } })
    await vi.waitFor(async () => {
      const { json } = await service.get("/access-logs", { auth })
      expect(z.object({ data: z.array(z.unknown()) }).parse(json).data).toHaveLength(1)
    }, 10_000)
  })

  test("reports each update by one event, with the new number as a token", async () => {
    const { auth } = await service.newApp("sandbox")
    const listener = idOf(await service.post("/webhook-listeners", { events: ["payments.*"] }, { auth }))
    const { id } = await create({}, { auth })
    for (const update of [
      { updateType: "new-account-number", number: OTHER_NUMBER, expiry: OTHER_EXPIRY },
      { updateType: "new-expiry-date", expiry: CARD.expiry },
      { updateType: "contact-cardholder" },
      { updateType: "account-closure" },
    ]) {
      expect((await simulate(id, update, { auth })).status).toBe(200)
    }
    const told = new Map<string, z.infer<typeof eventSchema>>()
    await vi.waitFor(async () => {
      const { json } = await service.post(`/webhook-listeners/${listener}/fetch`, {}, { auth })
      for (const event of z.object({ data: z.array(eventSchema) }).parse(json).data) {
        if (event.type.startsWith("payments.account")) told.set(String(event.data.updateType), event)
      }
      expect(told.size).toBe(4)
    }, 10_000)
    const replacement = z.object({ number: z.string() })
    const newNumber = told.get("new-account-number")?.data
    const { number } = z.object({ replacement }).parse(newNumber).replacement
    expect((await service.post("/decrypt", JSON.stringify(number), { auth })).json).toBe(OTHER_NUMBER)
    const at = { subscription: id, occurredAt: expect.any(Number) }
    expect(Object.fromEntries([...told].map(([type, { data }]) => [type, data]))).toEqual({
      "new-account-number": {
        ...at,
        updateType: "new-account-number",
        replacement: { number, expiry: OTHER_EXPIRY },
      },
      "new-expiry-date": {
        ...at,
        updateType: "new-expiry-date",
        replacement: { number, expiry: CARD.expiry },
      },
      "contact-cardholder": { ...at, updateType: "contact-cardholder" },
      "account-closure": { ...at, updateType: "account-closure" },
    })
  })
})

async function everyCall(id: string, options: CallOptions = {}): Promise<readonly Answer[]> {
  return [
    await service.get(`${PATH}/${id}`, options),
    await simulate(id, { updateType: "contact-cardholder" }, options),
    await service.delete(`${PATH}/${id}`, options),
  ]
}
