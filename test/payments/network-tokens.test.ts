import { outcomeNumber } from "@sealway/payments/testing"
import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { CARD, MERCHANT } from "../support/payment-requests.ts"
import { expectProblem } from "../support/problem.ts"
import { type Answer, type CallOptions, useService } from "../support/service.ts"

const service = useService()

const PATH = "/payments/network-tokens"
const UNKNOWN = "network_token_00000000000000000000000000"
const NO_MERCHANT = "merchant_00000000000000000000000000"
const OTHER_EXPIRY = { month: "01", year: "45" }

const expirySchema = z.strictObject({ month: z.string(), year: z.string() })
const tokenSchema = z.strictObject({
  id: z.string().regex(/^network_token_[0-9a-hjkmnp-tv-z]{26}$/),
  merchant: z.string(),
  number: z.string().regex(/^ev:/),
  expiry: expirySchema,
  card: z.strictObject({
    lastFour: z.string(),
    expiry: expirySchema,
    brand: z.string().optional(),
    funding: z.string().optional(),
    segment: z.string().optional(),
    country: z.string().optional(),
    currency: z.string().optional(),
    issuer: z.string().optional(),
  }),
  tokenRequestorIdentifier: z.string(),
  paymentAccountReference: z.string().optional(),
  tokenServiceProvider: z.enum(["mdes", "vts", "aets"]),
  status: z.string(),
  createdAt: z.int(),
  updatedAt: z.int().optional(),
})
const cryptogramSchema = z.strictObject({
  id: z.string().regex(/^network_token_cryptogram_[0-9a-hjkmnp-tv-z]{26}$/),
  cryptogram: z.base64(),
  eci: z.string().optional(),
  createdAt: z.int(),
})
const idSchema = z.object({ id: z.string() })

const idOf = ({ json, status, text }: Answer): string => {
  expect(status, text).toBeLessThan(300)
  return idSchema.parse(json).id
}
const newMerchant = async (changes: object = {}, options: CallOptions = {}) =>
  idOf(await service.post("/payments/merchants", { ...MERCHANT, ...changes }, options))
const tokenOf = ({ status, text, json }: Answer, expected = 201) => {
  expect(status, text).toBe(expected)
  return tokenSchema.parse(json)
}
const post = async (card: unknown, options: CallOptions = {}, merchant?: string) =>
  service.post(PATH, { card, merchant: merchant ?? (await newMerchant({}, options)) }, options)
const create = async (card: unknown = CARD, options: CallOptions = {}) => tokenOf(await post(card, options))
const show = async (id: string, options: CallOptions = {}) =>
  tokenOf(await service.get(`${PATH}/${id}`, options), 200)
const simulate = (id: string, update: object, options: CallOptions = {}) =>
  service.post(`${PATH}/${id}/simulate`, update, options)
const cryptogramOf = (id: string, options: CallOptions = {}) =>
  service.post(`${PATH}/${id}/cryptograms`, undefined, options)
const decrypt = async (token: string) => (await service.post("/decrypt", JSON.stringify(token))).json

