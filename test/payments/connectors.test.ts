import { once } from "node:events"
import type { Server } from "node:https"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest"
import * as z from "zod"
import {
  createAnswers,
  sign,
  startConnector,
  tellAlert,
  tellCard,
  tellEnrolment,
  tellSignal,
  tellToken,
  tellUpdate,
} from "../../examples/connector/connector.mjs"
import { type ConnectorCertificates, createConnectorCertificates } from "../support/connector-certificates.ts"
import { MERCHANT, WATCHED_CARD } from "../support/payment-requests.ts"
import { expectProblem } from "../support/problem.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()
const secretSchema = z.object({ signingSecret: z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/) })
const merchantSchema = z.object({
  id: z.string(),
  networkTokens: z.object({ enrolment: z.array(z.object({ status: z.string() })) }),
})

let certificates: ConnectorCertificates
let connector: Server
let url = ""
let secret = ""
const asked: string[] = []
/** What the example decides about each network's tokens. */
const decisions = new Map<string, object>()
/** What it returns for the numbers that begin with some digits. */
const ranges = new Map<string, object>()
/** The values of the network tokens it makes, one after the other; none where there is nothing. */
const provisioned: object[] = []
/** How it answers subscriptions, one after the other; active where there is nothing. */
const subscribed: object[] = []
/** What it was told of answers to alerts, and what it says to each. */
const answers: object[] = []
let answerResult = "taken"

beforeAll(async () => {
  certificates = createConnectorCertificates()
  connector = await startConnector({
    port: 0,
    key: certificates.server.privateKey,
    cert: certificates.server.certificate,
    clientCa: certificates.authority,
    secret: () => secret,
    answers: {
      ...createAnswers({
        subscribeUpdates: () => subscribed.shift() ?? { status: "active" },
        answerAlert: (answer: object) => {
          answers.push(answer)
          return { result: answerResult }
        },
        provisionToken: () => provisioned.shift() ?? { result: "refused", reason: "provider-unavailable" },
        decide: ({ service: name }: { service: string }) => decisions.get(name) ?? { status: "active" },
      }),
      "/bin": ({ number }: { number: string }) => ({ range: ranges.get(number) ?? null }),
    },
    onRequest: ({ url: path }: { url: string }) => void asked.push(path),
  })
  url = `https://127.0.0.1:${(connector.address() as AddressInfo).port}`
})
afterAll(async () => {
  connector.closeAllConnections()
  connector.close()
  await once(connector, "close")
})

const pathOf = ({ app }: Identity) => `/apps/${app.id}/connector`
const team = () => ({ auth: service.team.auth })
const inputOf = (changes: object = {}) => ({
  url,
  clientCertificate: { format: "pem", ...certificates.client },
  caCertificate: certificates.authority,
  ...changes,
})

/** Creates a production app with the example as its connector. */
async function newConnectedApp(): Promise<Identity> {
  const identity = await service.newApp("production")
  const answer = await service.call("PUT", pathOf(identity), inputOf(), team())
  expect(answer.status, answer.text).toBe(200)
  secret = secretSchema.parse(answer.json).signingSecret
  return identity
}

