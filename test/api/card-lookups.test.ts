import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { expectProblem, pointersOf } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()
const BIN = "/payments/bin-lookups"
const PAR = "/payments/par-lookups"
const VISA = "4000000000000002"
const UNRESOLVED = "4000000000005019"

const encrypt = async (value: unknown, options: CallOptions = {}) =>
  String((await service.post("/encrypt", JSON.stringify(value), options)).json)
const role = (slug: string): CallOptions => ({ headers: { "x-service-data-role": slug } })
const binLookup = (number: unknown, options: CallOptions = {}) => service.post(BIN, { number }, options)
const parLookup = (number: unknown, options: CallOptions = {}) => service.post(PAR, { number }, options)
const reference = async (number: string) => {
  const { json } = await parLookup(number)
  return z.object({ paymentAccountReference: z.string() }).parse(json).paymentAccountReference
}

beforeAll(async () => {
  const { app } = service.sandbox
  for (const slug of ["permitted", "forbidden"]) await service.newRole(app, slug)
  const policy = { name: "By API", effect: "permit", roles: ["permitted"], conditions: { sources: ["api"] } }
  expect((await service.post("/data-policies", policy)).status).toBe(201)
  const relays = { ...policy, roles: ["forbidden"], conditions: { sources: ["relay"] } }
  expect((await service.post("/data-policies", relays)).status).toBe(201)
})

describe("a BIN lookup", () => {
  test("returns what is known of a published test number", async () => {
    const answer = await binLookup("4242424242424242")
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^bin_lookup_[0-9a-z]{26}$/),
      type: "card",
      brand: "visa",
      funding: "credit",
      segment: "consumer",
      country: "us",
      currency: "usd",
      issuer: "Test Bank",
      productName: "Visa Classic",
      fastFunds: { domestic: true, crossBorder: true },
      threeDS: {
        supportedVersions: {
          accessControlServer: ["2.1.0", "2.2.0"],
          directoryServer: ["2.1.0", "2.2.0", "2.3.1"],
        },
        acsInfoIndicators: [
          { code: "authentication-available", indicator: "01", description: expect.any(String) },
          { code: "attempts-supported", indicator: "02", description: expect.any(String) },
        ],
      },
      matchPrecision: 6,
      createdAt: expect.any(Number),
    })
  })

  test.each(["424242", "4242424", "42424242", "424242424", "4242424242"])(
    "accepts the leading digits %s",
    async (digits) => {
      expect((await binLookup(digits)).json).toMatchObject({ brand: "visa", issuer: "Test Bank" })
    },
  )

  test("accepts the same as tokens, whatever their type and version, when the role permits it", async () => {
    const tokens = [
      await encrypt("4242424242424242"),
      await encrypt(4242424242424242),
      await encrypt("424242"),
      await encrypt(424242),
      await encrypt("4242424242424242", role("permitted")),
    ]
    for (const token of tokens) {
      expect((await binLookup(token)).json).toMatchObject({ issuer: "Test Bank", matchPrecision: 6 })
    }
  })

  test("uses the longest range, and returns for a shorter prefix only what all ranges share", async () => {
    expect((await binLookup("4000002500000003")).json).toMatchObject({ country: "fr", matchPrecision: 9 })
    expect((await binLookup("400000250")).json).toMatchObject({ country: "fr", matchPrecision: 9 })
    expect((await binLookup("5555558265554449")).json).toMatchObject({ country: "gb", matchPrecision: 8 })
    const { json } = await binLookup("400000")
    expect(json).toMatchObject({ type: "card", brand: "visa", segment: "consumer", matchPrecision: 6 })
    expect(json).not.toHaveProperty("country")
    expect(json).not.toHaveProperty("funding")
  })

  test("is refused with service-unavailable in a production app with neither a BIN table nor a connector", async () => {
    const { auth } = service.production
    expectProblem(await binLookup(VISA, { auth }), "service-unavailable")
    expectProblem(await binLookup("400000", { auth }), "service-unavailable")
  })

  test("returns type null and precision 0, and nothing else, where no range is known", async () => {
    expect((await binLookup("9999990000000006")).json).toEqual({
      id: expect.any(String),
      type: null,
      matchPrecision: 0,
      createdAt: expect.any(Number),
    })
  })
})

