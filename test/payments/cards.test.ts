import { luhnDigit } from "@sealway/kernel/card-number"
import { outcomeNumber } from "@sealway/payments/testing"
import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { CARD } from "../support/payment-requests.ts"
import { expectProblem } from "../support/problem.ts"
import { type Answer, type CallOptions, useService } from "../support/service.ts"

const service = useService()

const PATH = "/payments/cards"
const UNKNOWN = "card_00000000000000000000000000"
const OTHER_EXPIRY = { month: "01", year: "40" }

const cardSchema = z.strictObject({
  id: z.string().regex(/^card_[0-9a-hjkmnp-tv-z]{26}$/),
  number: z.string().regex(/^ev:/),
  expiry: z.strictObject({ month: z.string(), year: z.string() }),
  bin: z.string(),
  lastFour: z.string(),
  brand: z.string().optional(),
  funding: z.string().optional(),
  segment: z.string().optional(),
  country: z.string().optional(),
  currency: z.string().optional(),
  issuer: z.string().optional(),
  status: z.enum(["active", "replaced", "closed", "invalid"]),
  replacement: z.string().nullable(),
  automaticUpdates: z.enum(["enabled", "issuer-not-enrolled", "disabled"]),
  createdAt: z.int(),
  updatedAt: z.int().optional(),
})

let numbers = 0
/** Returns a number that no other test uses. */
function newNumber(): string {
  numbers += 1
  const body = `411111${String(numbers).padStart(9, "7")}`
  return body + luhnDigit(body)
}

const cardOf = ({ status, text, json }: Answer, expected = 201) => {
  expect(status, text).toBe(expected)
  return cardSchema.parse(json)
}
const register = async (changes: object = {}, options: CallOptions = {}) =>
  cardOf(await service.post(PATH, { ...CARD, number: newNumber(), ...changes }, options))
const show = async (id: string, options: CallOptions = {}) =>
  cardOf(await service.get(`${PATH}/${id}`, options), 200)
const simulate = (id: string, update: object, options: CallOptions = {}) =>
  service.post(`${PATH}/${id}/simulate`, update, options)
const decrypt = async (token: string) => (await service.post("/decrypt", JSON.stringify(token))).json