describe("PUT /apps/{app_id}/connector", () => {
  test("sets a connector, shows its secret once and never its key", async () => {
    const identity = await newConnectedApp()
    const shown = await service.get(pathOf(identity), team())
    expect(shown.json).toEqual({
      url,
      clientCertificate: {
        subject: "CN=client",
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        expiresAt: expect.any(Number),
      },
      caCertificate: expect.objectContaining({ subject: "CN=ca" }),
      createdAt: expect.any(Number),
    })
    const again = await service.call("PUT", pathOf(identity), inputOf({ url: `${url}/v2/` }), team())
    expect(again.json).toMatchObject({ url: `${url}/v2`, updatedAt: expect.any(Number) })
    for (const { text } of [shown, again]) expect(text).not.toMatch(/whsec_|PRIVATE/)
  })

  test.each<[string, () => object, string]>([
    ["no URL", () => ({ url: undefined }), "/url"],
    ["a URL without TLS", () => ({ url: "http://127.0.0.1:9" }), "/url"],
    ["a URL with a query", () => ({ url: "https://a.example/?marker-7f3a" }), "/url"],
    ["a URL with credentials", () => ({ url: "https://a:marker-7f3a@a.example" }), "/url"],
    ["a metadata address", () => ({ url: "https://169.254.169.254/marker-7f3a" }), "/url"],
    ["no client certificate", () => ({ clientCertificate: undefined }), "/clientCertificate"],
    [
      "a key that is another's",
      () => ({
        clientCertificate: {
          format: "pem",
          certificate: certificates.client.certificate,
          privateKey: certificates.stranger.privateKey,
        },
      }),
      "/clientCertificate/privateKey",
    ],
    ["an authority that is none", () => ({ caCertificate: "marker-7f3a" }), "/caCertificate"],
    ["an unknown field", () => ({ "marker-7f3a": 1 }), ""],
  ])("refuses with invalid-request, without repeating it, %s", async (_, changes, pointer) => {
    const identity = await service.newApp("production")
    const answer = await service.call("PUT", pathOf(identity), inputOf(changes()), team())
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer }] })
    expect(answer.text).not.toMatch(/marker-7f3a|PRIVATE/)
  })

  test("is refused with conflict for a sandbox app, whose networks are simulated", async () => {
    expectProblem(await service.call("PUT", pathOf(service.sandbox), inputOf(), team()), "conflict")
  })

  test("is refused for API keys and without credentials, and for an app that the team does not have", async () => {
    const path = pathOf(service.production)
    const { auth } = service.production
    expectProblem(await service.call("PUT", path, inputOf(), { auth }), "forbidden")
    expectProblem(await service.call("PUT", path, inputOf(), { auth: null }), "unauthorized")
    const other = "/apps/app_00000000000000000000000000/connector"
    expectProblem(await service.call("PUT", other, inputOf(), team()), "not-found")
    for (const method of ["GET", "DELETE"] as const) {
      expectProblem(await service.call(method, other, undefined, team()), "not-found")
      expectProblem(await service.call(method, path, undefined, { auth }), "forbidden")
    }
  })

  test("is refused with payload-too-large when it has more than 256 KB", async () => {
    const answer = await service.call(
      "PUT",
      pathOf(service.production),
      inputOf({ caCertificate: "a".repeat(262_144) }),
      team(),
    )
    expectProblem(answer, "payload-too-large")
  })
})

