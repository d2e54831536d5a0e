import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()

const PATH = "/payments/merchants"
const UNKNOWN = "merchant_00000000000000000000000000"
const MERCHANT = {
  name: "Corner Shop",
  website: "https://shop.example.com/start",
  categoryCode: "5411",
  business: {
    legalName: "Corner Shop Limited",
    address: { line1: "1 High Street", city: "Dublin", postalCode: "D01 X2", country: "IE" },
  },
}

const statusSchema = z.enum(["inactive", "pending", "active", "failed"])
const merchantSchema = z.strictObject({
  id: z.string().regex(/^merchant_[0-9a-hjkmnp-tv-z]{26}$/),
  name: z.string(),
  shortName: z.string().optional(),
  website: z.string(),
  categoryCode: z.string(),
  business: z.strictObject({ legalName: z.string(), address: z.record(z.string(), z.string()) }),
  networkTokens: z.strictObject({
    enrolment: z.array(
      z.strictObject({
        cardBrand: z.string(),
        tokenRequestorIdentifier: z.string().nullable(),
        status: statusSchema,
      }),
    ),
  }),
  applePay: z.strictObject({
    domains: z.array(z.strictObject({ domain: z.string(), status: statusSchema })),
  }),
  preChargebackAlerts: z.strictObject({
    verifi: z.strictObject({ enabled: z.boolean(), refundRule: z.unknown(), status: statusSchema }),
    ethoca: z.strictObject({ enabled: z.boolean(), status: statusSchema }),
  }),
  intelligentRetries: z.strictObject({ enabled: z.boolean(), status: statusSchema }),
  createdAt: z.int(),
  updatedAt: z.int().optional(),
})

async function create(settings: object = {}, options: CallOptions = {}) {
  const answer = await service.post(PATH, { ...MERCHANT, ...settings }, options)
  expect(answer.status, answer.text).toBe(201)
  return merchantSchema.parse(answer.json)
}

const show = async (id: string, options: CallOptions = {}) =>
  merchantSchema.parse((await service.get(`${PATH}/${id}`, options)).json)