describe("POST /payments/cards", () => {
  test("registers a card and returns its number as a token", async () => {
    const { auth } = await service.newApp("sandbox")
    const card = await register({ number: CARD.number }, { auth })
    expect(card).toMatchObject({
      expiry: CARD.expiry,
      bin: "42424242",
      lastFour: "4242",
      brand: "visa",
      funding: "credit",
      country: "us",
      status: "active",
      replacement: null,
      automaticUpdates: "enabled",
    })
    expect((await service.post("/decrypt", JSON.stringify(card.number), { auth })).json).toBe(CARD.number)
    expect(await show(card.id, { auth })).toEqual(card)
  })

  test("keeps a number that is given as a token as that token", async () => {
    const token = (await service.post("/encrypt", JSON.stringify(newNumber()))).json
    expect((await register({ number: token })).number).toBe(token)
  })

  test("returns the same card, set to the given expiry, when a number is posted again in any form", async () => {
    const number = newNumber()
    const card = await register({ number })
    const again = cardOf(await service.post(PATH, { ...CARD, number }), 200)
    expect(again).toEqual(card)
    const token = (await service.post("/encrypt", JSON.stringify(number))).json
    const later = cardOf(await service.post(PATH, { number: token, expiry: OTHER_EXPIRY }), 200)
    expect(later).toEqual({ ...card, expiry: OTHER_EXPIRY, updatedAt: expect.any(Number) })
  })

  test("creates one card when a number is posted many times at once", async () => {
    const number = newNumber()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => service.post(PATH, { ...CARD, number })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201])
    expect(new Set(answers.map(({ json }) => cardSchema.parse(json).id)).size).toBe(1)
  })

  test("gives the same answer, with 201, when a request is repeated with its Idempotency-Key", async () => {
    const body = { ...CARD, number: newNumber() }
    const headers = { "idempotency-key": "card-1" }
    const first = await service.post(PATH, body, { headers })
    expect(first.status).toBe(201)
    expect(await service.post(PATH, body, { headers })).toMatchObject({ status: 201, text: first.text })
  })

  test("accepts an expiry that has passed, and numbers of 12 to 19 digits, also of unknown brands", async () => {
    expect(await register({ expiry: { month: "01", year: "20" } })).toMatchObject({ status: "active" })
    const unknown = await register({ number: `90000000000${luhnDigit("90000000000")}` })
    expect(unknown).toMatchObject({
      bin: "900000",
      lastFour: expect.stringMatching(/^000/),
      automaticUpdates: "disabled",
    })
    expect(unknown).not.toHaveProperty("brand")
    const body = "411111000000000000"
    expect(await register({ number: body + luhnDigit(body) })).toMatchObject({ bin: "41111100" })
  })

  test("switches updates off and on", async () => {
    const number = newNumber()
    expect(await register({ number, automaticUpdates: false })).toMatchObject({
      automaticUpdates: "disabled",
    })
    const post = async (changes: object) =>
      cardOf(await service.post(PATH, { ...CARD, number, ...changes }), 200)
    expect(await post({})).toMatchObject({ automaticUpdates: "disabled" })
    expect(await post({ automaticUpdates: true })).toMatchObject({ automaticUpdates: "enabled" })
    expect(await post({ automaticUpdates: false })).toMatchObject({ automaticUpdates: "disabled" })
    const discover = await register({ number: outcomeNumber("discover", "999") })
    expect(discover).toMatchObject({ brand: "discover", automaticUpdates: "disabled" })
  })

  test("makes an invalid card valid again once another expiry is given", async () => {
    const { auth } = await service.newApp("sandbox")
    const number = outcomeNumber("visa", "602")
    const { id } = await register({ number }, { auth })
    await vi.waitFor(
      async () => expect(await show(id, { auth })).toMatchObject({ status: "invalid" }),
      10_000,
    )
    expect(cardOf(await service.post(PATH, { ...CARD, number }, { auth }), 200)).toMatchObject({
      status: "invalid",
      automaticUpdates: "disabled",
    })
    const corrected = await service.post(PATH, { number, expiry: OTHER_EXPIRY }, { auth })
    expect(cardOf(corrected, 200)).toMatchObject({ id, status: "active", automaticUpdates: "enabled" })
  })

  test("is refused with decrypt/forbidden when the role of a token's number forbids it", async () => {
    const { auth } = await service.newApp("sandbox")
    await service.post("/data-roles", { slug: "pci", name: "Cards" }, { auth })
    const headers = { "x-service-data-role": "pci" }
    const token = (await service.post("/encrypt", JSON.stringify(newNumber()), { auth, headers })).json
    expectProblem(await service.post(PATH, { ...CARD, number: token }, { auth }), "decrypt/forbidden")
  })

  test.each<[string, object, string]>([
    ["no number", { number: undefined }, "/number"],
    ["a number of 11 digits", { number: "42424242424" }, "/number"],
    ["a number of 20 digits", { number: "42424242424242424242" }, "/number"],
    ["a number that fails Luhn", { number: "4242424242424241" }, "/number"],
    ["a number with blanks", { number: "4242 4242 4242 4242" }, "/number"],
    ["a token that does not open", { number: "ev:marker-7f3a" }, "/number"],
    ["a number that is a number", { number: 4242424242424242 }, "/number"],
    ["no expiry", { expiry: undefined }, "/expiry"],
    ["a month 13", { expiry: { month: "13", year: "39" } }, "/expiry/month"],
    ["a year of four digits", { expiry: { month: "12", year: "2039" } }, "/expiry/year"],
    ["automaticUpdates as text", { automaticUpdates: "marker-7f3a" }, "/automaticUpdates"],
    ["an unknown field", { "marker-7f3a": 1 }, ""],
  ])("refuses with invalid-request, without repeating it, %s", async (_, changes, pointer) => {
    const answer = await service.post(PATH, { ...CARD, ...changes })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer }] })
    expect(answer.text).not.toMatch(/marker-7f3a|42424242/)
  })

  test("refuses another app's token with invalid-request, and more than 64 KB with payload-too-large", async () => {
    const { auth } = await service.newApp("sandbox")
    const token = (await service.post("/encrypt", JSON.stringify(CARD.number), { auth })).json
    expectProblem(await service.post(PATH, { ...CARD, number: token }), "invalid-request")
    expectProblem(await service.post(PATH, { ...CARD, number: "4".repeat(65_536) }), "payload-too-large")
  })

  test("is refused with service-unavailable for a production app without a connector", async () => {
    const { auth } = service.production
    expectProblem(await service.post(PATH, CARD, { auth }), "service-unavailable")
  })
})