describe("a connector", () => {
  test("is tested by a request to it", async () => {
    const identity = await newConnectedApp()
    expect((await service.post(`${pathOf(identity)}/test`, undefined, team())).json).toEqual({ status: "ok" })
    expect(asked.at(-1)).toBe("/ping")
    const good = secret
    secret = `whsec_${Buffer.alloc(32).toString("base64")}`
    const refused = await service.post(`${pathOf(identity)}/test`, undefined, team())
    expect(refused.json).toEqual({ status: "failed", reason: "status-code", statusCode: 401 })
    secret = good
    await service.call("PUT", pathOf(identity), inputOf({ url: "https://127.0.0.1:9" }), team())
    const absent = await service.post(`${pathOf(identity)}/test`, undefined, team())
    expect(absent.json).toEqual({ status: "failed", reason: "unreachable" })
  })

  test("gets both signatures while a rotation overlaps, and only the new one after it", async () => {
    const identity = await newConnectedApp()
    const old = secret
    const rotate = async (overlapSeconds: number) => {
      const body = { overlapSeconds }
      return secretSchema.parse((await service.post(`${pathOf(identity)}/rotate-secret`, body, team())).json)
        .signingSecret
    }
    const isTaken = async (by: string) => {
      secret = by
      const { json } = await service.post(`${pathOf(identity)}/test`, undefined, team())
      return z.object({ status: z.string() }).parse(json).status === "ok"
    }
    const second = await rotate(60)
    expect([await isTaken(old), await isTaken(second)]).toEqual([true, true])
    const third = await rotate(0)
    expect([await isTaken(second), await isTaken(third)]).toEqual([false, true])
  })

  test("is gone once deleted, and networks are unavailable to the app", async () => {
    const identity = await newConnectedApp()
    expect((await service.delete(pathOf(identity), team())).status).toBe(204)
    expectProblem(await service.get(pathOf(identity), team()), "not-found")
    expectProblem(await service.delete(pathOf(identity), team()), "not-found")
    expectProblem(await service.post(`${pathOf(identity)}/test`, undefined, team()), "not-found")
    expectProblem(await service.post(`${pathOf(identity)}/rotate-secret`, {}, team()), "not-found")
    const { auth } = identity
    expectProblem(await service.post("/payments/merchants", MERCHANT, { auth }), "service-unavailable")
  })

  test("is only called with the new certificates when it is set again after its deletion", async () => {
    const identity = await newConnectedApp()
    const test = async () => (await service.post(`${pathOf(identity)}/test`, undefined, team())).json
    expect(await test()).toEqual({ status: "ok" })
    const setAgain = async (changes: object) => {
      expect((await service.delete(pathOf(identity), team())).status).toBe(204)
      const { json } = await service.call("PUT", pathOf(identity), inputOf(changes), team())
      secret = secretSchema.parse(json).signingSecret
    }
    await setAgain({ clientCertificate: { format: "pem", ...certificates.stranger } })
    expect(await test()).toMatchObject({ status: "failed" })
    await setAgain({})
    expect(await test()).toEqual({ status: "ok" })
    await setAgain({ caCertificate: certificates.stranger.certificate })
    expect(await test()).toMatchObject({ status: "failed" })
  })

  test("returns what is known of numbers, by ten digits at most, while the team has no BIN table", async () => {
    const { auth } = await newConnectedApp()
    const lookUp = (number: string) => service.post("/payments/bin-lookups", { number }, { auth })
    const facts = { type: "card", brand: "visa", issuer: "Bank of the connector" }
    ranges.set("4242424242", { matchPrecision: 8, ...facts })
    ranges.set("424242", { matchPrecision: 8, ...facts })
    expect((await lookUp("4242424242424242")).json).toMatchObject({ matchPrecision: 8, ...facts })
    expect((await lookUp("424242")).json).toMatchObject({ matchPrecision: 6, ...facts })
    const unknown = await lookUp("5555555555554444")
    expect(unknown.json).toEqual({
      id: expect.any(String),
      type: null,
      matchPrecision: 0,
      createdAt: expect.any(Number),
    })
    ranges.set("3400000000", { matchPrecision: 6, ...facts, brand: "marker-7f3a" })
    const invalid = await lookUp("3400000000")
    expectProblem(invalid, "service-unavailable")
    expect(invalid.text).not.toContain("marker-7f3a")
    const sandbox = await service.post("/payments/bin-lookups", { number: "4242424242424242" })
    expect(sandbox.json).toMatchObject({ issuer: "Test Bank" })
  })

  test("is not called while its app is disabled", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    vi.advanceTimersByTime(1)
    onTestFinished(() => void vi.useRealTimers())
    const identity = await newConnectedApp()
    const disabled = await service.patch(`/apps/${identity.app.id}`, { status: "disabled" }, team())
    expect(disabled.json).toMatchObject({ status: "disabled" })
    vi.advanceTimersByTime(10_001)
    const count = asked.length
    expectProblem(await service.post(`${pathOf(identity)}/test`, undefined, team()), "conflict")
    expect(asked).toHaveLength(count)
  })

  test("enrols the merchants of its app, and reports what it decides later", async () => {
    const identity = await newConnectedApp()
    const { auth, app } = identity
    decisions.set("network-tokens/american-express", { status: "pending" })
    const { json } = await service.post("/payments/merchants", MERCHANT, { auth })
    const { id, networkTokens } = merchantSchema.parse(json)
    expect(networkTokens.enrolment.map(({ status }) => status)).toEqual(["pending", "pending", "pending"])
    const statuses = async () =>
      merchantSchema
        .parse((await service.get(`/payments/merchants/${id}`, { auth })).json)
        .networkTokens.enrolment.map(({ status }) => status)
    await vi.waitFor(async () => expect(await statuses()).toEqual(["active", "active", "pending"]), 10_000)
    const told = {
      sealway: service.url,
      appId: app.id,
      secret,
      id: "msg_1",
      reference: `${id}.3`,
      enrolment: { status: "active", tokenRequestorIdentifier: "40010075001" },
    }
    expect(await tellEnrolment(told)).toBe(204)
    expect(await statuses()).toEqual(["active", "active", "active"])
    // The same message again, and an older one, change nothing.
    const failed = { ...told, enrolment: { status: "failed" } }
    expect(await tellEnrolment(failed)).toBe(204)
    expect(await tellEnrolment({ ...failed, id: "msg_2", occurredAt: 1 })).toBe(204)
    expect(await statuses()).toEqual(["active", "active", "active"])
    expect((await service.delete(`/payments/merchants/${id}`, { auth })).status).toBe(204)
    await vi.waitFor(
      () => expect(asked.filter((path) => path === "/withdraw-merchant")).toHaveLength(3),
      10_000,
    )
  })

  test("may use the ids of messages that a deleted connector used, when it replaces that", async () => {
    const identity = await newConnectedApp()
    const { auth, app } = identity
    decisions.set("network-tokens/american-express", { status: "pending" })
    const { json } = await service.post("/payments/merchants", MERCHANT, { auth })
    const { id } = merchantSchema.parse(json)
    const status = async () =>
      merchantSchema.parse((await service.get(`/payments/merchants/${id}`, { auth })).json).networkTokens
        .enrolment[2]?.status
    const tell = (enrolment: object) =>
      tellEnrolment({
        sealway: service.url,
        appId: app.id,
        secret,
        id: "msg_1",
        reference: `${id}.3`,
        enrolment,
      })
    expect(await tell({ status: "pending" })).toBe(204)
    expect((await service.delete(pathOf(identity), team())).status).toBe(204)
    const set = await service.call("PUT", pathOf(identity), inputOf(), team())
    secret = secretSchema.parse(set.json).signingSecret
    expect(await tell({ status: "active", tokenRequestorIdentifier: "40010075001" })).toBe(204)
    expect(await status()).toBe("active")
  })
})

