import { startReceiver } from "@sealway/http/testing"
import { MAX_SESSIONS, roomKey, WINDOW_MS } from "@sealway/payments/testing"
import { appPartition } from "@sealway/ports"
import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { MERCHANT } from "../support/payment-requests.ts"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, type Identity, useService } from "../support/service.ts"
import { resultsOf, resultsProofOf, type Transactions } from "../support/three-d-secure-requests.ts"

const service = useService()

const PATH = "/payments/3ds-sessions"
const SHOP = { name: "Shop", website: "https://shop.example.com", categoryCode: "5411", country: "IE" }
const EXPIRY = { month: "09", year: "39" }
const cardOf = (number: string) => ({ number, expiry: EXPIRY })
const PAYMENT = { type: "one-off", amount: 1_000, currency: "EUR" }
const BROWSER = {
  javaEnabled: false,
  javaScriptEnabled: true,
  language: "en-GB",
  colorDepth: 24,
  screenHeight: 1_080,
  screenWidth: 1_920,
  timeZone: -60,
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
  test("waits for the browser, and succeeds when the issuer requires nothing", async () => {
    const session = await create()
    expect(session).toMatchObject({
      status: "action-required",
      merchant: { ...SHOP, country: "ie" },
      card: { lastFour: "3014", brand: "visa", expiry: EXPIRY },
      acquirer: { bin: expect.any(String) },
      payment: { ...PAYMENT, currency: "eur" },
      challenge: { preference: "no-preference" },
      initiator: { type: "customer" },
      version: "2.2.0",
      nextAction: { type: "use-sdk", url: expect.stringContaining(`${service.url}/frontend/3ds/pages/`) },
      cres: null,
      rreq: null,
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

const numberOf = { visa: "4000000000003", challenge: "4000000000003030", attempt: "4000000000003022" }

/** Creates a session whose issuer requires a challenge. */
async function createChallenged() {
  const { id } = await create({ card: cardOf(numberOf.challenge) })
  await step(id, { frame: { width: 500, height: 600 }, browser: BROWSER })
  const { nextAction } = await step(id, { browserFingerprint: "complete" })
  if (nextAction?.type !== "challenge") throw new Error("No challenge is asked for")
  const answer: unknown = (await service.get(`${PATH}/${id}`)).json
  const session = answer as Transactions
  const transactionId = session.threeDSServer.transactionIdentifier
  const proof = await resultsProofOf(service.service.platform, service.sandbox.app, transactionId)
  const resultsPath = `/payments/3ds-results/${service.sandbox.app.id}/${transactionId}/${proof}`
  return { id, session, transactionId, resultsPath, nextAction }
}
const tellResults = (path: string, body: object) => service.post(path, body, { auth: null })

describe("the results of a challenge", () => {
  test("make the session succeed, once, and get the same answer when they come again", async () => {
    const { id, session, resultsPath } = await createChallenged()
    const first = await tellResults(resultsPath, resultsOf(session))
    expect(first.json).toMatchObject({ messageType: "RRes", resultsStatus: "01" })
    const decided = await show(id)
    expect(decided).toMatchObject({
      status: "success",
      authentication: { flow: "challenge", methods: ["other-otp"] },
      cryptogram: Buffer.alloc(20, 7).toString("base64"),
      rreq: { transStatus: { value: "Y" } },
    })
    expect((await tellResults(resultsPath, resultsOf(session))).json).toEqual(first.json)
    expect((await tellResults(resultsPath, resultsOf(session, "N"))).json).toEqual(first.json)
    expect(await show(id)).toEqual(decided)
  })

  test("do not make a session succeed that has ended otherwise", async () => {
    const { id, session, resultsPath } = await createChallenged()
    expect(await step(id, { outcome: "cancelled" })).toEqual({ status: "failure" })
    expect((await tellResults(resultsPath, resultsOf(session))).json).toMatchObject({ messageType: "RRes" })
    const { cryptogram, ...shown } = await show(id)
    expect(cryptogram).toBeUndefined()
    expect(shown).toMatchObject({ status: "failure", failureReason: "cancelled" })
  })

  test("are refused from callers without their URL, and for another app's session", async () => {
    const { id, session, transactionId, resultsPath } = await createChallenged()
    const { app } = await service.newApp("sandbox")
    const ownProof = await resultsProofOf(service.service.platform, app, transactionId)
    for (const path of [
      resultsPath.slice(0, -1),
      `${resultsPath.slice(0, -1)}${resultsPath.endsWith("A") ? "B" : "A"}`,
      resultsPath.replace(transactionId, "11111111-1111-4111-8111-111111111111"),
      resultsPath.replace(service.sandbox.app.id, app.id),
      resultsPath.replace(service.sandbox.app.id, "app_unknown0000000"),
    ]) {
      expectProblem(await tellResults(path, resultsOf(session)), "unauthorized")
    }
    const foreign = `/payments/3ds-results/${app.id}/${transactionId}/${ownProof}`
    expect((await tellResults(foreign, resultsOf(session))).json).toMatchObject({
      messageType: "Erro",
      errorCode: "301",
    })
    expect((await show(id)).status).toBe("action-required")
  })

  test.each([
    ["of another transaction", { dsTransID: "11111111-1111-4111-8111-111111111111" }, "301"],
    ["of another issuer's transaction", { acsTransID: "11111111-1111-4111-8111-111111111111" }, "301"],
    ["without what proves them", { authenticationValue: undefined }, "201"],
    ["of another version", { messageVersion: "2.3.1" }, "203"],
    ["that are another message", { messageType: "ARes" }, "101"],
    ["with a status that results cannot have", { transStatus: "C" }, "203"],
  ])("%s are answered with an error and change nothing", async (_, changes, errorCode) => {
    const { id, session, resultsPath } = await createChallenged()
    const answer = await tellResults(resultsPath, { ...resultsOf(session), ...changes })
    expect(answer.json).toMatchObject({ messageType: "Erro", errorCode, errorComponent: "S" })
    expect((await show(id)).status).toBe("action-required")
  })

  test("are refused when there is no challenge", async () => {
    const { id, threeDSServer } = await create()
    const transactionId = threeDSServer.transactionIdentifier
    const proof = await resultsProofOf(service.service.platform, service.sandbox.app, transactionId)
    const path = `/payments/3ds-results/${service.sandbox.app.id}/${transactionId}/${proof}`
    const other = { transactionIdentifier: "11111111-1111-4111-8111-111111111111" }
    const results = resultsOf({ threeDSServer, accessControlServer: other, directoryServer: other })
    expect((await tellResults(path, results)).json).toMatchObject({ messageType: "Erro", errorCode: "301" })
    expect((await show(id)).status).toBe("action-required")
  })
})

describe("a browser", () => {
  const cresOf = ({ session, transactionId }: Awaited<ReturnType<typeof createChallenged>>, changes = {}) => {
    const acsTransID = session.accessControlServer.transactionIdentifier
    const message = { messageType: "CRes", messageVersion: "2.2.0", threeDSServerTransID: transactionId }
    return Buffer.from(JSON.stringify({ ...message, acsTransID, transStatus: "Y", ...changes })).toString(
      "base64url",
    )
  }

  test("does not make the session succeed by claiming success, with any response", async () => {
    const challenged = await createChallenged()
    const { id } = challenged
    const told = await step(id, { outcome: "success", cres: cresOf(challenged) })
    expect(told).toMatchObject({ status: "action-required", nextAction: { type: "challenge" } })
    expect(await show(id)).toMatchObject({ status: "action-required", cres: { transStatus: { value: "Y" } } })
  })

  test.each([
    ["cancelled", "cancelled"],
    ["failure", "failed-authentication"],
    ["aborted-on-challenge", "challenge-required"],
  ])("ends a session by %s as %s, and is told so afterwards", async (outcome, failureReason) => {
    const { id } = await createChallenged()
    expect(await step(id, { outcome })).toEqual({ status: "failure" })
    expect(await show(id)).toMatchObject({ status: "failure", failureReason })
    expectProblem(await service.patch(browserPath(id), { outcome }, asBrowser()), "invalid-request")
    expectProblem(
      await service.patch(browserPath(id), { outcome: "success" }, asBrowser()),
      "invalid-request",
    )
    expect((await service.get(browserPath(id), asBrowser())).json).toEqual({ status: "failure" })
  })

  test("gets the same answer when it repeats its steps, and sends no second request", async () => {
    const { id } = await create({ card: cardOf(numberOf.challenge) })
    const first = { frame: { width: 500, height: 600 }, browser: BROWSER }
    const begun = await step(id, first)
    expect(await step(id, first)).toEqual(begun)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => step(id, { browserFingerprint: "timeout" })),
    )
    expect(answers.every(({ status }) => status === "action-required")).toBe(true)
    expect(await step(id, first)).toMatchObject({ nextAction: { type: "challenge" } })
    const { json } = await service.get(`${PATH}/${id}/messages`)
    const { messages } = z.object({ messages: z.array(z.looseObject({ type: z.string() })) }).parse(json)
    expect(messages.map(({ type }) => type)).toEqual(["AReq", "ARes", "CReq"])
    expect(messages[0]).toMatchObject({ data: { threeDSCompInd: "N" } })
  })

  test("is told to send the browser's data before the end of fingerprinting", async () => {
    const { id } = await create()
    const early = await service.patch(browserPath(id), { browserFingerprint: "complete" }, asBrowser())
    expectProblem(early, "invalid-request")
    expect(early.json).toMatchObject({ fields: [{ pointer: "/browserFingerprint" }] })
    expect((await service.get(browserPath(id), asBrowser())).json).toEqual({ status: "action-required" })
  })

  test.each([
    [{}, "", "One of these fields is required: browser, browserFingerprint, outcome."],
    [{ browser: { ...BROWSER, colorDepth: 0 } }, "/browser/colorDepth", undefined],
    [{ outcome: "won" }, "/outcome", undefined],
    [{ browserFingerprint: true }, "/browserFingerprint", undefined],
    [[], "", "Invalid input: expected object."],
  ])("is told what is wrong with %j", async (body, pointer, reason) => {
    const { id } = await create()
    const answer = await service.patch(browserPath(id), body, asBrowser())
    expect(answer.json).toMatchObject({ fields: [{ pointer, ...(reason !== undefined && { reason }) }] })
  })

  test("gets the same answer for an unknown session, app or another app's session", async () => {
    const { id } = await create()
    const other = await service.newApp("sandbox")
    for (const [path, options] of [
      [browserPath("tds_00000000000000000000000000"), asBrowser()],
      [browserPath("x"), asBrowser()],
      [browserPath(id), asBrowser(other)],
      [browserPath(id), { auth: null }],
      [browserPath(id), { auth: null, headers: { "x-service-app-id": "app_unknown0000000" } }],
    ] as const) {
      expectProblem(await service.get(path, options), "not-found")
      expectProblem(await service.patch(path, { outcome: "cancelled" }, options), "not-found")
    }
    const alias = { auth: null, headers: { "x-evervault-app-id": service.sandbox.app.id } }
    expect((await service.get(browserPath(id), alias)).json).toEqual({ status: "action-required" })
  })

  test.each([
    {},
    { outcome: "won" },
    { browserFingerprint: true },
    { browser: { ...BROWSER, colorDepth: 0 } },
    { browser: { ...BROWSER, language: "" } },
    { browser: { ...BROWSER, language: "en_GB" } },
    { browser: { ...BROWSER, language: "en-" } },
    { frame: { width: -1, height: 1 }, browser: BROWSER },
    { outcome: "cancelled", browserFingerprint: "complete" },
    [],
  ])("is refused %j", async (body) => {
    const { id } = await create()
    expectProblem(await service.patch(browserPath(id), body, asBrowser()), "invalid-request")
  })

  test("is refused too large a request", async () => {
    const { id } = await create()
    const body = { outcome: "success", cres: "x".repeat(140_000) }
    expectProblem(await service.patch(browserPath(id), body, asBrowser()), "payload-too-large")
  })

  test("may call from any page", async () => {
    const answer = await service.call("OPTIONS", browserPath("x"), undefined, {
      auth: null,
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "PATCH",
        "access-control-request-headers": "content-type,x-service-app-id",
      },
    })
    expect(answer.headers.get("access-control-allow-headers")).toContain("x-service-app-id")
  })

  test("returns a response by a form, which proves nothing, and is shown a page for allowed origins", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const origins = { allowedOrigins: ["https://shop.example.com"] }
    await service.patch(`/apps/${app.id}`, origins, { auth: service.team.auth })
    const body = { merchant: SHOP, card: cardOf(numberOf.challenge), payment: PAYMENT }
    const session = sessionSchema.parse((await service.post(PATH, body, { auth })).json)
    const transactionId = session.threeDSServer.transactionIdentifier
    const form = { auth: null, contentType: "application/x-www-form-urlencoded" }
    const path = `/frontend/3ds/notifications/${app.id}/${transactionId}`
    for (const cres of [cresOf(await createChallenged()), "<script>alert(1)</script>", ""]) {
      const answer = await service.post(path, `cres=${encodeURIComponent(cres)}`, form)
      expect(answer.status).toBe(200)
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(answer.headers.get("content-security-policy")).toContain(
        "frame-ancestors 'self' https://shop.example.com",
      )
      expect(answer.headers.get("content-security-policy")).not.toContain("unsafe")
      expect(answer.text).not.toContain("alert(1)")
    }
    expect((await show(session.id, { auth })).status).toBe("action-required")
    const fingerprint = await service.post(path.replace("notifications", "fingerprints"), "a=b", form)
    expect(fingerprint.text).toContain('"cres":null')
    expectProblem(await service.post(`/frontend/3ds/notifications/x/${transactionId}`, "", form), "not-found")
    expectProblem(await service.post(path, {}, { auth: null }), "unsupported-media-type")
  })
})

describe("the page of a session", () => {
  const pageOf = ({ nextAction }: Awaited<ReturnType<typeof create>>) =>
    new URL(nextAction?.url ?? "").pathname

  test("opens the session until a browser takes part, and not afterwards", async () => {
    const session = await create()
    const page = await service.get(pageOf(session), { auth: null })
    expect(page.text).toContain(session.id)
    expect(page.headers.get("cache-control")).toBe("no-store")
    expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'.*connect-src 'self'/)
    expect((await service.get(pageOf(session), { auth: null })).text).toContain(session.id)
    await step(session.id, { browser: BROWSER })
    expect((await service.get(pageOf(session), { auth: null })).text).not.toContain(session.id)
  })

  test("shows nothing for a made-up address", async () => {
    const page = await service.get("/frontend/3ds/pages/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", { auth: null })
    expect(page.text).toContain("has expired")
  })
})

describe("a session that the merchant initiates", () => {
  const initiator = { type: "merchant", reason: "other-payment" }

  test("is decided in the answer, and can refer to an earlier one", async () => {
    const first = await create({ initiator })
    expect(first).toMatchObject({
      status: "success",
      authentication: { flow: "frictionless" },
      cryptogram: expect.any(String),
    })
    expect(first.nextAction).toBeUndefined()
    for (const initialSession of [first.id, first.threeDSServer.transactionIdentifier]) {
      const next = await create({ initiator: { ...initiator, initialSession } })
      expect(next).toMatchObject({ status: "success", initiator: { ...initiator, initialSession } })
      const { json } = await service.get(`${PATH}/${next.id}/messages`)
      expect(JSON.stringify(json)).toContain("threeDSReqPriorRef")
    }
  })

  test("is refused with an earlier session that is another app's, or did not succeed", async () => {
    const waiting = await create()
    const { auth } = await service.newApp("sandbox")
    const foreign = await create({ initiator }, { auth })
    for (const initialSession of [waiting.id, foreign.id, foreign.threeDSServer.transactionIdentifier, "x"]) {
      const body = { merchant: SHOP, card: cardOf("4000000000003014"), payment: PAYMENT }
      const answer = await service.post(PATH, { ...body, initiator: { ...initiator, initialSession } })
      expectProblem(answer, "invalid-request")
      expect(answer.text).toContain("/initiator/initialSession")
    }
  })

  test("is returned again for its Idempotency-Key, without the cryptogram", async () => {
    const headers = { "idempotency-key": "once-3ds" }
    const first = await create({ initiator }, { headers })
    const again = await create({ initiator }, { headers })
    const { cryptogram, ...others } = first
    expect(cryptogram).toMatch(/^[A-Za-z0-9+/]{27}=$/)
    expect(again).toEqual(others)
    expect((await show(first.id)).cryptogram).toBe(cryptogram)
  })
})

describe("the failure of a session", () => {
  test.each([
    ["3048", "failed-authentication"],
    ["3055", "card-not-enrolled"],
    ["3063", "no-card-record"],
    ["3071", "suspected-fraud"],
    ["3089", "invalid-acquirer-details"],
    ["3097", "unsupported-version"],
    ["3105", "authentication-timed-out"],
    ["3113", "acs-unavailable"],
    ["3121", "directory-server-unavailable"],
    ["3139", "transient-system-failure"],
    ["3147", "invalid-card-details"],
    ["3154", "transaction-not-permitted"],
    ["3162", "required-data-element-missing"],
    ["3170", "protocol-error"],
    ["3188", "failed-authentication"],
  ])("is, for the number that ends in %s, %s", async (end, failureReason) => {
    const number = `400000000000${end}`
    const { id } = await create({ card: cardOf(number) })
    await step(id, { browser: BROWSER })
    expect(await step(id, { browserFingerprint: "complete" })).toEqual({ status: "failure" })
    const session = await show(id)
    expect(session).toMatchObject({ status: "failure", failureReason })
    expect(session.cryptogram).toBeUndefined()
    expect(session.eci).toBeUndefined()
    if (end === "3188") expect(session).toMatchObject({ ares: { cardholderInfo: expect.any(String) } })
  })

  test("is unsupported-version when no side speaks the preferred one", async () => {
    const { id } = await create({ preferredVersions: ["2.3.1"] })
    expect(await step(id, { browser: BROWSER })).toEqual({ status: "failure" })
    expect(await show(id)).toMatchObject({ failureReason: "unsupported-version" })
  })
})

describe("POST /payments/3ds-sessions", () => {
  const refusedAt = async (settings: object, pointer: string, options: CallOptions = {}) => {
    const body = { merchant: SHOP, card: cardOf("4000000000003014"), payment: PAYMENT, ...settings }
    const answer = await service.post(PATH, body, options)
    expectProblem(answer, "invalid-request")
    const { fields } = z.object({ fields: z.array(z.object({ pointer: z.string() })) }).parse(answer.json)
    expect(fields.map((field) => field.pointer)).toContain(pointer)
  }

  test.each([
    ["/merchant", { merchant: "merchant_00000000000000000000000000" }],
    ["/merchant/name", { merchant: { ...SHOP, name: "x".repeat(41) } }],
    ["/merchant/country", { merchant: { ...SHOP, country: "xx" } }],
    ["/merchant/categoryCode", { merchant: { ...SHOP, categoryCode: "541" } }],
    ["/merchant/website", { merchant: { ...SHOP, website: "https://shop.invalid" } }],
    ["/merchant", { merchant: { ...SHOP, other: 1 } }],
    ["/card/number", { card: cardOf("4000000000003015") }],
    ["/card/number", { card: cardOf("500000000009") }],
    ["/card/expiry/month", { card: { number: "4000000000003014", expiry: { month: "13", year: "39" } } }],
    ["/card", { card: "card_00000000000000000000000000" }],
    ["/acquirer", { acquirer: "acquirer_00000000000000000000000000" }],
    ["/acquirer/bin", { acquirer: { bin: "12345", merchantIdentifier: "1", country: "ie" } }],
    ["/payment/amount", { payment: { ...PAYMENT, amount: -1 } }],
    ["/payment/currency", { payment: { ...PAYMENT, currency: "xxx" } }],
    [
      "/payment/installments",
      { payment: { ...PAYMENT, type: "installment", installments: 1, frequency: "daily" } },
    ],
    ["/payment/frequency", { payment: { ...PAYMENT, type: "installment", installments: 2 } }],
    ["/payment/expiry", { payment: { ...PAYMENT, type: "recurring", frequency: "daily" } }],
    [
      "/payment/expiry",
      { payment: { ...PAYMENT, type: "recurring", frequency: "daily", expiry: 4_102_394_401 } },
    ],
    ["/customer/name", { customer: { name: "Ä" } }],
    [
      "/customer/phone",
      { customer: { phone: ["1", "2"].map((number) => ({ type: "home", countryCode: "1", number })) } },
    ],
    [
      "/customer/billing/address/state",
      {
        customer: { billing: { address: { line1: "1 St", city: "Austin", postalCode: "1", country: "us" } } },
      },
    ],
    [
      "/customer/billing/address/state",
      {
        customer: {
          billing: {
            address: { line1: "1 St", city: "Austin", postalCode: "1", country: "us", state: "TEX" },
          },
        },
      },
    ],
    ["/preferredVersions/0", { preferredVersions: ["2.1.0"] }],
    ["/preferredVersions", { preferredVersions: [] }],
    ["/challenge/reason", { challenge: { preference: "no-preference", reason: "low-risk" } }],
    ["/challenge/preference", { challenge: {} }],
    ["/initiator/reason", { initiator: { type: "merchant" } }],
    ["/payment", { payment: undefined, initiator: { type: "merchant", reason: "recurring" } }],
    ["/payment/type", { initiator: { type: "merchant", reason: "recurring" } }],
    ["", { other: 1 }],
  ])("refuses with a field at %j: %j", async (pointer, settings) => {
    await refusedAt(settings, pointer)
  })

  test("accepts a merchant by id, with the country of its address, and uses its short name where its name is too long", async () => {
    const make = async (settings: object) => {
      const { json } = await service.post("/payments/merchants", { ...MERCHANT, ...settings })
      return z.object({ id: z.string() }).parse(json).id
    }
    const id = await make({})
    expect(await create({ merchant: id })).toMatchObject({
      merchant: { id, name: MERCHANT.name, country: "ie" },
    })
    const long = { name: "x".repeat(41) }
    const short = await make({ ...long, shortName: "Short" })
    expect(await create({ merchant: short })).toMatchObject({ merchant: { id: short, name: "Short" } })
    const body = { merchant: await make(long), card: cardOf("4000000000003014") }
    expectProblem(await service.post(PATH, body), "payments/3ds-sessions/short-name-required")
  })

  test("accepts a registered card by id, and what has replaced it, but not a closed one", async () => {
    const registered = await service.post("/payments/cards", cardOf("4242424242424242"))
    const { id } = z.object({ id: z.string() }).parse(registered.json)
    expect(await create({ card: id })).toMatchObject({ card: { lastFour: "4242", expiry: EXPIRY } })
    const simulate = (updateType: string, card: string) =>
      service.post(`/payments/cards/${card}/simulate`, { updateType })
    await simulate("new-account-number", id)
    const { json } = await service.get(`/payments/cards/${id}`)
    const { replacement } = z.object({ replacement: z.string() }).parse(json)
    const newest = await service.get(`/payments/cards/${replacement}`)
    const { lastFour } = z.object({ lastFour: z.string() }).parse(newest.json)
    expect(await create({ card: id })).toMatchObject({ card: { lastFour } })
    await simulate("account-closure", replacement)
    await refusedAt({ card: id }, "/card")
  })

  test("uses the default acquirer's configuration of the card's network, one by id, or a substitute", async () => {
    const { auth } = await service.newApp("sandbox")
    const configuration = { bin: "411111", acquirerMerchantIdentifier: "42", country: "fr" }
    const configurations = [{ network: "visa", ...configuration }]
    expect(await create({}, { auth })).toMatchObject({ acquirer: { merchantIdentifier: "SANDBOX" } })
    const { json } = await service.post("/payments/acquirers", { name: "Bank", configurations }, { auth })
    const { id } = z.object({ id: z.string() }).parse(json)
    const expected = { id, bin: "411111", merchantIdentifier: "42", country: "fr" }
    expect(await create({}, { auth })).toMatchObject({ acquirer: expected })
    expect(await create({ acquirer: id }, { auth })).toMatchObject({ acquirer: expected })
    await refusedAt({ acquirer: id, card: cardOf("5200000000003019") }, "/acquirer", { auth })
  })

  test("refuses with too-many-requests a session more than an app can start in ten minutes", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const { paymentsTable } = service.service.platform
    const body = { merchant: SHOP, card: cardOf("4000000000003014"), payment: PAYMENT }
    const count = { attribute: "sessions", amount: MAX_SESSIONS - 1, limit: MAX_SESSIONS, expiresAt: 4e9 }
    // The window may end meanwhile.
    for (const atMs of [Date.now(), Date.now() + WINDOW_MS])
      await paymentsTable?.add(roomKey(app, atMs), count)
    expect((await service.post(PATH, body, { auth })).status).toBe(201)
    const refused = await service.post(PATH, body, { auth })
    expectProblem(refused, "too-many-requests")
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await service.post(PATH, body)).status).toBe(201)
  })

  test("refuses a production app without a connector, and never simulates", async () => {
    const body = { merchant: SHOP, card: cardOf("4000000000003014"), payment: PAYMENT }
    const acquirer = { bin: "400000", merchantIdentifier: "1", country: "ie" }
    const { auth } = service.production
    expectProblem(await service.post(PATH, { ...body, acquirer }, { auth }), "service-unavailable")
  })

  test("opens a number that is a token, and refuses one that its role's policies forbid", async () => {
    const { json: token } = await service.post("/encrypt", '"4000000000003014"')
    expect(await create({ card: { number: token, expiry: EXPIRY } })).toMatchObject({
      card: { lastFour: "3014" },
    })
    await service.newRole(service.sandbox.app, "3ds-kept")
    const headers = { "x-service-data-role": "3ds-kept" }
    const { json: kept } = await service.post("/encrypt", '"4000000000003014"', { headers })
    const body = { merchant: SHOP, card: { number: kept, expiry: EXPIRY } }
    expectProblem(await service.post(PATH, body), "decrypt/forbidden")
  })

  test("requires its scopes, and answers another app's session as a missing one", async () => {
    const { id } = await create()
    const reader = await service.newKey(service.sandbox.app, ["threeDSSession:read"])
    expectProblem(await service.post(PATH, {}, { auth: reader }), "forbidden")
    expect((await show(id, { auth: reader })).id).toBe(id)
    const maker = await service.newKey(service.sandbox.app, ["threeDSSession:create"])
    const { auth } = await service.newApp("sandbox")
    expectProblem(await service.get(PATH, { auth: maker }), "forbidden")
    expectProblem(await service.get(PATH, { auth: null }), "unauthorized")
    for (const path of [`${PATH}/${id}`, `${PATH}/${id}/messages`]) {
      expectProblem(await service.get(path, { auth: maker }), "forbidden")
      expectProblem(await service.get(path, { auth }), "not-found")
      expectProblem(await service.get(path, { auth: null }), "unauthorized")
    }
    expectProblem(await service.post(PATH, "x".repeat(70_000)), "payload-too-large")
  })
})

