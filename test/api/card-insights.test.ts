import { beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem, pointersOf } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()
const NUMBER = "4000000000000002"
const AMEX = "340000000000009"
const EXPIRY = { month: "09", year: "39" }
const CARD = { number: NUMBER, expiry: EXPIRY, cvv: "123" }
const ADDRESS = {
  postalCode: "94107",
  line1: "1 Main Street",
  city: "San Francisco",
  state: "CA",
  country: "US",
}
const CARDHOLDER = { firstName: "Ada", lastName: "Lovelace" }
const CONTACT = { email: "ada@example.com", phone: "0014155550100" }
const TOKEN = { number: NUMBER, cryptogram: "AgAAAAAABk4DWZ4C28yUQAAAAAA=", expiry: EXPIRY }
const ALL = [...["capabilities", "cvv", "cardholder", "address", "email", "phone"], "paymentAccountReference"]

const insight = (body: unknown, options: CallOptions = {}) => service.post("/insights/cards", body, options)
const encrypt = async (value: unknown, options: CallOptions = {}) =>
  String((await service.post("/encrypt", JSON.stringify(value), options)).json)
const role = (slug: string): CallOptions => ({ headers: { "x-service-data-role": slug } })

beforeAll(async () => {
  for (const slug of ["permitted", "forbidden"]) await service.newRole(service.sandbox.app, slug)
  const policy = { name: "By API", effect: "permit", roles: ["permitted"], conditions: { sources: ["api"] } }
  expect((await service.post("/data-policies", policy)).status).toBe(201)
})

