import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { CARD, MERCHANT, WATCHED_CARD } from "../support/payment-requests.ts"
import { expectProblem } from "../support/problem.ts"
import { type Answer, type CallOptions, useService } from "../support/service.ts"

const service = useService()

const WATCHES = "/payments/retry-watches"
const UNKNOWN = "retry_watch_00000000000000000000000000"
const NO_MERCHANT = "merchant_00000000000000000000000000"
const ENROLLED = { ...MERCHANT, intelligentRetries: { enabled: true } }

const watchSchema = z.strictObject({
  id: z.string().regex(/^retry_watch_[0-9a-hjkmnp-tv-z]{26}$/),
  merchant: z.string(),
  card: z.strictObject({ lastFour: z.string(), brand: z.literal("mastercard") }),
  declinedAmount: z.int(),
  currency: z.string(),
  declinedAt: z.int(),
  status: z.string(),
  createdAt: z.int(),
  updatedAt: z.int().optional(),
})
const enrolmentSchema = z.strictObject({
  id: z.string().regex(/^retry_enrolment_[0-9a-hjkmnp-tv-z]{26}$/),
  network: z.literal("mastercard"),
  status: z.string(),
  createdAt: z.int(),
  updatedAt: z.int().optional(),
})
const pageSchema = z.object({ data: z.array(z.looseObject({ id: z.string() })), hasMore: z.boolean() })

const idOf = ({ json, status, text }: Answer): string => {
  expect(status, text).toBeLessThan(300)
  return z.object({ id: z.string() }).parse(json).id
}
const idsOf = ({ json }: Answer) => pageSchema.parse(json).data.map(({ id }) => id)
const newMerchant = async (changes: object = ENROLLED, options: CallOptions = {}) =>
  idOf(await service.post("/payments/merchants", { ...MERCHANT, ...changes }, options))
const enrolmentsOf = (merchant: string) => `/payments/merchants/${merchant}/retry-enrolments`
const enrol = (merchant: string, options: CallOptions = {}) =>
  service.post(enrolmentsOf(merchant), { network: "mastercard" }, options)
const switchOf = async (merchant: string) => {
  const { json } = await service.get(`/payments/merchants/${merchant}`)
  return z.object({ intelligentRetries: z.unknown() }).parse(json).intelligentRetries
}
const setSwitch = async (merchant: string, enabled: boolean) =>
  service.patch(`/payments/merchants/${merchant}`, { intelligentRetries: { enabled } })
const inputOf = (merchant: string, changes: object = {}) => ({
  merchant,
  card: WATCHED_CARD,
  declinedAmount: 1_000,
  currency: "EUR",
  declinedAt: Date.now(),
  ...changes,
})
const watchOf = ({ status, text, json }: Answer, expected = 201) => {
  expect(status, text).toBe(expected)
  return watchSchema.parse(json)
}
const watch = async (changes: object = {}, options: CallOptions = {}) =>
  service.post(WATCHES, inputOf(await newMerchant(ENROLLED, options), changes), options)
const create = async (options: CallOptions = {}) => watchOf(await watch({}, options))
const simulate = (id: string, body: object, options: CallOptions = {}) =>
  service.post(`${WATCHES}/${id}/simulate`, body, options)

