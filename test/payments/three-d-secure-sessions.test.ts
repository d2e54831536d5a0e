import { describe, expect, test } from "vitest"
import * as z from "zod"
import { type CallOptions, type Identity, useService } from "../support/service.ts"

const service = useService()

const PATH = "/payments/3ds-sessions"
const SHOP = { name: "Shop", website: "https://shop.example.com", categoryCode: "5411", country: "IE" }
const EXPIRY = { month: "09", year: "39" }
const cardOf = (number: string) => ({ number, expiry: EXPIRY })
const PAYMENT = { type: "one-off", amount: 1_000, currency: "EUR" }
const BROWSER = {
  ...{ javaEnabled: false, javaScriptEnabled: true, language: "en-GB", colorDepth: 24 },
  ...{ screenHeight: 1_080, screenWidth: 1_920, timeZone: -60 },
}

const sessionSchema = z.looseObject({
  id: z.string().regex(/^tds_[0-9a-hjkmnp-tv-z]{26}$/),
  status: z.enum(["action-required", "success", "failure"]),
  nextAction: z.object({ type: z.literal("use-sdk"), url: z.url() }).optional(),
  cryptogram: z.string().optional(),
  failureReason: z.string().optional(),
  threeDSServer: z.object({ transactionIdentifier: z.uuid() }),
})
const browserSchema = z.strictObject({
  status: z.enum(["action-required", "success", "failure"]),
  nextAction: z
    .union([
      z.strictObject({ type: z.literal("browser-fingerprint"), url: z.url(), data: z.string() }),
      z.strictObject({ type: z.literal("challenge"), url: z.url(), creq: z.string() }),
    ])
    .optional(),
})

async function create(settings: object = {}, options: CallOptions = {}) {
  const body = { merchant: SHOP, card: cardOf("4000000000003014"), payment: PAYMENT, ...settings }
  const answer = await service.post(PATH, body, options)
  expect(answer.status, answer.text).toBe(201)
  return sessionSchema.parse(answer.json)
}
const show = async (id: string, options: CallOptions = {}) =>
  sessionSchema.parse((await service.get(`${PATH}/${id}`, options)).json)

const asBrowser = ({ app }: Identity = service.sandbox): CallOptions => ({
  auth: null,
  headers: { "x-service-app-id": app.id },
})
const browserPath = (id: string) => `/frontend/3ds/browser-sessions/${id}`
const step = async (id: string, body: object) => {
  const answer = await service.patch(browserPath(id), body, asBrowser())
  expect(answer.status, answer.text).toBe(200)
  return browserSchema.parse(answer.json)
}

describe("a session that the customer initiates", () => {
  test("waits for the browser, and succeeds when the issuer asks for nothing", async () => {
    const session = await create()
    expect(session).toMatchObject({
      status: "action-required",
      merchant: { ...SHOP, country: "ie" },
      card: { lastFour: "3014", brand: "visa", expiry: EXPIRY },
      acquirer: { bin: expect.any(String) },
      payment: { ...PAYMENT, currency: "eur" },
      challenge: { preference: "no-preference", reason: null },
      initiator: { type: "customer" },
      version: "2.2.0",
      nextAction: { type: "use-sdk", url: expect.stringContaining(`${service.url}/frontend/3ds/pages/`) },
      cres: null,
      rreq: null,
      updatedAt: null,
    })
    const begun = await step(session.id, { frame: { width: 500, height: 600 }, browser: BROWSER })
    expect(begun).toMatchObject({ status: "action-required", nextAction: { type: "browser-fingerprint" } })
    expect(await step(session.id, { browserFingerprint: "complete" })).toEqual({ status: "success" })
    expect(await show(session.id)).toMatchObject({
      status: "success",
      authentication: { flow: "frictionless" },
      cryptogram: expect.stringMatching(/^[A-Za-z0-9+/]{27}=$/),
      eci: { value: "05", descriptor: "fully-authenticated", liabilityShift: true },
      accessControlServer: { transactionIdentifier: expect.any(String), referenceNumber: expect.any(String) },
      directoryServer: { network: "visa" },
      ares: { transStatus: { value: "Y" }, transStatusReason: null },
    })
  })
})
