import { describe, expect, test } from "vitest"
import * as z from "zod"
import { MODEL } from "../support/model-schemas.ts"
import { expectProblem } from "../support/problem.ts"
import { type Answer, useService } from "../support/service.ts"

const service = useService()

// Requests as clients of the model write them.
const EXPIRY = { month: "09", year: "39" }
const NUMBER = "4242424242424242"
const MERCHANT = {
  name: "Quill and Ink",
  website: "https://www.quill-and-ink.co.uk",
  categoryCode: "5943",
  business: {
    legalName: "Quill and Ink Ltd",
    address: { line1: "12 Long Lane", city: "London", postalCode: "EC1 9AA", country: "gb" },
  },
  applePay: { domains: ["quill-and-ink.co.uk"] },
}
const HELD = { enrolment: [{ cardBrand: "mastercard", tokenRequestorIdentifier: "50165156978" }] }
const CONFIGURATIONS = ["mastercard", "visa"].map((network) => ({
  network,
  bin: "424242",
  acquirerMerchantIdentifier: "38191048173",
  country: "ie",
}))
const ACQUIRER = { name: "Main", description: "For the shop", default: true, configurations: CONFIGURATIONS }
const SESSION = {
  merchant: {
    name: "Quill",
    website: "https://www.quill-and-ink.co.uk",
    categoryCode: "5943",
    country: "gb",
  },
  card: { number: NUMBER, expiry: EXPIRY },
  payment: { type: "one-off", amount: 1_000, currency: "eur" },
}
const BY_MERCHANT = { type: "merchant", reason: "other-payment" }
const INSIGHT = {
  card: { number: "4111111111111111", expiry: EXPIRY, cvv: "123" },
  extensions: ["capabilities", "cvv", "address", "cardholder", "email", "phone", "paymentAccountReference"],
  cardholder: { firstName: "John", lastName: "Doe" },
  address: {
    postalCode: "10001",
    line1: "123 Main Street",
    line2: "Apt 4B",
    city: "New York",
    state: "ny",
    country: "us",
  },
  email: "john@example.com",
  phone: "0012125550100",
}

/** Checks an answer as a client of the model reads it. */
function read<Schema extends z.ZodType>(schema: Schema, status: number, answer: Answer): z.output<Schema> {
  expect(answer.status, answer.text).toBe(status)
  const result = schema.safeParse(answer.json)
  expect(result.error?.issues ?? [], answer.text).toEqual([])
  return schema.parse(answer.json)
}
const post = <Schema extends z.ZodType>(schema: Schema, path: string, body: object) =>
  service.post(path, body).then((answer) => read(schema, 201, answer))
const encrypt = async (value: string) =>
  z.string().parse((await service.post("/encrypt", JSON.stringify(value))).json)