describe("POST /payments/network-tokens", () => {
  test.each([
    ["visa", "4242424242424242", "vts", /^489537[0-9]{10}$/],
    ["mastercard", "5555555555554444", "mdes", /^520099[0-9]{10}$/],
    ["american-express", "378282246310005", "aets", /^340099[0-9]{9}$/],
  ])("creates a token of a card of %s at its provider", async (brand, number, provider, pattern) => {
    const token = await create({ ...CARD, number, cvc: "123" })
    expect(token).toMatchObject({
      card: { brand, lastFour: number.slice(-4), expiry: CARD.expiry },
      tokenServiceProvider: provider,
      status: "active",
      tokenRequestorIdentifier: expect.stringMatching(/^[0-9]{11}$/),
    })
    const digits = String(await decrypt(token.number))
    expect(digits).toMatch(pattern)
    expect((await service.post("/payments/bin-lookups", { number: digits })).json).toMatchObject({
      type: "network-token",
      brand,
    })
    const { paymentAccountReference } = token
    expect((await service.post("/payments/par-lookups", { number })).json).toMatchObject({
      paymentAccountReference,
    })
    expect(await show(token.id)).toEqual(token)
  })

  test("accepts the number and the security code as tokens", async () => {
    const [number, cvc] = await Promise.all(
      [CARD.number, "123"].map(async (value) => (await service.post("/encrypt", JSON.stringify(value))).json),
    )
    expect(await create({ ...CARD, number, cvc })).toMatchObject({ card: { lastFour: "4242" } })
  })

  test("accepts a registered card, and uses the card that replaced it", async () => {
    const { auth } = await service.newApp("sandbox")
    const id = idOf(await service.post("/payments/cards", CARD, { auth }))
    expect(await create(id, { auth })).toMatchObject({ card: { lastFour: "4242", expiry: CARD.expiry } })
    const number = "5555555555554444"
    const update = { updateType: "new-account-number", number, expiry: OTHER_EXPIRY }
    await service.post(`/payments/cards/${id}/simulate`, update, { auth })
    expect(await create(id, { auth })).toMatchObject({ card: { lastFour: "4444", expiry: OTHER_EXPIRY } })
  })

  test("is refused with invalid-card for a registered card that is closed, or whose replacement is deleted", async () => {
    const { auth } = await service.newApp("sandbox")
    const id = idOf(await service.post("/payments/cards", CARD, { auth }))
    const update = (updateType: string) =>
      service.post(`/payments/cards/${id}/simulate`, { updateType }, { auth })
    await update("account-closure")
    expectProblem(await post(id, { auth }), "payments/network-tokens/invalid-card")
    const other = idOf(
      await service.post("/payments/cards", { ...CARD, number: "5555555555554444" }, { auth }),
    )
    const replaced = await service.post(
      `/payments/cards/${other}/simulate`,
      { updateType: "new-expiry-date" },
      { auth },
    )
    const { replacement } = z.object({ replacement: z.string() }).parse(replaced.json)
    await service.delete(`/payments/cards/${replacement}`, { auth })
    expectProblem(await post(other, { auth }), "payments/network-tokens/invalid-card")
  })

  test("is refused with expired-card from the month after the card's expiry", async () => {
    const now = new Date()
    const monthOf = (date: Date) => ({
      month: String(date.getUTCMonth() + 1).padStart(2, "0"),
      year: String(date.getUTCFullYear() % 100),
    })
    expect((await post({ ...CARD, expiry: monthOf(now) })).status).toBe(201)
    const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1))
    const expired = await post({ ...CARD, expiry: monthOf(before) })
    expectProblem(expired, "payments/network-tokens/expired-card")
  })

  test.each(["discover", "diners-club", "jcb", "unionpay"] as const)(
    "is refused with ineligible-card for %s",
    async (brand) => {
      const number = outcomeNumber(brand, "999")
      expectProblem(await post({ ...CARD, number }), "payments/network-tokens/ineligible-card")
    },
  )

  test("is refused with ineligible-card for a number that is a network token", async () => {
    const { number } = await create()
    expectProblem(await post({ ...CARD, number }), "payments/network-tokens/ineligible-card")
  })

  test.each(["Shop Pending", "Shop Failed"])("is refused with merchant-not-ready for %s", async (name) => {
    const merchant = await newMerchant({ name })
    expectProblem(await post(CARD, {}, merchant), "payments/network-tokens/merchant-not-ready")
  })

  test("leaves nothing behind that blocks the merchant when it is refused", async () => {
    const merchant = await newMerchant()
    const number = outcomeNumber("visa", "203")
    expectProblem(
      await post({ ...CARD, number }, {}, merchant),
      "payments/network-tokens/declined-tokenization",
    )
    expect((await service.delete(`/payments/merchants/${merchant}`)).status).toBe(204)
  })

  test("is refused with not-found for a merchant or a card that the app does not have", async () => {
    const { auth } = await service.newApp("sandbox")
    const merchant = await newMerchant({}, { auth })
    const card = idOf(await service.post("/payments/cards", CARD, { auth }))
    for (const id of [NO_MERCHANT, "nonsense", merchant]) expectProblem(await post(CARD, {}, id), "not-found")
    for (const id of ["card_00000000000000000000000000", "nonsense", card]) {
      expectProblem(await post(id), "not-found")
    }
  })

  test("is refused with decrypt/forbidden when a role forbids the number, of a registered card too", async () => {
    const { auth } = await service.newApp("sandbox")
    await service.post("/data-roles", { slug: "pci", name: "Cards" }, { auth })
    const policy = { name: "Permit", effect: "permit", roles: ["pci"], conditions: { sources: ["api"] } }
    const permit = idOf(await service.post("/data-policies", policy, { auth }))
    const headers = { "x-service-data-role": "pci" }
    const number = (await service.post("/encrypt", JSON.stringify(CARD.number), { auth, headers })).json
    const card = idOf(await service.post("/payments/cards", { ...CARD, number }, { auth }))
    expect((await post(card, { auth })).status).toBe(201)
    await service.delete(`/data-policies/${permit}`, { auth })
    await vi.waitFor(async () => expectProblem(await post(card, { auth }), "decrypt/forbidden"), {
      timeout: 15_000,
      interval: 500,
    })
    expectProblem(await post({ ...CARD, number }, { auth }), "decrypt/forbidden")
  }, 30_000)

  test("creates one token for a request repeated with its Idempotency-Key", async () => {
    const merchant = await newMerchant()
    const headers = { "idempotency-key": "token-1" }
    const first = await service.post(PATH, { card: CARD, merchant }, { headers })
    expect(first.status).toBe(201)
    expect((await service.post(PATH, { card: CARD, merchant }, { headers })).text).toBe(first.text)
  })

  test.each<[string, object, string]>([
    ["no card", { card: undefined }, "/card"],
    ["a card without a number", { card: { expiry: CARD.expiry } }, "/card/number"],
    ["a number that fails Luhn", { card: { ...CARD, number: "4242424242424241" } }, "/card/number"],
    ["a token that does not open", { card: { ...CARD, number: "ev:marker-7f3a" } }, "/card/number"],
    ["a security code of two digits", { card: { ...CARD, cvc: "12" } }, "/card/cvc"],
    ["a security code with letters", { card: { ...CARD, cvc: "mark" } }, "/card/cvc"],
    ["a card without an expiry", { card: { number: CARD.number } }, "/card/expiry"],
    ["no merchant", { merchant: undefined }, "/merchant"],
    ["an unknown field", { "marker-7f3a": 1 }, ""],
  ])("refuses with invalid-request, without repeating it, %s", async (_, changes, pointer) => {
    const answer = await service.post(PATH, { card: CARD, merchant: await newMerchant(), ...changes })
    expectProblem(answer, "invalid-request")
    const { fields } = z.object({ fields: z.array(z.object({ pointer: z.string() })) }).parse(answer.json)
    expect(pointer.startsWith(fields[0]?.pointer ?? "?")).toBe(true)
    expect(answer.text).not.toMatch(/marker-7f3a|42424242/)
  })

  test("refuses another app's token with invalid-request, and more than 64 KB with payload-too-large", async () => {
    const { auth } = await service.newApp("sandbox")
    const number = (await service.post("/encrypt", JSON.stringify(CARD.number), { auth })).json
    expectProblem(await post({ ...CARD, number }), "invalid-request")
    expectProblem(await post({ ...CARD, number: "4".repeat(65_536) }), "payload-too-large")
  })
})