describe("a card insight", () => {
  test("contains, by default, what is known of the number, and its fingerprint", async () => {
    const answer = await insight({ card: { number: "4242424242424242" } })
    expect(answer.status).toBe(201)
    const token = await encrypt("4242424242424242")
    const { json } = await service.post("/fingerprint", { token })
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^card_insight_[0-9a-z]{26}$/),
      fingerprint: z.object({ fingerprint: z.string() }).parse(json).fingerprint,
      bin: {
        type: "card",
        brand: "visa",
        funding: "credit",
        segment: "consumer",
        country: "us",
        currency: "usd",
        issuer: "Test Bank",
        productName: "Visa Classic",
        fastFunds: expect.any(Object),
        threeDS: expect.any(Object),
      },
      fees: null,
      createdAt: expect.any(Number),
    })
  })

  test("shows each requested extension and no other", async () => {
    const whole = { card: CARD, cardholder: CARDHOLDER, address: ADDRESS, ...CONTACT }
    const alone = Object.keys(z.looseObject({}).parse((await insight(whole)).json))
    for (const extension of ALL) {
      const { json } = await insight({ ...whole, extensions: [extension] })
      expect(Object.keys(z.looseObject({}).parse(json)).sort()).toEqual([...alone, extension].sort())
    }
    const { json } = await insight({ ...whole, extensions: [...ALL, ...ALL] })
    expect(json).toMatchObject({
      capabilities: {
        push: {
          enabled: true,
          network: "visa",
          type: "credit",
          regulated: false,
          currency: { alphaCode: "usd", numericCode: "840" },
          country: { alphaCode: "us", numericCode: "840" },
          availability: "immediate",
        },
        pull: { enabled: true },
      },
      fees: null,
      cvv: { code: "match", value: "M" },
      address: {
        avsIdentifier: expect.any(String),
        networkIdentifier: expect.any(String),
        networkResponseCode: { value: "85" },
        result: { value: "Y", address: "match", zip: "match" },
      },
      cardholder: {
        result: { code: "match-performed", value: "M" },
        fullName: { code: "match", value: "M" },
        firstName: { code: "match", value: "M" },
        lastName: { code: "match", value: "M" },
      },
      email: { code: "match", value: "M" },
      phone: { code: "match", value: "M" },
      paymentAccountReference: expect.stringMatching(/^[0-9A-Z]{29}$/),
    })
  })

  test.each([
    ["200", { code: "no-match", value: "N" }],
    ["201", { code: "not-processed", value: "P" }],
    ["202", { code: "not-present", value: "S" }],
    ["203", { code: "unsupported", value: "U" }],
  ])("reports the cvv %s in the sandbox as %j", async (cvv, expected) => {
    expect((await insight({ card: { ...CARD, cvv }, extensions: ["cvv"] })).json).toMatchObject({
      cvv: expected,
    })
  })

  test.each([
    [{ line1: "Nowhere" }, { value: "Z", address: "no-match", zip: "match" }],
    [{ postalCode: "99998" }, { value: "A", address: "match", zip: "no-match" }],
    [
      { postalCode: "99998", line1: "Nowhere" },
      { value: "N", address: "no-match", zip: "no-match" },
    ],
    [{ postalCode: "99997" }, { value: "U", address: "unavailable", zip: "unavailable" }],
    [{ postalCode: "99996" }, { value: "R", address: "unknown", zip: "unknown" }],
  ])("reports an address with %j in the sandbox as %j", async (changes, result) => {
    const address = { ...ADDRESS, ...changes }
    expect((await insight({ card: CARD, address, extensions: ["address"] })).json).toMatchObject({
      address: { result },
    })
  })

  test("reports what the network cannot check, and which names differ", async () => {
    const of = async (cardholder: object) => {
      const { json } = await insight({ card: CARD, cardholder, extensions: ["cardholder"] })
      return z.looseObject({ cardholder: z.unknown() }).parse(json).cardholder
    }
    expect(await of({ firstName: "Unsupported" })).toEqual({ result: { code: "unsupported", value: "U" } })
    expect(await of({ firstName: "Mismatch", lastName: "Partial" })).toEqual({
      result: { code: "match-performed", value: "M" },
      fullName: { code: "no-match", value: "N" },
      firstName: { code: "no-match", value: "N" },
      lastName: { code: "partial-match", value: "P" },
    })
    const contact = { email: "unsupported@example.com", phone: "0014155550002" }
    expect((await insight({ card: CARD, ...contact, extensions: ["email", "phone"] })).json).toMatchObject({
      email: { code: "unsupported", value: "U" },
      phone: { code: "partial-match", value: "P" },
    })
  })

  test("leaves out a payment account reference that the network does not know", async () => {
    const card = { number: "4000000000005019" }
    const answer = await insight({ card, extensions: ["paymentAccountReference"] })
    expect(answer.status).toBe(201)
    expect(answer.json).not.toHaveProperty("paymentAccountReference")
  })

  test("accepts a network token", async () => {
    const extensions = ["capabilities", "address"]
    const answer = await insight({ networkToken: TOKEN, address: ADDRESS, extensions })
    expect(answer.status).toBe(201)
    expect(answer.json).toMatchObject({ address: { result: { value: "Y" } } })
    for (const brand of ["amex", "american-express"]) {
      const networkToken = { ...TOKEN, number: AMEX, brand, funding: "credit", transactionIdentifier: "1" }
      expect((await insight({ networkToken })).status).toBe(201)
    }
  })

  test.each([
    ["4242424242424242", "visa", "credit", "usd"],
    ["5200000000000007", "mastercard", "credit", "usd"],
    ["6200000000000005", "unionpay", "credit", "cny"],
  ])("reports the same capabilities of %s as its BIN data does", async (number, network, type, currency) => {
    const { json } = await insight({ card: { number }, extensions: ["capabilities"] })
    const capability = { enabled: true, network, type, regulated: false, currency: { alphaCode: currency } }
    expect(json).toMatchObject({
      bin: { brand: network, funding: type, currency },
      capabilities: { push: capability, pull: capability },
    })
  })

  test("accepts number, cvv and cryptogram as tokens whose roles permit it", async () => {
    const number = await encrypt(NUMBER, role("permitted"))
    const cvv = await encrypt("200")
    const { json } = await insight({ card: { ...CARD, number, cvv }, extensions: ["cvv"] })
    expect(json).toMatchObject({ cvv: { code: "no-match" } })
    const cryptogram = await encrypt(TOKEN.cryptogram, role("permitted"))
    expect((await insight({ networkToken: { ...TOKEN, number, cryptogram } })).status).toBe(201)
  })
})