describe("POST /payments/cards/{card_id}/simulate", () => {
  test("replaces a card by one with a new number, which is registered like it", async () => {
    const number = newNumber()
    const card = await register({ number })
    const replaced = cardOf(await simulate(card.id, { updateType: "new-account-number" }), 200)
    expect(replaced).toEqual({
      ...card,
      status: "replaced",
      replacement: expect.any(String),
      automaticUpdates: "enabled",
      updatedAt: expect.any(Number),
    })
    const replacement = await show(String(replaced.replacement))
    expect(replacement).toMatchObject({
      status: "active",
      brand: "visa",
      automaticUpdates: "enabled",
      expiry: { month: "09", year: "42" },
    })
    expect(await decrypt(replacement.number)).toMatch(/^411111[0-9]{10}$/)
    await vi.waitFor(async () => expect(await show(card.id)).toEqual(replaced))
  })

  test("leaves the newest card and the old one as they are when the old number is posted again", async () => {
    const number = newNumber()
    const { id } = await register({ number })
    const second = cardOf(await simulate(id, { updateType: "new-account-number" }), 200).replacement
    await simulate(String(second), { updateType: "new-expiry-date" })
    const before = [await show(id), await show(String(second))]
    const newest = await show(String(before[1]?.replacement))
    const again = { number, expiry: OTHER_EXPIRY, automaticUpdates: false }
    expect(cardOf(await service.post(PATH, again), 200)).toEqual(newest)
    expect([await show(id), await show(String(second))]).toEqual(before)
  })

  test("accepts a given number and expiry, plain and as a token", async () => {
    const given = [newNumber(), newNumber()]
    const token = (await service.post("/encrypt", JSON.stringify(given[1]))).json
    for (const [index, number] of [given[0], token].entries()) {
      const { id } = await register()
      const update = { updateType: "new-account-number", number, expiry: OTHER_EXPIRY }
      const { replacement } = cardOf(await simulate(id, update), 200)
      const made = await show(String(replacement))
      expect(made).toMatchObject({ expiry: OTHER_EXPIRY })
      expect(await decrypt(made.number)).toBe(given[index])
      if (index === 1) expect(made.number).toBe(token)
    }
  })

  test("replaces a card by one with a new expiry and the same token, and its number then belongs to that one", async () => {
    const number = newNumber()
    const card = await register({ number })
    const update = { updateType: "new-expiry-date", expiry: OTHER_EXPIRY }
    const replaced = cardOf(await simulate(card.id, update), 200)
    expect(replaced).toMatchObject({ status: "replaced", expiry: CARD.expiry })
    const { replacement } = replaced
    expect(await show(String(replacement))).toMatchObject({ number: card.number, expiry: OTHER_EXPIRY })
    const again = await service.post(PATH, { number, expiry: OTHER_EXPIRY })
    expect(cardOf(again, 200)).toMatchObject({ id: replacement, status: "active" })
  })

  test("names the card that a new number belongs to already", async () => {
    const number = newNumber()
    const known = await register({ number })
    const { id } = await register()
    const replaced = cardOf(await simulate(id, { updateType: "new-account-number", number }), 200)
    expect(replaced.replacement).toBe(known.id)
    expect(await show(known.id)).toEqual(known)
  })

  test("closes a card, which is not replaced or closed again: 409 conflict", async () => {
    const { id } = await register()
    expect(cardOf(await simulate(id, { updateType: "account-closure" }), 200)).toMatchObject({
      status: "closed",
      replacement: null,
      automaticUpdates: "enabled",
    })
    for (const updateType of ["account-closure", "new-account-number", "new-expiry-date"]) {
      expectProblem(await simulate(id, { updateType }), "conflict")
    }
  })

  test("changes a card once when its request is repeated with its Idempotency-Key", async () => {
    const { id } = await register()
    const headers = { "idempotency-key": "card-2" }
    const update = { updateType: "new-account-number" }
    const first = cardOf(await simulate(id, update, { headers }), 200)
    expect(cardOf(await simulate(id, update, { headers }), 200)).toEqual(first)
  })

  test("accepts one of many concurrent updates", async () => {
    const { id } = await register()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => simulate(id, { updateType: "new-account-number" })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expectProblem(answer, "conflict")
  })

  test("is refused with forbidden in a production app", async () => {
    const { auth } = service.production
    expectProblem(await simulate(UNKNOWN, { updateType: "account-closure" }, { auth }), "forbidden")
  })

  test.each<object>([
    {},
    { updateType: "marker-7f3a" },
    { updateType: "account-closure", expiry: OTHER_EXPIRY },
    { updateType: "new-expiry-date", number: "4242424242424242" },
    { updateType: "new-account-number", number: "4242424242424241" },
    { updateType: "new-account-number", expiry: { month: "0", year: "40" } },
  ])("refuses %j with invalid-request", async (update) => {
    const { id } = await register()
    const answer = await simulate(id, update)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toMatch(/marker-7f3a|424242/)
  })
})