describe("a PAR lookup", () => {
  test("returns a reference of 29 characters, the same for the same number, plain or as a token", async () => {
    const answer = await parLookup(VISA)
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^par_lookup_[0-9a-z]{26}$/),
      paymentAccountReference: expect.stringMatching(/^[0-9A-Z]{29}$/),
    })
    expect(await reference(await encrypt(VISA))).toBe(await reference(VISA))
    expect(await reference("4242424242424242")).not.toBe(await reference(VISA))
  })

  test("is refused with invalid-request when the network knows none", async () => {
    const answer = await parLookup(UNRESOLVED)
    expectProblem(answer, "invalid-request")
    expect(pointersOf(answer)).toEqual(["/number"])
  })

  test("is refused with service-unavailable in a production app without a connector", async () => {
    expectProblem(await parLookup(VISA, { auth: service.production.auth }), "service-unavailable")
  })
})

describe.each([
  ["a BIN lookup", BIN],
  ["a PAR lookup", PAR],
])("%s", (_what, path) => {
  const lookUp = (number: unknown, options: CallOptions = {}) => service.post(path, { number }, options)

  const WRONG = [
    ...["", "x", "42424", "42424242424", "4242 4242 4242 4242", "4242424242424241", "４２４２４２"],
    ...["4".repeat(20), " 424242", "ev:", "ev:x:$", "424242\n"],
    ...[null, 424242, {}, true],
  ].map((number) => ({ number }))

  test.each(WRONG)("is refused with invalid-request for the number $number", async ({ number }) => {
    const answer = await lookUp(number)
    expectProblem(answer, "invalid-request")
    expect(pointersOf(answer)).toEqual(["/number"])
  })

  test("is refused with invalid-request for a token of anything else, or another app's", async () => {
    const others = [await encrypt("no number"), await encrypt(true), await encrypt(1.5)]
    others.push(await encrypt(VISA, { auth: service.production.auth }))
    for (const token of others) {
      const answer = await lookUp(token)
      expectProblem(answer, "invalid-request")
      expect(pointersOf(answer)).toEqual(["/number"])
      expect(answer.text).not.toContain(token)
    }
  })

  test("is refused with decrypt/forbidden, and audited, when the policies of the token's role do not permit it", async () => {
    const answer = await lookUp(await encrypt(VISA, role("forbidden")))
    expectProblem(answer, "decrypt/forbidden")
    expect(pointersOf(answer)).toEqual(["/number"])
    const { json } = await service.get("/audit-logs?limit=1", { auth: service.team.auth })
    expect(json).toMatchObject({
      data: [{ action: "decryption.refused", details: { code: "decrypt/forbidden", role: "forbidden" } }],
    })
  })

  test("is added to the access log with the token's role, and not for a plain number", async () => {
    const { app, auth } = await service.newApp("sandbox")
    await service.newRole(app, "cards")
    const policy = { name: "All", effect: "permit", roles: ["cards"], conditions: {} }
    await service.post("/data-policies", policy, { auth })
    const token = await encrypt(VISA, { auth, ...role("cards") })
    await lookUp(VISA, { auth })
    expect((await lookUp(token, { auth })).status).toBe(201)
    const records = z.object({ data: z.array(z.looseObject({ source: z.string(), roles: z.unknown() })) })
    await expect
      .poll(async () => records.parse((await service.get("/access-logs", { auth })).json).data, {
        timeout: 10_000,
      })
      .toMatchObject([{ source: "api", roles: { cards: 1 }, total: 1 }])
  })

  test("is refused with payload-too-large beyond 64 KB, and with invalid-request for unknown fields", async () => {
    expectProblem(await lookUp("4".repeat(64 * 1024)), "payload-too-large")
    expectProblem(await lookUp("4".repeat(60 * 1024)), "invalid-request")
    expectProblem(await service.post(path, { number: VISA, marker: 1 }), "invalid-request")
    expectProblem(await service.post(path, {}), "invalid-request")
    expectProblem(await service.post(path, "{"), "invalid-request")
  })

  test("is refused with unauthorized without credentials, and with forbidden for keys without the scope", async () => {
    expectProblem(await lookUp(VISA, { auth: null }), "unauthorized")
    const auth = await service.newKey(service.sandbox.app, ["api:decrypt", "insights:create"])
    expectProblem(await lookUp(VISA, { auth }), "forbidden")
    expectProblem(await lookUp(VISA, { auth: service.team.auth }), "forbidden")
  })

  test("repeats no digit of what it refused", async () => {
    const answer = await lookUp("4242424242424241")
    expect(answer.text).not.toMatch(/[0-9]{4,}/)
  })
})

describe("a lookup of a warm process", () => {
  test("makes no AWS call for any number of a range", async () => {
    const token = await encrypt("4242424242424242")
    await binLookup(token)
    await parLookup(token)
    const before = service.awsCalls.length
    await binLookup(token)
    await binLookup("4242424242424267")
    await parLookup(token)
    expect(service.awsCalls.slice(before)).toEqual([])
  })
})