describe("a retry enrolment", () => {
  test("and the switch of its merchant are one: the latest change counts, and both show it", async () => {
    const merchant = await newMerchant({})
    expect(idsOf(await service.get(enrolmentsOf(merchant)))).toEqual([])
    const made = enrolmentSchema.parse((await enrol(merchant)).json)
    expect(made.status).toBe("active")
    expect(await switchOf(merchant)).toEqual({ enabled: true, status: "active" })
    const path = `${enrolmentsOf(merchant)}/${made.id}`
    expect((await service.get(path)).json).toEqual(made)
    expect((await service.get(enrolmentsOf(merchant))).json).toEqual({ data: [made], hasMore: false })
    await setSwitch(merchant, false)
    expectProblem(await service.get(path), "not-found")
    expectProblem(await service.delete(path), "not-found")
    await setSwitch(merchant, true)
    const [again = ""] = idsOf(await service.get(enrolmentsOf(merchant)))
    expect(again).not.toBe(made.id)
    expect((await service.delete(`${enrolmentsOf(merchant)}/${again}`)).status).toBe(204)
    expect(await switchOf(merchant)).toEqual({ enabled: false, status: "inactive" })
  })

  test.each(["Shop", "Shop Pending"])("is refused with conflict when %s is enrolled", async (name) => {
    const merchant = await newMerchant({ ...ENROLLED, name })
    expectProblem(await enrol(merchant), "conflict")
  })

  test("is requested again as another one when it has failed", async () => {
    const merchant = await newMerchant({ ...ENROLLED, name: "Shop Failed" })
    const [first] = idsOf(await service.get(enrolmentsOf(merchant)))
    const again = enrolmentSchema.parse((await enrol(merchant)).json)
    expect(again).toMatchObject({ status: "failed" })
    expect(again.id).not.toBe(first)
  })

  test("is created once by concurrent callers", async () => {
    const merchant = await newMerchant({})
    const answers = await Promise.all(Array.from({ length: 4 }, () => enrol(merchant)))
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    for (const answer of answers) if (!made.includes(answer)) expectProblem(answer, "conflict")
  })

  test("is found by its own app and merchant only", async () => {
    const merchant = await newMerchant()
    const [id = ""] = idsOf(await service.get(enrolmentsOf(merchant)))
    const { auth } = await service.newApp("sandbox")
    for (const [owner, options] of [
      [merchant, { auth }],
      [NO_MERCHANT, {}],
      [await newMerchant(), {}],
    ] as const) {
      const path = `${enrolmentsOf(owner)}/${id}`
      expectProblem(await service.get(path, options), "not-found")
      expectProblem(await service.delete(path, options), "not-found")
    }
    for (const answer of [await enrol(merchant, { auth }), await enrol(NO_MERCHANT)]) {
      expectProblem(answer, "not-found")
    }
    expectProblem(await service.get(enrolmentsOf(merchant), { auth }), "not-found")
    expectProblem(await enrol(merchant, { auth: null }), "unauthorized")
  })

  test.each<object>([{}, { network: "visa" }, { network: "mastercard", "marker-7f3a": 1 }])(
    "is refused with invalid-request for %j",
    async (body) => {
      const answer = await service.post(enrolmentsOf(await newMerchant({})), body)
      expectProblem(answer, "invalid-request")
      expect(answer.text).not.toContain("marker-7f3a")
    },
  )
})