describe("a card insight is refused", () => {
  test.each([
    ["neither card nor token", {}, "/card"],
    ["both", { card: CARD, networkToken: TOKEN }, "/networkToken"],
    ["no number", { card: { expiry: EXPIRY } }, "/card/number"],
    ["a number that fails Luhn's check", { card: { number: "4242424242424241" } }, "/card/number"],
    ["leading digits only", { card: { number: "424242" } }, "/card/number"],
    [
      "a month that is none",
      { card: { number: NUMBER, expiry: { month: "13", year: "39" } } },
      "/card/expiry/month",
    ],
    ["a cvv of two digits", { card: { ...CARD, cvv: "12" } }, "/card/cvv"],
    ["a cvv of five digits", { card: { ...CARD, cvv: "12345" } }, "/card/cvv"],
    ["an unknown extension", { card: CARD, extensions: ["par"] }, "/extensions/0"],
    ["cvv without expiry", { card: { number: NUMBER, cvv: "123" }, extensions: ["cvv"] }, "/card/expiry"],
    ["cvv without one", { card: { number: NUMBER, expiry: EXPIRY }, extensions: ["cvv"] }, "/card/cvv"],
    [
      "address without expiry",
      { card: { number: NUMBER }, address: ADDRESS, extensions: ["address"] },
      "/card/expiry",
    ],
    [
      "cardholder without expiry",
      { card: { number: NUMBER }, cardholder: CARDHOLDER, extensions: ["cardholder"] },
      "/card/expiry",
    ],
    ["address without one", { card: CARD, extensions: ["address"] }, "/address"],
    ["cardholder without one", { card: CARD, extensions: ["cardholder"] }, "/cardholder"],
    ["email without one", { card: CARD, extensions: ["email"] }, "/email"],
    ["phone without one", { card: CARD, extensions: ["phone"] }, "/phone"],
    [
      "the cvv of a network token",
      { networkToken: TOKEN, extensions: ["capabilities", "cvv"] },
      "/extensions/1",
    ],
    ["an address without postal code", { card: CARD, address: { line1: "x" } }, "/address/postalCode"],
    ["an unknown country", { card: CARD, address: { postalCode: "1", country: "zz" } }, "/address/country"],
    ["a telephone number with a plus", { card: CARD, phone: "+14155550100" }, "/phone"],
    ["a telephone number of letters", { card: CARD, phone: "001415555CALL" }, "/phone"],
    ["an email address without @", { card: CARD, email: "nobody" }, "/email"],
    [
      "a token without cryptogram",
      { networkToken: { number: NUMBER, expiry: EXPIRY } },
      "/networkToken/cryptogram",
    ],
    ["a token without expiry", { networkToken: { ...TOKEN, expiry: undefined } }, "/networkToken/expiry"],
    ["a token of another brand", { networkToken: { ...TOKEN, brand: "jcb" } }, "/networkToken/brand"],
    ["a charge token", { networkToken: { ...TOKEN, funding: "charge" } }, "/networkToken/funding"],
    [
      "an American Express token without transaction",
      { networkToken: { ...TOKEN, number: AMEX } },
      "/networkToken/transactionIdentifier",
    ],
    [
      "a Discover token without funding",
      { networkToken: { ...TOKEN, brand: "discover", transactionIdentifier: "1" } },
      "/networkToken/funding",
    ],
    [
      "an American Express token without brand",
      { networkToken: { ...TOKEN, number: AMEX, transactionIdentifier: "1", funding: "credit" } },
      "/networkToken/brand",
    ],
    ["an unknown owner type", { card: CARD, cardholder: { ownerType: "tertiary" } }, "/cardholder/ownerType"],
  ])("with invalid-request for %s", async (_what, body, pointer) => {
    const answer = await insight(body)
    expectProblem(answer, "invalid-request")
    expect(pointersOf(answer)).toEqual([pointer])
  })

  test.each(["us", "US", "ca", "au"])(
    "with invalid-request for an address in %s without state, and for no other country",
    async (country) => {
      const answer = await insight({ card: CARD, address: { postalCode: "1", country } })
      expectProblem(answer, "invalid-request")
      expect(pointersOf(answer)).toEqual(["/address/state"])
      expect((await insight({ card: CARD, address: { postalCode: "1", country: "gb" } })).status).toBe(201)
    },
  )

  test("with decrypt/forbidden, naming the field, when policies do not permit decrypting it", async () => {
    const cvv = await encrypt("123", role("forbidden"))
    const answer = await insight({ card: { ...CARD, cvv } })
    expectProblem(answer, "decrypt/forbidden")
    expect(pointersOf(answer)).toEqual(["/card/cvv"])
  })

  test("with decrypt/forbidden when policies permit masks only: no network takes one", async () => {
    const made = await service.post("/data-roles", {
      slug: "masked",
      name: "M",
      mask: { type: "first-last" },
    })
    expect(made.status).toBe(201)
    const policy = { name: "M", effect: "permit", reveal: "masked", roles: ["masked"], conditions: {} }
    expect((await service.post("/data-policies", policy)).status).toBe(201)
    const cvv = await encrypt("123", role("masked"))
    expectProblem(await insight({ card: { ...CARD, cvv } }), "decrypt/forbidden")
  })

  test("with invalid-request for another app's tokens", async () => {
    const cryptogram = await encrypt("x", { auth: service.production.auth })
    const answer = await insight({ networkToken: { ...TOKEN, cryptogram } })
    expectProblem(answer, "invalid-request")
    expect(pointersOf(answer)).toEqual(["/networkToken/cryptogram"])
  })

  test("with unauthorized without credentials, with forbidden for keys without the scope, with payload-too-large beyond the limit", async () => {
    expectProblem(await insight({ card: CARD }, { auth: null }), "unauthorized")
    const auth = await service.newKey(service.sandbox.app, ["api:decrypt", "binLookup:create"])
    expectProblem(await insight({ card: CARD }, { auth }), "forbidden")
    expectProblem(await insight({ card: { number: "4".repeat(70_000) } }), "payload-too-large")
  })
})