describe("GET /payments/cards", () => {
  const listSchema = z.strictObject({
    data: z.array(cardSchema.omit({ number: true })),
    hasMore: z.boolean(),
    continueAfter: z.string().nullable(),
  })
  const list = async (query: string, options: CallOptions = {}) =>
    listSchema.parse((await service.get(`${PATH}?${query}`, options)).json)

  test("lists the app's cards without their numbers, newest first, in pages, by status and last four digits", async () => {
    const { auth } = await service.newApp("sandbox")
    const made = [
      await register({ number: CARD.number }, { auth }),
      await register({}, { auth }),
      await register({}, { auth }),
    ].reverse()
    const shown = made.map(({ number: _number, ...card }) => card)
    expect(await list("", { auth })).toEqual({ data: shown, hasMore: false, continueAfter: null })
    const first = await list("limit=2", { auth })
    expect(first).toEqual({ data: shown.slice(0, 2), hasMore: true, continueAfter: shown[1]?.id })
    const rest = await list(`limit=2&startingAfter=${first.continueAfter}`, { auth })
    expect(rest).toEqual({ data: shown.slice(2), hasMore: false, continueAfter: null })
    expect((await list("lastFour=4242", { auth })).data).toEqual([shown[2]])
    await simulate(made[0]?.id ?? "", { updateType: "account-closure" }, { auth })
    expect((await list("status=closed", { auth })).data).toMatchObject([{ id: made[0]?.id }])
    await service.delete(`${PATH}/${made[1]?.id}`, { auth })
    expect((await list("", { auth })).data.map(({ id }) => id)).toEqual([made[0]?.id, made[2]?.id])
    const stranger = await service.newApp("sandbox")
    expect((await list("lastFour=4242", { auth: stranger.auth })).data).toEqual([])
  })

  test("is refused with forbidden without card:read, and with unauthorized without credentials", async () => {
    const { auth } = await service.newApp("sandbox")
    const maker = await service.newKey(service.sandbox.app, ["card:create"])
    expectProblem(await service.get(PATH, { auth: maker }), "forbidden")
    expectProblem(await service.get(PATH, { auth: null }), "unauthorized")
    expect((await list("", { auth })).data).toEqual([])
  })

  test.each([
    "status=marker-7f3a",
    "lastFour=42424242",
    "limit=101",
    "startingAfter=network_token_00000000000000000000000000",
    "marker-7f3a=1",
  ])("refuses %s with invalid-request, without repeating it", async (query) => {
    const answer = await service.get(`${PATH}?${query}`)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toMatch(/marker|4242|00000000/)
  })
})