describe("POST /payments/merchants", () => {
  test("creates a merchant that the sandbox's networks have enrolled at once", async () => {
    const merchant = await create({ shortName: "Shop" })
    expect(merchant).toMatchObject({
      ...MERCHANT,
      shortName: "Shop",
      business: { ...MERCHANT.business, address: { ...MERCHANT.business.address, country: "ie" } },
    })
    expect(merchant.networkTokens.enrolment).toEqual(
      ["visa", "mastercard", "american-express"].map((cardBrand) => ({
        cardBrand,
        tokenRequestorIdentifier: expect.stringMatching(/^[0-9]{11}$/),
        status: "active",
      })),
    )
    expect(merchant.preChargebackAlerts).toEqual({
      verifi: { enabled: false, refundRule: null, status: "inactive" },
      ethoca: { enabled: false, status: "inactive" },
    })
    expect(merchant.intelligentRetries).toEqual({ enabled: false, status: "inactive" })
    expect(await show(merchant.id)).toEqual(merchant)
  })

  test("keeps a token requestor identifier that the merchant has already", async () => {
    const enrolment = [{ cardBrand: "mastercard", tokenRequestorIdentifier: "50110030273" }]
    const merchant = await create({ networkTokens: { enrolment } })
    expect(merchant.networkTokens.enrolment[1]).toEqual({ ...enrolment[0], status: "active" })
  })

  test.each([
    ["Shop Failed", "failed"],
    ["Shop Pending", "pending"],
    ["Shop Slow", "pending"],
  ])("creates %s as %s", async (name, status) => {
    const { networkTokens } = await create({ name })
    expect(networkTokens.enrolment.map((each) => each.status)).toEqual([status, status, status])
  })

  test("registers domains for Apple Pay within seconds, except one that fails", async () => {
    const domains = ["Pay.Example.com", "fail.example.com"]
    const { id, applePay } = await create({ applePay: { domains } })
    expect(applePay.domains).toEqual([
      { domain: "pay.example.com", status: "pending" },
      { domain: "fail.example.com", status: "failed" },
    ])
    await vi.waitFor(async () => {
      const { applePay: later, updatedAt } = await show(id)
      expect(later.domains[0]).toEqual({ domain: "pay.example.com", status: "active" })
      expect(updatedAt).toEqual(expect.any(Number))
    }, 10_000)
  })

  test("accepts the settings of alerts and retries, and enrols for them", async () => {
    const refundRule = { maximumAmount: 5_000, currency: "EUR" }
    const merchant = await create({
      preChargebackAlerts: { verifi: { enabled: true, refundRule }, ethoca: { enabled: true } },
      intelligentRetries: { enabled: true },
    })
    expect(merchant.preChargebackAlerts).toEqual({
      verifi: { enabled: true, refundRule: { maximumAmount: 5_000, currency: "eur" }, status: "active" },
      ethoca: { enabled: true, status: "active" },
    })
    expect(merchant.intelligentRetries).toEqual({ enabled: true, status: "active" })
  })

  test("refuses with service-unavailable a merchant of a production app without a connector", async () => {
    const answer = await service.post(PATH, MERCHANT, { auth: service.production.auth })
    expectProblem(answer, "service-unavailable")
  })

  test.each<[string, object, string]>([
    ["no name", { name: undefined }, "/name"],
    ["an empty name", { name: "" }, "/name"],
    ["a name of 61 characters", { name: "a".repeat(61) }, "/name"],
    ["a name with a marker-7f3a", { name: "marker-7f3a" }, "/name"],
    ["a short name of 41 characters", { shortName: "a".repeat(41) }, "/shortName"],
    ["a short name that is null", { shortName: null }, "/shortName"],
    ["no website", { website: undefined }, "/website"],
    ["a website without a scheme", { website: "shop.example.com" }, "/website"],
    ["a website of another scheme", { website: "ftp://shop.example.com" }, "/website"],
    ["a website at no top-level domain", { website: "https://shop.marker-7f3a" }, "/website"],
    ["a website at an address", { website: "https://127.0.0.1" }, "/website"],
    ["a website with credentials", { website: "https://user:marker-7f3a@shop.example.com" }, "/website"],
    ["a website of 2,049 characters", { website: `https://a.com/${"a".repeat(2_035)}` }, "/website"],
    ["a category of three digits", { categoryCode: "541" }, "/categoryCode"],
    ["a category that is a number", { categoryCode: 5411 }, "/categoryCode"],
    ["no business", { business: undefined }, "/business"],
    ["a country that does not exist", address({ country: "xx" }), "/business/address/country"],
    ["no state in the USA", address({ country: "us" }), "/business/address/state"],
    ["a city with a marker-7f3a<", address({ city: "<" }), "/business/address/city"],
    ["another brand", enrolment("discover", "1"), "/networkTokens/enrolment/0/cardBrand"],
    ["a domain with a path", { applePay: { domains: ["a.example/marker-7f3a"] } }, "/applePay/domains/0"],
    ["a domain that is a URL", { applePay: { domains: ["https://a.example"] } }, "/applePay/domains/0"],
    ["a domain of one label", { applePay: { domains: ["localhost"] } }, "/applePay/domains/0"],
    ["a domain twice", { applePay: { domains: ["a.example", "A.example"] } }, "/applePay/domains"],
    ["51 domains", { applePay: { domains: many(51) } }, "/applePay/domains"],
    [
      "a rule without a currency",
      verifi({ maximumAmount: 1 }),
      "/preChargebackAlerts/verifi/refundRule/currency",
    ],
    [
      "a negative amount",
      verifi({ maximumAmount: -1, currency: "eur" }),
      "/preChargebackAlerts/verifi/refundRule/maximumAmount",
    ],
    ["an unknown field", { "marker-7f3a": 1 }, ""],
  ])("refuses with invalid-request, without repeating it, %s", async (_, settings, pointer) => {
    const answer = await service.post(PATH, { ...MERCHANT, ...settings })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer }] })
    expect(answer.text).not.toContain("marker-7f3a")
  })

  test("refuses more than 64 KB with payload-too-large", async () => {
    expectProblem(await service.post(PATH, { ...MERCHANT, name: "a".repeat(65_536) }), "payload-too-large")
  })

  test("creates one merchant for a request repeated with its Idempotency-Key", async () => {
    const headers = { "idempotency-key": "merchant-1" }
    const { auth } = await service.newApp("sandbox")
    const first = await create({}, { headers, auth })
    expect(await create({}, { headers, auth })).toEqual(first)
    expect((await service.get(PATH, { auth })).json).toMatchObject({ total: 1 })
  })

  test.each([
    "https://xn--bcher-kva.example.xn--p1ai/",
    "https://例え.テスト.みんな/",
    "http://shop.co.uk:8080",
  ])("accepts the website %s", async (website) => {
    expect(await create({ website })).toMatchObject({ website })
  })
})

describe("GET /payments/merchants", () => {
  test("lists by pages, newest first, those whose name contains a text in any case", async () => {
    const { auth } = await service.newApp("sandbox")
    const names = ["First Shop", "Second shop", "Third", "SHOP 4"]
    for (const name of names) await create({ name }, { auth })
    const list = async (query: string) => (await service.get(`${PATH}?${query}`, { auth })).json
    expect(await list("q=shop&pageSize=2")).toMatchObject({
      data: [{ name: "SHOP 4" }, { name: "Second shop" }],
      pageSize: 2,
      nextPage: 1,
      total: 3,
    })
    expect(await list("q=shop&pageSize=2&page=1")).toMatchObject({
      data: [{ name: "First Shop" }],
      nextPage: null,
      total: 3,
    })
    expect(await list("page=7")).toEqual({ data: [], pageSize: 50, nextPage: null, total: 4 })
  })

  test.each(["page=-1", "page=x", "pageSize=0", "pageSize=51", "limit=1"])(
    "refuses with invalid-request the query %s",
    async (query) => expectProblem(await service.get(`${PATH}?${query}`), "invalid-request"),
  )
})