describe("a production app", () => {
  test("may request insights from when a team key switches them on until it switches them off", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    vi.advanceTimersByTime(1)
    const { app, auth } = await service.newApp("production")
    const change = (cardInsights: unknown) =>
      service.patch(`/apps/${app.id}`, { cardInsights }, { auth: service.team.auth })
    try {
      const refused = await insight({ card: CARD }, { auth })
      expectProblem(refused, "forbidden")
      expect(refused.text).toContain("cardInsights")
      expectProblem(await insight({ card: { number: "1" } }, { auth }), "forbidden")
      expect((await change(true)).json).toMatchObject({ id: app.id, cardInsights: true })
      expectProblem(await change("yes"), "invalid-request")
      vi.advanceTimersByTime(10_001)
      // There is no connector to ask, and made-up answers are for the sandbox only.
      expectProblem(await insight({ card: { number: NUMBER } }, { auth }), "service-unavailable")
      const asked = { card: { number: NUMBER }, extensions: ["capabilities"] }
      expectProblem(await insight(asked, { auth }), "service-unavailable")
      await change(false)
      vi.advanceTimersByTime(10_001)
      expectProblem(await insight({ card: CARD }, { auth }), "forbidden")
    } finally {
      vi.useRealTimers()
    }
    const { json } = await service.get("/audit-logs?action=app.update&limit=1", { auth: service.team.auth })
    expect(json).toMatchObject({ data: [{ details: { cardInsights: false } }] })
  })
})