describe("POST /payments/network-tokens/{network_token_id}/cryptograms", () => {
  test("returns another cryptogram each time", async () => {
    const { id } = await create()
    const made = await Promise.all(Array.from({ length: 5 }, () => cryptogramOf(id)))
    const cryptograms = made.map(({ json }) => cryptogramSchema.parse(json))
    expect(new Set(cryptograms.map(({ cryptogram }) => cryptogram)).size).toBe(5)
    for (const { cryptogram, eci } of cryptograms) {
      expect(Buffer.from(cryptogram, "base64")).toHaveLength(20)
      expect(eci).toBe("07")
    }
  })

  test("is answered once: a repetition with its Idempotency-Key returns none, and none is stored", async () => {
    const { id } = await create()
    const headers = { "idempotency-key": "cryptogram-1" }
    const first = await cryptogramOf(id, { headers })
    expect(first.status).toBe(201)
    for (let repetition = 0; repetition < 2; repetition++) {
      const repeated = await cryptogramOf(id, { headers })
      expectProblem(repeated, "idempotency-result-unknown")
      expect(repeated.text).not.toContain(cryptogramSchema.parse(first.json).cryptogram)
    }
    expect((await cryptogramOf(id, { headers: { "idempotency-key": "cryptogram-2" } })).status).toBe(201)
  })

  test("is refused with token-not-active while the token is not active, and may be repeated later", async () => {
    const { id } = await create()
    await simulate(id, { updateType: "new-token-status", status: "inactive" })
    const headers = { "idempotency-key": "cryptogram-3" }
    expectProblem(await cryptogramOf(id, { headers }), "payments/network-tokens/token-not-active")
    await simulate(id, { updateType: "new-token-status", status: "active" })
    expect((await cryptogramOf(id, { headers })).status).toBe(201)
  })
})