describe("a connector keeps cards", () => {
  const CARD_IN_PRODUCTION = { number: "4000001357924687", expiry: { month: "09", year: "39" } }
  const cardSchema = z.object({ id: z.string(), status: z.string(), replacement: z.string().nullable() })

  test("up to date: it is told of them, and reports a new number, once", async () => {
    const identity = await newConnectedApp()
    const { auth, app } = identity
    const before = asked.filter((path) => path === "/register-card").length
    const { id } = cardSchema.parse(
      (await service.post("/payments/cards", CARD_IN_PRODUCTION, { auth })).json,
    )
    await vi.waitFor(
      () => expect(asked.filter((path) => path === "/register-card").length).toBe(before + 1),
      10_000,
    )
    const told = {
      sealway: service.url,
      appId: app.id,
      secret,
      id: "msg_card_1",
      reference: `${id}.1`,
      card: {
        status: "replaced",
        replacement: { number: "4000001357924695", expiry: { month: "09", year: "44" } },
      },
    }
    const show = async (card: string) =>
      cardSchema.parse((await service.get(`/payments/cards/${card}`, { auth })).json)
    expect(await tellCard({ ...told, occurredAt: Date.now() + 1_000 })).toBe(204)
    const { status, replacement } = await show(id)
    expect(status).toBe("replaced")
    expect(await show(String(replacement))).toMatchObject({ status: "active" })
    for (const each of ["msg_card_1", "msg_card_2"]) {
      expect(await tellCard({ ...told, id: each, card: { status: "closed" } })).toBe(204)
    }
    expect(await show(id)).toMatchObject({ status: "replaced", replacement })
    await vi.waitFor(() => expect(asked).toContain("/deregister-card"), 10_000)
  })

  test("as network tokens: the service returns what it answers", async () => {
    const identity = await newConnectedApp()
    const { auth, app } = identity
    decisions.set("network-tokens/visa", { status: "active", tokenRequestorIdentifier: "40010075001" })
    const { id: merchant } = merchantSchema.parse(
      (await service.post("/payments/merchants", MERCHANT, { auth })).json,
    )
    await vi.waitFor(async () => {
      const { json } = await service.get(`/payments/merchants/${merchant}`, { auth })
      expect(merchantSchema.parse(json).networkTokens.enrolment[0]?.status).toBe("active")
    }, 10_000)
    const create = () =>
      service.post("/payments/network-tokens", { card: CARD_IN_PRODUCTION, merchant }, { auth })
    expectProblem(await create(), "payments/network-tokens/unavailable-token-service-provider")
    provisioned.push({
      result: "provisioned",
      token: { number: "4895371357924682", expiry: { month: "01", year: "45" }, status: "active" },
    })
    const made = await create()
    expect(made.json).toMatchObject({
      status: "active",
      tokenRequestorIdentifier: "40010075001",
      tokenServiceProvider: "vts",
      expiry: { month: "01", year: "45" },
      card: { lastFour: "4687" },
    })
    expect(made.json).not.toHaveProperty("paymentAccountReference")
    const { id } = z.object({ id: z.string() }).parse(made.json)
    const path = `/payments/network-tokens/${id}`
    expectProblem(await service.get(`${path}/card-art`, { auth }), "not-found")
    expectProblem(
      await service.post(`${path}/cryptograms`, undefined, { auth }),
      "payments/network-tokens/token-not-active",
    )
    const told = { sealway: service.url, appId: app.id, secret, reference: `${id}.1` }
    const suspended = { ...told, id: "msg_token_1", occurredAt: Date.now() + 1_000 }
    expect(await tellToken({ ...suspended, token: { status: "suspended" } })).toBe(204)
    expect((await service.get(path, { auth })).json).toMatchObject({ status: "suspended" })
    const simulated = await service.post(`${path}/simulate`, { updateType: "new-token-status" }, { auth })
    expectProblem(simulated, "forbidden")
    expect((await service.delete(path, { auth })).status).toBe(204)
    await vi.waitFor(() => expect(asked).toContain("/delete-token"), 10_000)
    expectProblem(await service.get(path, { auth }), "not-found")
  })
})