describe("GET /payments/3ds-sessions", () => {
  const listSchema = z.strictObject({
    data: z.array(z.looseObject({ id: z.string(), createdAt: z.int() })),
    hasMore: z.boolean(),
    continueAfter: z.string().nullable(),
  })
  const list = async (query: string, options: CallOptions = {}) =>
    listSchema.parse((await service.get(`${PATH}?${query}`, options)).json)
  const initiator = { type: "merchant", reason: "other-payment" }

  test("lists the app's sessions, newest first, in pages, by merchant and status, without what opens or proves them", async () => {
    const { auth } = await service.newApp("sandbox")
    const made = await service.post("/payments/merchants", MERCHANT, { auth })
    const merchant = z.object({ id: z.string() }).parse(made.json).id
    const open = await create({ merchant }, { auth })
    const success = await create({ initiator }, { auth })
    const failure = await create({ initiator, card: cardOf("4000000000003048") }, { auth })
    const all = await list("", { auth })
    expect(all).toMatchObject({ hasMore: false, continueAfter: null })
    // Those of the same millisecond have no order.
    const times = all.data.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted((left, right) => right - left))
    expect(new Set(all.data.map(({ id }) => id))).toEqual(new Set([open.id, success.id, failure.id]))
    const pages = [await list("limit=2", { auth })]
    pages.push(await list(`limit=2&startingAfter=${pages[0]?.continueAfter}`, { auth }))
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, false])
    expect(pages.flatMap(({ data }) => data)).toEqual(all.data)

    expect((await list(`merchant=${merchant}`, { auth })).data).toEqual([
      expect.objectContaining({ id: open.id, status: "action-required", card: open.card }),
    ])
    const [found] = (await list("status=success", { auth })).data
    expect(found).toMatchObject({ id: success.id, authentication: { flow: "frictionless" } })
    expect(success.cryptogram).toEqual(expect.any(String))
    for (const left of ["cryptogram", "nextAction", "ares", "threeDSServer"]) {
      for (const session of all.data) expect(session).not.toHaveProperty(left)
    }
    expect((await list("status=failure", { auth })).data).toMatchObject([
      { failureReason: expect.any(String) },
    ])
    const stranger = await service.newApp("sandbox")
    expect((await list("", { auth: stranger.auth })).data).toEqual([])
    const foreign = await service.get(`${PATH}?startingAfter=${open.id}`, { auth: stranger.auth })
    expectProblem(foreign, "invalid-request")
  })

  test("lists once a session whose request died and was repeated a moment later, and none that was never created", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const session = await create({}, { auth })
    const { paymentsTable } = service.service.platform
    for (const [sessionId, createdAt] of [
      [session.id, 1],
      ["tds_00000000000000000000000000", 2],
    ] as const) {
      const sk = `3ds-session-time#${String(createdAt).padStart(15, "0")}#${sessionId}`
      const item = { id: sessionId, sessionId, createdAt, revision: 1 }
      await paymentsTable?.put({ pk: appPartition(app.id), sk }, item)
    }
    expect((await list("limit=1", { auth })).data).toMatchObject([{ id: session.id }])
    expect(await list("", { auth })).toMatchObject({ data: [{ id: session.id }], hasMore: false })
  })

  test("leaves out a session that cannot be opened, and lists the others", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const older = await create({}, { auth })
    const broken = await create({}, { auth })
    const newer = await create({}, { auth })
    const { paymentsTable } = service.service.platform
    const key = { pk: appPartition(app.id), sk: `3ds-session#${broken.id}` }
    const item = await paymentsTable?.get(key)
    await paymentsTable?.put(key, { ...item, revision: 2, sealed: Buffer.alloc(80) })
    const all = await list("", { auth })
    expect(new Set(all.data.map(({ id }) => id))).toEqual(new Set([older.id, newer.id]))
    expect(all.hasMore).toBe(false)
    expect((await list("status=action-required", { auth })).data).toHaveLength(2)
  })

  test.each([
    "status=marker-7f3a",
    "merchant=marker%207f3a",
    "limit=0",
    "startingAfter=card_00000000000000000000000000",
    "startingAfter=tds_00000000000000000000000000",
    "marker-7f3a=1",
  ])("refuses %s with invalid-request, without repeating it", async (query) => {
    const answer = await service.get(`${PATH}?${query}`)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toMatch(/marker|00000000/)
  })
})