describe("GET /payments/network-tokens/{network_token_id}/card-art", () => {
  test("shows a picture of the card", async () => {
    const { id } = await create()
    const { json } = await service.get(`${PATH}/${id}/card-art`)
    expect(json).toEqual({ type: "image/svg+xml", data: expect.any(String), width: 1536, height: 969 })
    const { data } = z.object({ data: z.string() }).parse(json)
    expect(Buffer.from(data, "base64").toString()).toMatch(/^<svg .*<\/svg>$/)
  })
})

describe("POST /payments/network-tokens/{network_token_id}/simulate", () => {
  test("switches a token off and on, or to the given state", async () => {
    const { id } = await create()
    const status = async (update: object = {}) =>
      tokenOf(await simulate(id, { updateType: "new-token-status", ...update }), 200).status
    expect([await status(), await status(), await status({ status: "active" })]).toEqual([
      ...["inactive", "active", "active"],
    ])
  })

  test("gives the card under it another expiry and last four digits", async () => {
    const token = await create()
    const updateType = "new-card-expiry-and-last-four"
    const given = tokenOf(
      await simulate(token.id, { updateType, lastFour: "0123", expiry: OTHER_EXPIRY }),
      200,
    )
    expect(given).toEqual({
      ...token,
      card: { ...token.card, lastFour: "0123", expiry: OTHER_EXPIRY },
      updatedAt: expect.any(Number),
    })
    const made = tokenOf(await simulate(token.id, { updateType }), 200)
    expect(made.card).toMatchObject({ lastFour: expect.stringMatching(/^[0-9]{4}$/) })
    expect(made.card.expiry).toEqual({ month: "01", year: "48" })
  })

  test("gives the token another number and expiry", async () => {
    const token = await create()
    const updateType = "new-token-expiry-and-number"
    const body = { updateType, expiry: OTHER_EXPIRY }
    expectProblem(await simulate(token.id, { ...body, number: "4895370000000011" }), "invalid-request")
    const given = tokenOf(await simulate(token.id, { ...body, number: CARD.number }), 200)
    expect(await decrypt(given.number)).toBe(CARD.number)
    expect(given.expiry).toEqual(OTHER_EXPIRY)
    const made = tokenOf(await simulate(token.id, { updateType }), 200)
    expect(await decrypt(made.number)).toMatch(/^424242[0-9]{10}$/)
    expect(made.number).not.toBe(given.number)
  })

  test("changes a token once when its request is repeated with its Idempotency-Key", async () => {
    const { id } = await create()
    const headers = { "idempotency-key": "token-2" }
    const update = { updateType: "new-token-status" }
    const first = tokenOf(await simulate(id, update, { headers }), 200)
    expect(tokenOf(await simulate(id, update, { headers }), 200)).toEqual(first)
    expect(await show(id)).toMatchObject({ status: "inactive" })
  })

  test("is refused with conflict while a token is being provisioned, with forbidden in production", async () => {
    const { id } = await create({ ...CARD, number: outcomeNumber("visa", "206") })
    expectProblem(await simulate(id, { updateType: "new-token-status" }), "conflict")
    const { auth } = service.production
    expectProblem(await simulate(UNKNOWN, { updateType: "new-token-status" }, { auth }), "forbidden")
  })

  test.each<object>([
    {},
    { updateType: "marker-7f3a" },
    { updateType: "new-token-status", status: "deleted" },
    { updateType: "new-card-expiry-and-last-four", lastFour: "12345" },
    { updateType: "new-token-expiry-and-number", number: "4242424242424241" },
    { updateType: "new-token-status", "marker-7f3a": 1 },
  ])("refuses %j with invalid-request", async (update) => {
    const { id } = await create()
    const answer = await simulate(id, update)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toMatch(/marker-7f3a|424242/)
  })
})