describe("a connector tells the updates of a card", () => {
  const PATH = "/payments/account-updater/subscriptions"
  const NUMBER = "4000001357924687"
  const NEW_NUMBER = "4000001357924695"
  const subscriptionSchema = z.object({
    id: z.string(),
    status: z.string(),
    card: z.object({ lastFour: z.string(), expiry: z.object({ year: z.string() }).optional() }),
  })
  const replacement = (number: string, year: string) => ({ number, expiry: { month: "09", year } })
  const newNumber = { updateType: "new-account-number", replacement: replacement(NEW_NUMBER, "44") }
  const newExpiry = { updateType: "new-expiry-date", replacement: replacement(NEW_NUMBER, "49") }

  async function newSubscription(identity: Identity) {
    const { auth, app } = identity
    const merchant = merchantSchema.parse(
      (await service.post("/payments/merchants", MERCHANT, { auth })).json,
    ).id
    const body = { number: NUMBER, merchant }
    const { id, status } = subscriptionSchema.parse((await service.post(PATH, body, { auth })).json)
    expect(status).toBe("pending")
    const show = async () => subscriptionSchema.parse((await service.get(`${PATH}/${id}`, { auth })).json)
    const to = { sealway: service.url, appId: app.id, secret, reference: `${id}.1` }
    const tell = (sequence: number, update: object, changes: object = {}) =>
      tellUpdate({ ...to, id: `msg_${id}_${sequence}`, sequence, update, ...changes })
    return { id, to, show, tell, merchant, auth }
  }

  test("in any order and again: the newest counts, each is told once, and a closure ends it", async () => {
    const identity = await newConnectedApp()
    const { id, show, tell, merchant, auth } = await newSubscription(identity)
    await vi.waitFor(async () => expect(await show()).toMatchObject({ status: "active" }), 10_000)
    const listener = z
      .object({ id: z.string() })
      .parse((await service.post("/webhook-listeners", { events: ["payments.*"] }, { auth })).json).id

    expect(await tell(3, newExpiry)).toBe(204)
    // The same message, the same update by another message, and an older one.
    expect(await tell(3, newExpiry)).toBe(204)
    expect(await tell(3, newExpiry, { id: `msg_${id}_again` })).toBe(204)
    expect(await tell(1, newNumber)).toBe(204)
    expect(await show()).toMatchObject({
      status: "active",
      card: { lastFour: "4695", expiry: { year: "49" } },
    })
    expect(await tell(2, { updateType: "contact-cardholder" })).toBe(204)
    expect(await tell(Number.MAX_SAFE_INTEGER, { updateType: "contact-cardholder" })).toBe(204)
    const found = await service.post(PATH, { number: NEW_NUMBER, merchant }, { auth })
    expect(found).toMatchObject({ status: 200, json: { id } })
    expect(await tell(4, { updateType: "account-closure" })).toBe(204)
    expect(await tell(5, newNumber)).toBe(204)
    expect(await show()).toMatchObject({ status: "ended" })
    await vi.waitFor(() => expect(asked).toContain("/unsubscribe-updates"), 10_000)

    const told = new Map<string, unknown>()
    await vi.waitFor(async () => {
      const { json } = await service.post(`/webhook-listeners/${listener}/fetch`, {}, { auth })
      const event = z.object({ id: z.string(), type: z.string(), data: z.record(z.string(), z.unknown()) })
      for (const { id: eventId, type, data } of z.object({ data: z.array(event) }).parse(json).data) {
        if (type === "payments.account-updater.updated") told.set(eventId, data.updateType)
      }
      expect([...told.values()].sort()).toEqual(["account-closure", "contact-cardholder", "new-expiry-date"])
    }, 10_000)
  })

  test("of a subscription that it decides later, or refuses, and of one that is asked for again", async () => {
    subscribed.push({ status: "pending" }, { status: "failed" })
    const { to, show, tell, merchant, auth } = await newSubscription(await newConnectedApp())
    const decided = (status: string) =>
      tellEnrolment({ ...to, id: `msg_${status}`, enrolment: { status }, occurredAt: Date.now() + 1_000 })
    await vi.waitFor(() => expect(subscribed).toHaveLength(1), 10_000)
    expect(await decided("failed")).toBe(204)
    await vi.waitFor(async () => expect(await show()).toMatchObject({ status: "failed" }), 10_000)
    const again = await service.post(PATH, { number: NUMBER, merchant }, { auth })
    expect(again).toMatchObject({ status: 200, json: { status: "pending" } })
    await vi.waitFor(() => expect(subscribed).toHaveLength(0), 10_000)
    // What is told of the first request says nothing of the second one.
    expect(await tell(1, newNumber)).toBe(204)
    expect(await show()).toMatchObject({ card: { lastFour: "4687" } })
    expect(await tell(1, newNumber, { id: "msg_second", reference: to.reference.replace(/1$/, "2") })).toBe(
      204,
    )
    expect(await show()).toMatchObject({ card: { lastFour: "4695" } })
  })

  test("to the app of the subscription alone: of another app's it changes nothing", async () => {
    const { show, tell } = await newSubscription(await newConnectedApp())
    const stranger = await newConnectedApp()
    const to = { appId: stranger.app.id, secret }
    expect(await tell(1, newNumber, to)).toBe(204)
    expect(await show()).toMatchObject({ card: { lastFour: "4687" } })
  })

  test.each<[string, object]>([
    ["no sequence", { sequence: undefined }],
    ["the sequence 0", { sequence: 0 }],
    ["a sequence past what is exact", { sequence: 2 ** 53 }],
    ["a new number without an expiry", { update: { ...newNumber, replacement: { number: NEW_NUMBER } } }],
    ["a number of 20 digits", { update: { ...newNumber, replacement: replacement("4".repeat(20), "44") } }],
    ["a closure with a replacement", { update: { ...newNumber, updateType: "account-closure" } }],
    ["another update", { update: { updateType: "marker-7f3a" } }],
    ["the reference of a card", { reference: "card_00000000000000000000000000.1" }],
  ])("that is refused with 400: %s", async (_, changes) => {
    const { app } = await newConnectedApp()
    const to = { sealway: service.url, appId: app.id, secret, id: "msg_1" }
    const reference = "card_subscription_00000000000000000000000000.1"
    expect(await tellUpdate({ ...to, reference, sequence: 1, update: newNumber, ...changes })).toBe(400)
  })
})