describe("POST /payments/retry-watches", () => {
  test("watches a card that is given plain, as a token, or as a registered one", async () => {
    const { auth } = await service.newApp("sandbox")
    const merchant = await newMerchant(ENROLLED, { auth })
    const token = (await service.post("/encrypt", JSON.stringify(WATCHED_CARD.number), { auth })).json
    const registered = idOf(await service.post("/payments/cards", WATCHED_CARD, { auth }))
    for (const card of [WATCHED_CARD, { ...WATCHED_CARD, number: token }, registered]) {
      const made = watchOf(await service.post(WATCHES, inputOf(merchant, { card }), { auth }))
      expect(made).toMatchObject({
        merchant,
        card: { lastFour: "4444", brand: "mastercard" },
        currency: "eur",
        declinedAmount: 1_000,
        status: "watching",
      })
      expect((await service.get(`${WATCHES}/${made.id}`, { auth })).json).toEqual(made)
    }
  })

  test.each<[string, object, string]>([
    ["a card of Visa", { card: CARD }, "/card/number"],
    ["a number that fails Luhn", { card: { ...WATCHED_CARD, number: "5555555555554445" } }, "/card/number"],
    ["a token that does not open", { card: { ...WATCHED_CARD, number: "ev:marker-7f3a" } }, "/card/number"],
    ["a card without an expiry", { card: { number: WATCHED_CARD.number } }, "/card"],
    ["a security code", { card: { ...WATCHED_CARD, cvc: "123" } }, "/card"],
    ["no card", { card: undefined }, "/card"],
    ["no merchant", { merchant: undefined }, "/merchant"],
    ["an amount below zero", { declinedAmount: -1 }, "/declinedAmount"],
    ["a part of a minor unit", { declinedAmount: 0.5 }, "/declinedAmount"],
    ["more than a number can hold", { declinedAmount: 2 ** 53 }, "/declinedAmount"],
    ["an amount as text", { declinedAmount: "1000" }, "/declinedAmount"],
    ["a currency that is none", { currency: "zzz" }, "/currency"],
    ["a time to come", { declinedAt: Date.now() + 3_600_000 }, "/declinedAt"],
    ["a time before 1970", { declinedAt: -1 }, "/declinedAt"],
    ["a time of 31 days ago", { declinedAt: Date.now() - 31 * 24 * 3_600_000 }, "/declinedAt"],
    ["an unknown field", { "marker-7f3a": 1 }, ""],
  ])("refuses with invalid-request, without repeating it, %s", async (_, changes, pointer) => {
    const answer = await watch(changes)
    expectProblem(answer, "invalid-request")
    const { fields } = z.object({ fields: z.array(z.object({ pointer: z.string() })) }).parse(answer.json)
    expect(fields[0]?.pointer.startsWith(pointer)).toBe(true)
    expect(answer.text).not.toMatch(/marker-7f3a|55555555/)
  })

  test("refuses a registered card of another brand, and a closed one, with invalid-request", async () => {
    const { auth } = await service.newApp("sandbox")
    const visa = idOf(await service.post("/payments/cards", CARD, { auth }))
    const closed = idOf(await service.post("/payments/cards", WATCHED_CARD, { auth }))
    const closure = { updateType: "account-closure" }
    await service.post(`/payments/cards/${closed}/simulate`, closure, { auth })
    for (const card of [visa, closed]) expectProblem(await watch({ card }, { auth }), "invalid-request")
  })

  test.each([
    ["is not enrolled", {}],
    ["is being enrolled", { ...ENROLLED, name: "Shop Pending" }],
    ["could not be enrolled", { ...ENROLLED, name: "Shop Failed" }],
  ])("is refused with merchant-not-ready for a merchant that %s", async (_, changes) => {
    const answer = await service.post(WATCHES, inputOf(await newMerchant(changes)))
    expectProblem(answer, "payments/retries/merchant-not-ready")
    expect(answer.status).toBe(422)
  })

  test("is refused with not-found for a merchant or a card that the app does not have", async () => {
    const { auth } = await service.newApp("sandbox")
    const merchant = await newMerchant(ENROLLED, { auth })
    const card = idOf(await service.post("/payments/cards", WATCHED_CARD, { auth }))
    for (const id of [merchant, NO_MERCHANT, "nonsense"]) {
      expectProblem(await service.post(WATCHES, inputOf(id)), "not-found")
    }
    for (const id of [card, "nonsense"]) expectProblem(await watch({ card: id }), "not-found")
  })

  test("is refused with decrypt/forbidden when a role forbids the number", async () => {
    const { auth } = await service.newApp("sandbox")
    await service.post("/data-roles", { slug: "pci", name: "Cards" }, { auth })
    const headers = { "x-service-data-role": "pci" }
    const number = (await service.post("/encrypt", JSON.stringify(WATCHED_CARD.number), { auth, headers }))
      .json
    const card = { ...WATCHED_CARD, number }
    expectProblem(await watch({ card }, { auth }), "decrypt/forbidden")
  })

  test("is refused with service-unavailable in a production app without a connector", async () => {
    const { auth } = await service.newApp("production")
    expectProblem(await service.post("/payments/merchants", ENROLLED, { auth }), "service-unavailable")
  })
})