describe("GET /payments/network-tokens", () => {
  const listSchema = z.strictObject({
    data: z.array(tokenSchema.omit({ number: true })),
    hasMore: z.boolean(),
    continueAfter: z.string().nullable(),
  })
  const list = async (query: string, options: CallOptions = {}) =>
    listSchema.parse((await service.get(`${PATH}?${query}`, options)).json)

  test("lists the app's tokens without their numbers, newest first, in pages, by merchant, status and last four digits", async () => {
    const { auth } = await service.newApp("sandbox")
    const merchant = await newMerchant({}, { auth })
    const made = [
      tokenOf(await post(CARD, { auth }, merchant)),
      await create({ ...CARD, number: outcomeNumber("visa", "999") }, { auth }),
    ].reverse()
    const shown = made.map(({ number: _number, ...token }) => token)
    expect(await list("", { auth })).toEqual({ data: shown, hasMore: false, continueAfter: null })
    const first = await list("limit=1", { auth })
    expect(first).toEqual({ data: shown.slice(0, 1), hasMore: true, continueAfter: shown[0]?.id })
    expect((await list(`limit=1&startingAfter=${first.continueAfter}`, { auth })).data).toEqual([shown[1]])
    for (const query of [`merchant=${merchant}`, "lastFour=4242"]) {
      expect((await list(query, { auth })).data).toEqual([shown[1]])
    }
    await simulate(made[0]?.id ?? "", { updateType: "new-token-status", status: "inactive" }, { auth })
    expect((await list("status=inactive", { auth })).data).toMatchObject([{ id: made[0]?.id }])
    await service.delete(`${PATH}/${made[0]?.id}`, { auth })
    expect((await list("", { auth })).data).toEqual([shown[1]])
    const stranger = await service.newApp("sandbox")
    expect((await list("", { auth: stranger.auth })).data).toEqual([])
  })

  test("is refused with forbidden without networkToken:read, and with unauthorized without credentials", async () => {
    const maker = await service.newKey(service.sandbox.app, ["networkToken:create"])
    expectProblem(await service.get(PATH, { auth: maker }), "forbidden")
    expectProblem(await service.get(PATH, { auth: null }), "unauthorized")
  })

  test.each([
    "status=marker-7f3a",
    "merchant=marker%207f3a",
    "lastFour=4",
    "limit=0",
    "startingAfter=card_00000000000000000000000000",
    "marker-7f3a=1",
  ])("refuses %s with invalid-request, without repeating it", async (query) => {
    const answer = await service.get(`${PATH}?${query}`)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toMatch(/marker|00000000/)
  })
})