/** A merchant of a production app that is enrolled for whatever it can be. */
async function newEnrolledMerchant({ auth }: Identity): Promise<string> {
  const preChargebackAlerts = { verifi: { enabled: true }, ethoca: { enabled: true } }
  const body = { ...MERCHANT, preChargebackAlerts, intelligentRetries: { enabled: true } }
  const { id } = merchantSchema.parse((await service.post("/payments/merchants", body, { auth })).json)
  await vi.waitFor(async () => {
    const { json } = await service.get(`/payments/merchants/${id}`, { auth })
    expect(json).toMatchObject({ intelligentRetries: { status: "active" } })
  }, 10_000)
  return id
}

describe("a connector watches cards", () => {
  test("and ends a watch by its first signal, whatever comes again, out of order or from another app", async () => {
    const other = await newConnectedApp()
    const otherSecret = secret
    const identity = await newConnectedApp()
    const { auth, app } = identity
    const merchant = await newEnrolledMerchant(identity)
    const input = { declinedAmount: 1_000, currency: "eur", declinedAt: Date.now(), card: WATCHED_CARD }
    const made = await service.post("/payments/retry-watches", { merchant, ...input }, { auth })
    const { id } = z.object({ id: z.string() }).parse(made.json)
    const path = `/payments/retry-watches/${id}`
    await vi.waitFor(() => expect(asked).toContain("/watch-retry"), 10_000)
    const told = { sealway: service.url, appId: app.id, secret, reference: `${id}.1` }
    const stop = { ...told, signal: "stop", confidence: "high" } as const
    expect(await tellSignal({ ...stop, id: "s_1", reference: `${id}.2` })).toBe(204)
    expect(await tellSignal({ ...stop, id: "s_2", appId: other.app.id, secret: otherSecret })).toBe(204)
    expect(await tellSignal({ ...stop, id: "s_3", secret: otherSecret })).toBe(401)
    expect(await tellSignal({ ...stop, id: "s_4", reference: "card_00000000000000000000000000.1" })).toBe(400)
    expect((await service.get(path, { auth })).json).toMatchObject({ status: "watching" })
    const retry = { ...stop, signal: "retry-now", id: "s_5", occurredAt: 1 } as const
    expect(await tellSignal(retry)).toBe(204)
    const signalled = (await service.get(path, { auth })).json
    expect(signalled).toMatchObject({ status: "signalled" })
    for (const each of [retry, { ...stop, id: "s_6" }, { ...retry, id: "s_7" }]) {
      expect(await tellSignal(each)).toBe(204)
    }
    expect((await service.get(path, { auth })).json).toEqual(signalled)
    expectProblem(await service.post(`${path}/simulate`, { signal: "stop" }, { auth }), "forbidden")
    await vi.waitFor(() => expect(asked).toContain("/unwatch-retry"), 10_000)
  })
})