describe("POST /payments/retry-watches/{retry_watch_id}/simulate", () => {
  test.each([
    ["retry-now", "signalled"],
    ["stop", "stopped"],
  ])("ends a watch by %s, once", async (signal, status) => {
    const { id } = await create()
    const ended = watchOf(await simulate(id, { signal }), 200)
    expect(ended).toMatchObject({ status, updatedAt: expect.any(Number) })
    for (const body of [{ signal }, { signal: "retry-now" }]) {
      expectProblem(await simulate(id, body), "conflict")
    }
    expect((await service.get(`${WATCHES}/${id}`)).json).toEqual(ended)
  })

  test("ends a watch by one of two concurrent signals, with one event", async () => {
    const { auth } = await service.newApp("sandbox")
    const listener = idOf(await service.post("/webhook-listeners", { events: ["payments.*"] }, { auth }))
    const { id } = await create({ auth })
    const answers = await Promise.all([
      simulate(id, { signal: "retry-now", confidence: "low" }, { auth }),
      simulate(id, { signal: "retry-now", confidence: "low" }, { auth }),
      simulate(id, { signal: "retry-now", confidence: "low" }, { auth }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    await vi.waitFor(async () => {
      const { json } = await service.post(`/webhook-listeners/${listener}/fetch`, {}, { auth })
      expect(json).toMatchObject({
        data: [
          {
            type: "payments.intelligent-retries.signal",
            data: { watch: id, signal: "retry-now", confidence: "low", occurredAt: expect.any(Number) },
          },
        ],
      })
    }, 10_000)
  })

  test("is refused with forbidden in production", async () => {
    const { auth } = service.production
    expectProblem(await simulate(UNKNOWN, { signal: "stop" }, { auth }), "forbidden")
  })

  test.each<object>([
    {},
    { signal: "marker-7f3a" },
    { signal: "stop", confidence: "sure" },
    { signal: "stop", "marker-7f3a": 1 },
  ])("refuses %j with invalid-request", async (body) => {
    const answer = await simulate((await create()).id, body)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toContain("marker-7f3a")
  })
})

describe("GET /payments/retry-watches", () => {
  test("lists watches newest first, by merchant, by status and page by page", async () => {
    const { auth } = await service.newApp("sandbox")
    const [one, two] = [await newMerchant(ENROLLED, { auth }), await newMerchant(ENROLLED, { auth })]
    const made: string[] = []
    for (const merchant of [one, two, one, one]) {
      made.unshift(watchOf(await service.post(WATCHES, inputOf(merchant), { auth })).id)
    }
    const [last = "", third, second = "", first] = made
    await simulate(last, { signal: "stop" }, { auth })
    await service.delete(`${WATCHES}/${second}`, { auth })
    const list = async (query: string) => idsOf(await service.get(`${WATCHES}?${query}`, { auth }))
    expect(await list("")).toEqual([last, third, first])
    expect(await list(`merchant=${two}`)).toEqual([])
    expect(await list(`merchant=${one}&status=watching`)).toEqual([third, first])
    expect(await list("status=stopped")).toEqual([last])
    const page = await service.get(`${WATCHES}?limit=1&status=watching`, { auth })
    expect(page.json).toMatchObject({ data: [{ id: third }], hasMore: true, continueAfter: third })
    expect(await list(`limit=1&status=watching&startingAfter=${third}`)).toEqual([first])
    expect(await list(`merchant=${NO_MERCHANT}`)).toEqual([])
  })

  test.each(["status=marker", "merchant=no%2Fid", "limit=0", "startingAfter=card_1", "marker=1"])(
    "refuses ?%s with invalid-request",
    async (query) => {
      expectProblem(await service.get(`${WATCHES}?${query}`), "invalid-request")
    },
  )
})

describe("a retry watch", () => {
  test("keeps its merchant from being deleted while it is watching", async () => {
    const merchant = await newMerchant()
    const [one, two] = await Promise.all(
      [inputOf(merchant), inputOf(merchant)].map((body) => service.post(WATCHES, body)),
    )
    const path = `/payments/merchants/${merchant}`
    expectProblem(await service.delete(path), "conflict")
    await simulate(watchOf(one as Answer).id, { signal: "stop" })
    expectProblem(await service.delete(path), "conflict")
    expect((await service.delete(`${WATCHES}/${watchOf(two as Answer).id}`)).status).toBe(204)
    // A worker releases the merchant of the one that has ended.
    await vi.waitFor(async () => expect((await service.delete(path)).status).toBe(204), 10_000)
  })

  test("never exists without its merchant, whichever request comes first", async () => {
    for (let round = 0; round < 5; round++) {
      const merchant = await newMerchant()
      const [made, deleted] = await Promise.all([
        service.post(WATCHES, inputOf(merchant)),
        service.delete(`/payments/merchants/${merchant}`),
      ])
      if (made.status === 201) expect({ round, deleted: deleted.status }).toEqual({ round, deleted: 409 })
      else expectProblem(made, "not-found")
    }
  })

  test("is gone once it is deleted, and not found by another app, by a malformed id or without credentials", async () => {
    const { id } = await create()
    const { auth } = await service.newApp("sandbox")
    const everyCall = async (name: string, options: CallOptions = {}) => [
      await service.get(`${WATCHES}/${name}`, options),
      await simulate(name, { signal: "stop" }, options),
      await service.delete(`${WATCHES}/${name}`, options),
    ]
    for (const answer of await everyCall(id, { auth })) expectProblem(answer, "not-found")
    for (const answer of await everyCall(id, { auth: null })) expectProblem(answer, "unauthorized")
    for (const name of [UNKNOWN, "nonsense"]) {
      for (const answer of await everyCall(name)) expectProblem(answer, "not-found")
    }
    expect((await service.delete(`${WATCHES}/${id}`)).status).toBe(204)
    for (const answer of await everyCall(id)) expectProblem(answer, "not-found")
  })
})