describe("a merchant with a network token", () => {
  test("is not deleted, with conflict, until the token is", async () => {
    const merchant = await newMerchant()
    const { id } = tokenOf(await post(CARD, {}, merchant))
    expectProblem(await service.delete(`/payments/merchants/${merchant}`), "conflict")
    expect((await service.get(`/payments/merchants/${merchant}`)).status).toBe(200)
    expect((await service.delete(`${PATH}/${id}`)).status).toBe(204)
    expect((await service.delete(`/payments/merchants/${merchant}`)).status).toBe(204)
  })

  test("is never gone while its token exists, whichever request comes first", async () => {
    for (let round = 0; round < 10; round++) {
      const merchant = await newMerchant()
      const [made, deleted] = await Promise.all([
        post(CARD, {}, merchant),
        service.delete(`/payments/merchants/${merchant}`),
      ])
      const there = (await service.get(`/payments/merchants/${merchant}`)).status === 200
      if (made.status === 201)
        expect({ round, deleted: deleted.status, there }).toMatchObject({ deleted: 409, there })
      else expectProblem(made, "not-found")
      expect(there).toBe(deleted.status !== 204)
    }
  })
})

describe("a network token", () => {
  test("is gone once it is deleted", async () => {
    const { id } = await create()
    expect((await service.delete(`${PATH}/${id}`)).status).toBe(204)
    expectProblem(await service.get(`${PATH}/${id}`), "not-found")
    expectProblem(await service.delete(`${PATH}/${id}`), "not-found")
    expectProblem(await cryptogramOf(id), "not-found")
  })

  test.each([UNKNOWN, "nonsense", NO_MERCHANT])("is not found by the id %s", async (id) => {
    for (const answer of await everyCall(id)) expectProblem(answer, "not-found")
  })

  test("is not found by another app", async () => {
    const { id } = await create()
    const { auth } = await service.newApp("sandbox")
    for (const answer of await everyCall(id, { auth })) expectProblem(answer, "not-found")
    expect(await show(id)).toMatchObject({ status: "active" })
  })

  test("is refused with unauthorized without credentials", async () => {
    const nobody = { auth: null }
    for (const answer of [...(await everyCall(UNKNOWN, nobody)), await service.post(PATH, {}, nobody)]) {
      expectProblem(answer, "unauthorized")
    }
  })

  test("is reported by one event for each change", async () => {
    const { auth } = await service.newApp("sandbox")
    const listening = await service.post("/webhook-listeners", { events: ["payments.*"] }, { auth })
    const listener = idOf(listening)
    const { id } = await create(CARD, { auth })
    const changes = [
      await simulate(id, { updateType: "new-token-status" }, { auth }),
      await simulate(id, { updateType: "new-card-expiry-and-last-four" }, { auth }),
    ].map((answer) => tokenOf(answer, 200))
    const told = new Map<string, unknown>()
    await vi.waitFor(async () => {
      const { json } = await service.post(`/webhook-listeners/${listener}/fetch`, {}, { auth })
      const { data } = z.object({ data: z.array(z.looseObject({ id: z.string() })) }).parse(json)
      for (const event of data) told.set(event.id, event)
      expect(told.size).toBe(2)
    }, 10_000)
    expect([...told.values()]).toEqual(
      expect.arrayContaining(
        changes.map((data) => expect.objectContaining({ type: "payments.network-token.updated", data })),
      ),
    )
  })
})

async function everyCall(id: string, options: CallOptions = {}): Promise<readonly Answer[]> {
  return [
    await service.get(`${PATH}/${id}`, options),
    await service.get(`${PATH}/${id}/card-art`, options),
    await cryptogramOf(id, options),
    await simulate(id, { updateType: "new-token-status" }, options),
    await service.delete(`${PATH}/${id}`, options),
  ]
}