describe("a connector tells of disputes", () => {
  const alertOf = (merchant: string, changes: object = {}) => ({
    network: "ethoca",
    reference: "case-1",
    type: "fraud",
    merchant: { id: merchant },
    card: { bin: "520000", lastFour: "0002", brand: "mastercard" },
    transaction: { amount: 1_000, currency: "eur", occurredAt: 1 },
    ...changes,
  })
  const listOf = async ({ auth }: Identity, query = "") => {
    const { json } = await service.get(`/payments/pre-chargeback-alerts?${query}`, { auth })
    return z.object({ data: z.array(z.looseObject({ id: z.string() })) }).parse(json).data
  }

  test("of which each is kept once, whatever comes again, and takes the answer to it", async () => {
    const other = await newConnectedApp()
    const otherSecret = secret
    const identity = await newConnectedApp()
    const { auth, app } = identity
    const merchant = await newEnrolledMerchant(identity)
    const to = { sealway: service.url, appId: app.id, secret }
    const alert = alertOf(merchant)
    expect(await tellAlert({ ...to, id: "a_1", alert, secret: otherSecret })).toBe(401)
    // A merchant of another app.
    expect(await tellAlert({ ...to, id: "a_2", alert, appId: other.app.id, secret: otherSecret })).toBe(400)
    expect(await Promise.all(["a_3", "a_3", "a_4"].map((id) => tellAlert({ ...to, id, alert })))).toEqual([
      ...[204, 204, 204],
    ])
    const more = { ...alert, transaction: { ...alert.transaction, amount: 5 } }
    expect(await tellAlert({ ...to, id: "a_5", alert: more })).toBe(204)
    expect(await tellAlert({ ...to, id: "a_6", alert: { ...alert, network: "verifi" } })).toBe(204)
    expect(await listOf(other)).toEqual([])
    expect(await listOf(identity, "network=verifi")).toMatchObject([
      { status: "resolved", outcome: "refunded", refundedAmount: 1_000 },
    ])
    const [open] = await listOf(identity, "network=ethoca")
    expect(open).toMatchObject({ status: "open", transaction: { amount: 1_000 } })
    answerResult = "too-late"
    answers.length = 0
    const path = `/payments/pre-chargeback-alerts/${open?.id}`
    const answered = await service.patch(path, { outcome: "declined", comment: "No" }, { auth })
    expect(answered.json).toMatchObject({ status: "resolved", outcome: "declined" })
    await vi.waitFor(async () => {
      expect((await service.get(path, { auth })).json).toMatchObject({ status: "expired", comment: "No" })
    }, 10_000)
    expect(answers).toEqual([
      {
        reference: `${open?.id}.2`,
        alert: { network: "ethoca", reference: "case-1" },
        outcome: "declined",
        comment: "No",
        answeredAt: expect.any(Number),
      },
    ])
    answerResult = "taken"
    // Nobody could be told of an answer.
    expect(await tellAlert({ ...to, id: "a_7", alert: { ...alert, reference: "case-2" } })).toBe(204)
    const [last] = await listOf(identity, "status=open")
    expect((await service.delete(pathOf(identity), team())).status).toBe(204)
    const late = await service.patch(
      `/payments/pre-chargeback-alerts/${last?.id}`,
      { outcome: "declined" },
      { auth },
    )
    expectProblem(late, "service-unavailable")
    expect(await listOf(identity, "status=open")).toEqual([last])
  })

  test.each<[string, (merchant: string) => object]>([
    ["no merchant of the app", () => alertOf("merchant_00000000000000000000000000")],
    ["no currency", (id) => alertOf(id, { transaction: { amount: 1, currency: "zzz", occurredAt: 1 } })],
    [
      "an amount below zero",
      (id) => alertOf(id, { transaction: { amount: -1, currency: "eur", occurredAt: 1 } }),
    ],
    [
      "a huge amount",
      (id) => alertOf(id, { transaction: { amount: 2 ** 60, currency: "eur", occurredAt: 1 } }),
    ],
    ["a whole number", (id) => alertOf(id, { card: { lastFour: "5555555555554444", brand: "visa" } })],
    ["a long name", (id) => alertOf(id, { reference: "x".repeat(101) })],
    [
      "a descriptor of two lines",
      (id) => alertOf(id, { transaction: { amount: 1, currency: "eur", occurredAt: 1, descriptor: "a\nb" } }),
    ],
    ["years to answer", (id) => alertOf(id, { respondBy: Date.now() + 2 ** 40 })],
    ["an unknown field", (id) => alertOf(id, { "marker-7f3a": 1 })],
  ])("is refused an alert of %s", async (_, alert) => {
    const identity = await newConnectedApp()
    const { auth, app } = identity
    const { json } = await service.post("/payments/merchants", MERCHANT, { auth })
    const { id } = merchantSchema.parse(json)
    const told = { sealway: service.url, appId: app.id, secret, id: "a_1", alert: alert(id) }
    expect(await tellAlert(told)).toBe(400)
    expect(await listOf(identity)).toEqual([])
  })
})