describe("the messages of a session", () => {
  test("contain the number's last four digits, but neither the cryptogram nor what would let anybody report results", async () => {
    const { id, session, resultsPath } = await createChallenged()
    await tellResults(resultsPath, resultsOf(session))
    const answer = await service.get(`${PATH}/${id}/messages`)
    expect(answer.json).toMatchObject({
      messages: [
        { type: "AReq", created_at: expect.any(Number), data: { acctNumber: "************3030" } },
        { type: "ARes" },
        { type: "CReq", data: { challengeWindowSize: "03" } },
        { type: "RReq", data: { transStatus: "Y" } },
        { type: "RRes" },
      ],
    })
    expect(answer.text).not.toContain(numberOf.challenge)
    expect(answer.text).not.toContain(Buffer.alloc(20, 7).toString("base64"))
    expect(answer.text).not.toContain(resultsPath.split("/").at(-1))
  })
})

test("reports a decision once, with the session as GET returns it", async () => {
  const { auth } = await service.newApp("sandbox")
  await using receiver = await startReceiver((_, response) => response.end())
  await service.post("/webhook-endpoints", { url: receiver.url, events: ["payments.*"] }, { auth })
  const initiator = { type: "merchant", reason: "other-payment" }
  const success = await create({ initiator }, { auth })
  const failure = await create({ initiator, card: cardOf("4000000000003048") }, { auth })
  const eventSchema = z.object({ id: z.string(), type: z.string(), data: z.unknown() })
  const told = () => receiver.received.map(({ body }) => eventSchema.parse(JSON.parse(body)))
  await vi.waitFor(() => expect(told()).toHaveLength(2), 10_000)
  expect(told().toSorted((left, right) => (left.type < right.type ? -1 : 1))).toEqual([
    { id: expect.any(String), type: "payments.3ds-session.failure", data: failure },
    { id: expect.any(String), type: "payments.3ds-session.success", data: success },
  ])
})