describe("DELETE /payments/cards/{card_id}", () => {
  test("deletes a card, and its number then registers another one", async () => {
    const number = newNumber()
    const { id } = await register({ number })
    expect((await service.delete(`${PATH}/${id}`)).status).toBe(204)
    expectProblem(await service.get(`${PATH}/${id}`), "not-found")
    expectProblem(await service.delete(`${PATH}/${id}`), "not-found")
    expectProblem(await simulate(id, { updateType: "account-closure" }), "not-found")
    expect((await register({ number })).id).not.toBe(id)
  })
})

describe("a card", () => {
  test.each([UNKNOWN, "nonsense", "merchant_00000000000000000000000000"])(
    "is not found by the id %s",
    async (id) => {
      expectProblem(await service.get(`${PATH}/${id}`), "not-found")
      expectProblem(await service.delete(`${PATH}/${id}`), "not-found")
      expectProblem(await simulate(id, { updateType: "account-closure" }), "not-found")
    },
  )

  test("is not found by another app, whose card for its number is another one", async () => {
    const number = newNumber()
    const { id } = await register({ number })
    const { auth } = await service.newApp("sandbox")
    expectProblem(await service.get(`${PATH}/${id}`, { auth }), "not-found")
    expectProblem(await service.delete(`${PATH}/${id}`, { auth }), "not-found")
    expectProblem(await simulate(id, { updateType: "account-closure" }, { auth }), "not-found")
    expect((await register({ number }, { auth })).id).not.toBe(id)
  })

  test("is refused with unauthorized without credentials", async () => {
    const nobody = { auth: null }
    expectProblem(await service.post(PATH, CARD, nobody), "unauthorized")
    expectProblem(await service.get(`${PATH}/${UNKNOWN}`, nobody), "unauthorized")
    expectProblem(await service.delete(`${PATH}/${UNKNOWN}`, nobody), "unauthorized")
    expectProblem(await simulate(UNKNOWN, {}, nobody), "unauthorized")
  })

  test("is reported, with its replacement, by one event for each change", async () => {
    const { auth } = await service.newApp("sandbox")
    const listener = await service.post("/webhook-listeners", { events: ["payments.*"] }, { auth })
    const { id: listenerId } = z.object({ id: z.string() }).parse(listener.json)
    const { id } = await register({}, { auth })
    const replaced = cardOf(await simulate(id, { updateType: "new-account-number" }, { auth }), 200)
    const closing = { updateType: "account-closure" }
    const closed = cardOf(await simulate(String(replaced.replacement), closing, { auth }), 200)
    const told = new Map<string, unknown>()
    await vi.waitFor(async () => {
      const { json } = await service.post(`/webhook-listeners/${listenerId}/fetch`, {}, { auth })
      const { data } = z.object({ data: z.array(z.looseObject({ id: z.string() })) }).parse(json)
      for (const event of data) told.set(event.id, event)
      expect(told.size).toBe(2)
    }, 10_000)
    expect([...told.values()]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "payments.card.updated", data: replaced }),
        expect.objectContaining({ type: "payments.card.updated", data: closed }),
      ]),
    )
  })
})