describe("PATCH /payments/merchants/{merchant_id}", () => {
  test("changes the named fields and leaves the rest", async () => {
    const merchant = await create({ applePay: { domains: ["fail.example.com"] } })
    const verifi = { enabled: true, refundRule: { maximumAmount: 1, currency: "usd" } }
    const answer = await service.patch(`${PATH}/${merchant.id}`, {
      shortName: "Other",
      preChargebackAlerts: { verifi },
    })
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      ...merchant,
      shortName: "Other",
      preChargebackAlerts: { ...merchant.preChargebackAlerts, verifi: { ...verifi, status: "active" } },
      updatedAt: expect.any(Number),
    })
    const off = await service.patch(`${PATH}/${merchant.id}`, {
      preChargebackAlerts: { verifi: { enabled: false } },
    })
    expect(off.json).toMatchObject({
      preChargebackAlerts: { verifi: { ...verifi, enabled: false, status: "inactive" } },
    })
    expect(await show(merchant.id)).toEqual(off.json)
  })

  test("replaces a list of domains", async () => {
    const { id } = await create({ applePay: { domains: ["fail.a.example", "fail.b.example"] } })
    const answer = await service.patch(`${PATH}/${id}`, {
      applePay: { domains: ["fail.b.example", "fail.c.example"] },
    })
    expect(merchantSchema.parse(answer.json).applePay.domains.map(({ domain }) => domain)).toEqual([
      "fail.b.example",
      "fail.c.example",
    ])
  })

  test.each([
    {},
    { name: "Other" },
    { website: "https://other.example.com" },
    { categoryCode: "5411" },
    { business: MERCHANT.business },
    { networkTokens: { enrolment: [] } },
    { shortName: "" },
    { intelligentRetries: {} },
  ])("refuses %j with invalid-request", async (changes) => {
    const { id } = await create()
    expectProblem(await service.patch(`${PATH}/${id}`, changes), "invalid-request")
  })
})

describe("DELETE /payments/merchants/{merchant_id}", () => {
  test("deletes a merchant, also a pending one", async () => {
    for (const name of ["Shop", "Shop Pending"]) {
      const { id } = await create({ name, applePay: { domains: ["a.example.com"] } })
      expect((await service.delete(`${PATH}/${id}`)).status).toBe(204)
      expectProblem(await service.get(`${PATH}/${id}`), "not-found")
      expectProblem(await service.delete(`${PATH}/${id}`), "not-found")
    }
  })
})

describe("a merchant", () => {
  test.each([UNKNOWN, "nonsense", "acquirer_00000000000000000000000000"])(
    "is not found by the id %s",
    async (id) => {
      expectProblem(await service.get(`${PATH}/${id}`), "not-found")
      expectProblem(await service.patch(`${PATH}/${id}`, { shortName: "S" }), "not-found")
      expectProblem(await service.delete(`${PATH}/${id}`), "not-found")
    },
  )

  test("is not found by another app", async () => {
    const { id } = await create()
    const { auth } = await service.newApp("sandbox")
    expectProblem(await service.get(`${PATH}/${id}`, { auth }), "not-found")
    expectProblem(await service.patch(`${PATH}/${id}`, { shortName: "S" }, { auth }), "not-found")
    expectProblem(await service.delete(`${PATH}/${id}`, { auth }), "not-found")
    expect((await service.get(PATH, { auth })).json).toMatchObject({ data: [], total: 0 })
  })

  test("is refused with unauthorized without credentials", async () => {
    for (const [method, path] of [
      ["POST", PATH],
      ["GET", PATH],
      ["GET", `${PATH}/${UNKNOWN}`],
      ["PATCH", `${PATH}/${UNKNOWN}`],
      ["DELETE", `${PATH}/${UNKNOWN}`],
    ] as const) {
      expectProblem(
        await service.call(method, path, method === "POST" || method === "PATCH" ? {} : undefined, {
          auth: null,
        }),
        "unauthorized",
      )
    }
  })

  test("is reported by an event when a network has decided", async () => {
    const { auth } = await service.newApp("sandbox")
    await service.post("/webhook-endpoints", { url: "http://127.0.0.1:9/", events: ["payments.*"] }, { auth })
    await create({ applePay: { domains: ["a.example.com"] } }, { auth })
    await vi.waitFor(async () => {
      const { json } = await service.get("/webhook-events", { auth })
      expect(json).toMatchObject({ data: [{ type: "payments.merchant.updated" }] })
    }, 10_000)
  })
})

function address(changes: object) {
  const { business } = MERCHANT
  return { business: { ...business, address: { ...business.address, ...changes } } }
}

function enrolment(cardBrand: string, tokenRequestorIdentifier: string) {
  return { networkTokens: { enrolment: [{ cardBrand, tokenRequestorIdentifier }] } }
}

function many(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `a${index}.example`)
}

function verifi(refundRule: object) {
  return { preChargebackAlerts: { verifi: { enabled: true, refundRule } } }
}