describe("POST /payments/connector-events", () => {
  /** Sends an event, signed as told. */
  async function send(
    identity: Identity,
    body: string,
    changes: { secret?: string; atMs?: number; signed?: string; app?: string } = {},
  ) {
    const timestamp = String(Math.floor((changes.atMs ?? Date.now()) / 1000))
    return service.post("/payments/connector-events", body, {
      auth: null,
      headers: {
        "x-service-app-id": changes.app ?? identity.app.id,
        "webhook-id": "msg_9",
        "webhook-timestamp": timestamp,
        "webhook-signature": sign(changes.secret ?? secret, "msg_9", timestamp, changes.signed ?? body),
      },
    })
  }
  const EVENT = JSON.stringify({
    type: "enrolment.updated",
    occurredAt: 1,
    reference: "merchant_00000000000000000000000000.1",
    enrolment: { status: "active" },
  })

  test("accepts news of what does not exist any more", async () => {
    expect((await send(await newConnectedApp(), EVENT)).status).toBe(204)
  })

  test("gives the same unauthorized answer to everything that the app's connector did not sign", async () => {
    const identity = await newConnectedApp()
    const other = await service.newApp("production")
    const wrong = `whsec_${Buffer.alloc(32).toString("base64")}`
    const refused = [
      await send(identity, EVENT, { secret: wrong }),
      await send(identity, EVENT, { signed: "{}" }),
      await send(identity, EVENT, { atMs: Date.now() - 400_000 }),
      await send(identity, EVENT, { atMs: Date.now() + 400_000 }),
      await send(identity, EVENT, { app: other.app.id }),
      await send(identity, EVENT, { app: service.sandbox.app.id }),
      await send(identity, EVENT, { app: "nonsense" }),
      await service.post("/payments/connector-events", EVENT, { auth: null }),
      await service.post("/payments/connector-events", EVENT, { auth: identity.auth }),
    ]
    for (const answer of refused) expectProblem(answer, "unauthorized")
    expect(new Set(refused.map(({ text }) => text)).size).toBe(1)
  })

  test.each([
    ["no JSON", "{"],
    ["no event", "{}"],
    ["another type", EVENT.replace("enrolment.updated", "marker-7f3a")],
    ["a reference that is none", EVENT.replace(/merchant_0+/, "marker-7f3a")],
    ["another status", EVENT.replace("active", "marker-7f3a")],
    ["an unknown field", EVENT.replace("{", '{"marker-7f3a":1,')],
  ])("refuses with invalid-request, without repeating it, %s", async (_, body) => {
    const answer = await send(await newConnectedApp(), body)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toContain("marker-7f3a")
  })

  test("refuses with payload-too-large what has more than 64 KB", async () => {
    const answer = await send(await newConnectedApp(), `${EVENT}${" ".repeat(65_536)}`)
    expectProblem(answer, "payload-too-large")
  })
})