describe("a client of the model", () => {
  test("checks a card, and a network token", async () => {
    const insight = await post(MODEL.insight, "/insights/cards", INSIGHT)
    expect(insight).toMatchObject({
      cvv: { code: "match", value: "M" },
      address: { result: { value: "Y", address: "match", zip: "match" } },
      cardholder: {
        result: { value: "M", code: "match-performed" },
        fullName: { value: "M", code: "match" },
      },
    })
    const networkToken = { number: "4895370012003478", cryptogram: "AAAA", expiry: EXPIRY }
    const answer = await service.post("/insights/cards", { networkToken })
    read(z.object({ ...MODEL.insight.shape }).pick({ id: true, fingerprint: true, bin: true }), 201, answer)
  })

  test("looks up a BIN, by a number, a token and six digits, and a payment account reference", async () => {
    for (const number of [NUMBER, await encrypt(NUMBER), "424242", "9000000000"]) {
      await post(MODEL.binLookup, "/payments/bin-lookups", { number })
    }
    await post(MODEL.parLookup, "/payments/par-lookups", { number: NUMBER })
  })

  test("creates, lists, reads, changes and deletes a merchant", async () => {
    const merchant = await post(MODEL.merchant, "/payments/merchants", MERCHANT)
    await post(MODEL.merchant, "/payments/merchants", { ...MERCHANT, networkTokens: HELD })
    const path = `/payments/merchants/${merchant.id}`
    read(MODEL.merchants, 200, await service.get("/payments/merchants?page=0&pageSize=50&q=quill"))
    read(MODEL.merchant, 200, await service.get(path))
    const change = { shortName: "Quill", applePay: { domains: ["quill-and-ink.co.uk"] } }
    expect(read(MODEL.merchant, 200, await service.patch(path, change))).toHaveProperty("updatedAt")
    expect((await service.delete(path)).status).toBe(204)
  })

  test("creates, lists, reads, sends back and deletes an acquirer", async () => {
    const { id, configurations } = await post(MODEL.acquirer, "/payments/acquirers", ACQUIRER)
    const path = `/payments/acquirers/${id}`
    read(MODEL.acquirers, 200, await service.get("/payments/acquirers?page=0&pageSize=50"))
    read(MODEL.acquirer, 200, await service.get(path))
    read(MODEL.acquirer, 200, await service.patch(path, { name: "Second", configurations }))
    expect((await service.delete(path)).status).toBe(204)
  })

  test("registers a card, simulates its updates, and deletes it", async () => {
    const updates = [
      [{ updateType: "new-account-number", number: "4000056655665556", expiry: EXPIRY }, "replaced"],
      [{ updateType: "new-expiry-date", expiry: { month: "10", year: "41" } }, "replaced"],
      [{ updateType: "account-closure" }, "closed"],
    ] as const
    for (const [index, [update, status]] of updates.entries()) {
      const number = ["4242424242424242", await encrypt("4111111111111111"), "4012888888881881"][index]
      const card = await post(MODEL.card, "/payments/cards", { number, expiry: EXPIRY })
      expect(card).toMatchObject({ status: "active", replacement: null, automaticUpdates: "enabled" })
      expect(card).not.toHaveProperty("updatedAt")
      read(MODEL.card, 200, await service.post("/payments/cards", { number, expiry: EXPIRY }))
      const path = `/payments/cards/${card.id}`
      const updated = read(MODEL.card, 200, await service.post(`${path}/simulate`, update))
      expect(updated).toMatchObject({ status, automaticUpdates: "enabled", updatedAt: expect.any(Number) })
      expect(updated.replacement === null).toBe(status === "closed")
      expect(read(MODEL.card, 200, await service.get(path))).toEqual(updated)
      expect((await service.delete(path)).status).toBe(204)
    }
  })

  test("creates a network token, pays with it, simulates its updates, and deletes it", async () => {
    const { id: merchant } = await post(MODEL.merchant, "/payments/merchants", MERCHANT)
    const card = { number: await encrypt(NUMBER), expiry: EXPIRY, cvc: await encrypt("123") }
    await post(MODEL.networkToken, "/payments/network-tokens", { card, merchant })
    const plain = { number: NUMBER, expiry: EXPIRY, cvc: "123" }
    const token = await post(MODEL.networkToken, "/payments/network-tokens", { card: plain, merchant })
    expect(token).not.toHaveProperty("updatedAt")
    const path = `/payments/network-tokens/${token.id}`
    read(MODEL.networkToken, 200, await service.get(path))
    read(MODEL.cryptogram, 201, await service.post(`${path}/cryptograms`, undefined))
    read(MODEL.cardArt, 200, await service.get(`${path}/card-art`))
    for (const updateType of [
      "new-token-expiry-and-number",
      "new-card-expiry-and-last-four",
      "new-token-status",
    ]) {
      read(MODEL.networkToken, 200, await service.post(`${path}/simulate`, { updateType }))
    }
    expect((await service.delete(path)).status).toBe(204)
  })

  test("is refused a network token with the model's code", async () => {
    const { id: merchant } = await post(MODEL.merchant, "/payments/merchants", MERCHANT)
    const expired = { number: NUMBER, expiry: { month: "01", year: "20" } }
    const answer = await service.post("/payments/network-tokens", { card: expired, merchant })
    expectProblem(answer, "payments/network-tokens/expired-card")
  })

  test.each([
    ["waits for a browser", {}, "action-required"],
    ["succeeds without a challenge", { initiator: BY_MERCHANT }, "success"],
    ["fails", { initiator: BY_MERCHANT, card: { number: "4000000000003048", expiry: EXPIRY } }, "failure"],
    ["concerns no payment", { payment: undefined }, "action-required"],
    [
      "wants no challenge",
      { challenge: { preference: "no-challenge-requested", reason: "low-risk" } },
      "action-required",
    ],
    [
      "gives no reason",
      { challenge: { preference: "challenge-requested", reason: null } },
      "action-required",
    ],
    [
      "begins instalments",
      { payment: { ...SESSION.payment, type: "installment", installments: 12, frequency: "monthly" } },
      "action-required",
    ],
    [
      "begins payments that recur",
      { payment: { ...SESSION.payment, type: "recurring", frequency: "monthly", expiry: 4_102_394_400 } },
      "action-required",
    ],
  ])("reads a 3-D Secure session that %s", async (_, settings, status) => {
    const session = await post(MODEL.threeDSSession, "/payments/3ds-sessions", { ...SESSION, ...settings })
    expect(session.status).toBe(status)
    read(MODEL.threeDSSession, 200, await service.get(`/payments/3ds-sessions/${session.id}`))
    read(MODEL.threeDSMessages, 200, await service.get(`/payments/3ds-sessions/${session.id}/messages`))
  })

  test("differs only where the table of differences says so", async () => {
    const differences = (schema: z.ZodType, { json }: Answer) =>
      schema.safeParse(json).error?.issues.map(({ path }) => path.join("/")) ?? []
    const unknown = { ...SESSION, card: { number: "9000000000000001", expiry: EXPIRY } }
    expect(differences(MODEL.threeDSSession, await service.post("/payments/3ds-sessions", unknown))).toEqual(
      ["brand", "funding", "segment", "country", "currency"].map((name) => `card/${name}`),
    )
    const newest = { ...SESSION, card: { number: "5200000000003019", expiry: EXPIRY } }
    const answer = await service.post("/payments/3ds-sessions", newest)
    expect(differences(MODEL.threeDSSession, answer)).toEqual(["version"])
    const waiting = await service.post("/payments/merchants", { ...MERCHANT, name: "Quill Pending" })
    expect(differences(MODEL.merchant, waiting)).toEqual(
      [0, 1, 2].map((index) => `networkTokens/enrolment/${index}/status`),
    )
    const cvv = { card: { ...INSIGHT.card, cvv: "203" } }
    const unsupported = await service.post("/insights/cards", { ...INSIGHT, ...cvv })
    expect(differences(MODEL.insight, unsupported)).toEqual(["cvv/code", "cvv/value"])
  })
})
