import { once } from "node:events"
import type { Server } from "node:https"
import type { AddressInfo } from "node:net"
import { startReceiver } from "@sealway/http/testing"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { createAnswers, sign, startConnector, tellResults } from "../../examples/connector/connector.mjs"
import { type ConnectorCertificates, createConnectorCertificates } from "../support/connector-certificates.ts"
import { expectProblem } from "../support/problem.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()

const DS_ID = "22222222-2222-4222-8222-222222222222"
const ACS_ID = "33333333-3333-4333-8333-333333333333"
const VALUE = Buffer.alloc(20, 7).toString("base64")

interface DirectoryRequest {
  readonly areq: { readonly threeDSServerTransID: string; readonly messageVersion: string }
}

let certificates: ConnectorCertificates
let connector: Server
let secret = ""
const asked: { readonly path: string; readonly body: string }[] = []
/** The answer of the connector's directory server, besides the ids. */
let ares: object = {}
let directoryServer = "visa"
/** By which versions the number can be authenticated, and where its issuer takes fingerprints. */
let versions: readonly object[] = [{ version: "2.2.0" }]

beforeAll(async () => {
  certificates = createConnectorCertificates()
  connector = await startConnector({
    port: 0,
    key: certificates.server.privateKey,
    cert: certificates.server.certificate,
    clientCa: certificates.authority,
    secret: () => secret,
    answers: {
      ...createAnswers(),
      "/3ds-range": () => ({ range: { directoryServer, versions } }),
      "/authenticate": ({ areq }: DirectoryRequest) => ({ message: { ...aresTo(areq), ...ares } }),
    },
    onRequest: ({ url }, body) => void asked.push({ path: url, body }),
  })
})
afterAll(async () => {
  connector.closeAllConnections()
  connector.close()
  await once(connector, "close")
})

const idsOf = (threeDSServerTransID: string) => ({
  threeDSServerTransID,
  dsTransID: DS_ID,
  acsTransID: ACS_ID,
})
const aresTo = ({ threeDSServerTransID, messageVersion }: DirectoryRequest["areq"]) => ({
  messageType: "ARes",
  messageVersion,
  dsReferenceNumber: "DS",
  acsReferenceNumber: "ACS",
  ...idsOf(threeDSServerTransID),
})
const CHALLENGE = {
  transStatus: "C",
  acsURL: "https://issuer.example.com/challenge",
  acsChallengeMandated: "Y",
  authenticationType: "02",
}

/** Creates a production app with the connector. */
async function newConnectedApp(): Promise<Identity> {
  const identity = await service.newApp("production")
  const input = {
    url: `https://127.0.0.1:${(connector.address() as AddressInfo).port}`,
    clientCertificate: { format: "pem", ...certificates.client },
    caCertificate: certificates.authority,
  }
  const path = `/apps/${identity.app.id}/connector`
  const answer = await service.call("PUT", path, input, { auth: service.team.auth })
  secret = z.object({ signingSecret: z.string() }).parse(answer.json).signingSecret
  return identity
}

const sessionSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
  threeDSServer: z.object({ transactionIdentifier: z.string() }),
})

async function newSession({ auth }: Identity, settings: object = {}) {
  const body = {
    merchant: { name: "Shop", website: "https://shop.example.com", categoryCode: "5411", country: "IE" },
    card: { number: "4242424242424242", expiry: { month: "09", year: "39" } },
    acquirer: { bin: "400000", merchantIdentifier: "1", country: "IE" },
    payment: { type: "one-off", amount: 1_000, currency: "EUR" },
    ...settings,
  }
  const answer = await service.post("/payments/3ds-sessions", body, { auth })
  expect(answer.status, answer.text).toBe(201)
  return sessionSchema.parse(answer.json)
}

/** Creates a session whose cardholder is with the issuer. */
async function challenged(identity: Identity) {
  ares = CHALLENGE
  const session = await newSession(identity)
  const browser = {
    javaEnabled: false,
    javaScriptEnabled: true,
    language: "en-GB",
    colorDepth: 24,
    screenHeight: 1_080,
    screenWidth: 1_920,
    timeZone: -60,
  }
  const path = `/frontend/3ds/browser-sessions/${session.id}`
  const body = { frame: { width: 500, height: 600 }, browser }
  const headers = { "x-service-app-id": identity.app.id }
  const answer = await service.patch(path, body, { auth: null, headers })
  expect(answer.json).toMatchObject({ nextAction: { type: "challenge", url: CHALLENGE.acsURL } })
  const transactionId = session.threeDSServer.transactionIdentifier
  const rreq = {
    messageType: "RReq",
    messageVersion: "2.2.0",
    messageCategory: "01",
    transStatus: "Y",
    authenticationValue: VALUE,
    eci: "05",
    authenticationType: "02",
    interactionCounter: "01",
    ...idsOf(transactionId),
  }
  const to = { sealway: service.url, appId: identity.app.id, secret, id: `msg_${session.id}` }
  const show = async () =>
    (await service.get(`/payments/3ds-sessions/${session.id}`, { auth: identity.auth })).json
  return { rreq, to, show }
}

describe("a connector", () => {
  test("sends a merchant's AReq to the directory server, and returns the ARes", async () => {
    ares = { transStatus: "Y", authenticationValue: VALUE, eci: "05" }
    const identity = await newConnectedApp()
    const initiator = { type: "merchant", reason: "other-payment" }
    expect(await newSession(identity, { initiator })).toMatchObject({ status: "success", cryptogram: VALUE })
    const { body } = asked.findLast(({ path }) => path === "/authenticate") ?? { body: "{}" }
    expect(JSON.parse(body)).toMatchObject({
      directoryServer: "visa",
      areq: { messageType: "AReq", deviceChannel: "03", acctNumber: "4242424242424242", threeRIInd: "11" },
    })
  })

  test("names the network whose directory server answers, also for cards of a brand that Sealway does not name", async () => {
    ares = { transStatus: "Y", authenticationValue: VALUE }
    const identity = await newConnectedApp()
    const initiator = { type: "merchant", reason: "other-payment" }
    const networkOf = async (answered: string) => {
      directoryServer = answered
      const session = await newSession(identity, { initiator })
      directoryServer = "visa"
      return session.directoryServer
    }
    expect(await networkOf("rupay")).toMatchObject({ network: "rupay" })
    expect(await networkOf("diners-club")).toMatchObject({ network: "discover" })
  })

  test("whose answer is no ARes of the transaction fails the session as a protocol error", async () => {
    const identity = await newConnectedApp()
    const initiator = { type: "merchant", reason: "other-payment" }
    for (const wrong of [
      { transStatus: "Y" },
      { transStatus: "N", transStatusReason: "01", dsTransID: "1" },
      {},
    ]) {
      ares = wrong
      expect(await newSession(identity, { initiator })).toMatchObject({
        status: "failure",
        failureReason: "protocol-error",
      })
    }
  })

  test("reports the results of a challenge, once or more often", async () => {
    const { rreq, to, show } = await challenged(await newConnectedApp())
    expect(await tellResults({ ...to, rreq })).toBe(204)
    expect(await show()).toMatchObject({
      status: "success",
      cryptogram: VALUE,
      rreq: { transStatus: { value: "Y" } },
    })
    expect(await tellResults({ ...to, rreq })).toBe(204)
    expect(await tellResults({ ...to, id: "msg_again", rreq })).toBe(204)
    expect(await show()).toMatchObject({ status: "success" })
  })

  test("learns which elements of results are wrong, and can report them again", async () => {
    const { rreq, to, show } = await challenged(await newConnectedApp())
    const tell = async (id: string, changed: object) => {
      const body = JSON.stringify({ type: "3ds-challenge.results", rreq: changed })
      const timestamp = String(Math.floor(Date.now() / 1000))
      return service.post("/payments/connector-events", body, {
        auth: null,
        headers: {
          "x-service-app-id": to.appId,
          "webhook-id": id,
          "webhook-timestamp": timestamp,
          "webhook-signature": sign(secret, id, timestamp, body),
        },
      })
    }
    const wrong = await tell("msg_1", { ...rreq, transStatus: "C" })
    expectProblem(wrong, "invalid-request")
    expect(wrong.json).toMatchObject({
      fields: [{ pointer: "/rreq/transStatus", reason: expect.stringContaining("203") }],
    })
    const missing = await tell("msg_1", { ...rreq, authenticationValue: "", interactionCounter: null })
    expect(missing.json).toMatchObject({
      fields: [{ pointer: "/rreq/authenticationValue" }, { pointer: "/rreq/interactionCounter" }],
    })
    expectProblem(await tell("msg_1", { ...rreq, threeDSServerTransID: DS_ID }), "invalid-request")
    expect(await show()).toMatchObject({ status: "action-required" })
    expect((await tell("msg_1", rreq)).status).toBe(204)
    expect(await show()).toMatchObject({ status: "success" })
  })

  test("cannot report results for another app", async () => {
    const { rreq, to, show } = await challenged(await newConnectedApp())
    const other = await newConnectedApp()
    expect(await tellResults({ ...to, appId: other.app.id, secret, rreq })).toBe(400)
    expect(await tellResults({ ...to, secret, rreq })).toBe(401)
    expect(await show()).toMatchObject({ status: "action-required" })
  })
})

const areqSchema = z.object({
  areq: z.looseObject({ notificationURL: z.string(), threeDSServerURL: z.string() }),
})
const stepSchema = z.object({
  status: z.string(),
  nextAction: z
    .object({ type: z.string(), url: z.string(), data: z.string().optional(), creq: z.string().optional() })
    .optional(),
})
const eventSchema = z.object({ type: z.string(), data: z.looseObject({ id: z.string() }) })
const decode = (text = ""): unknown => JSON.parse(Buffer.from(text, "base64url").toString())
const encode = (message: object) => Buffer.from(JSON.stringify(message)).toString("base64url")

/** A cardholder's browser in a session of a production app, and what the shop is told by webhook. */
async function openBrowser() {
  const identity = await newConnectedApp()
  const receiver = await startReceiver((_, response) => response.end())
  await service.post(
    "/webhook-endpoints",
    { url: receiver.url, events: ["payments.*"] },
    { auth: identity.auth },
  )
  const session = await newSession(identity)
  expect(session).toMatchObject({ status: "action-required", nextAction: { type: "use-sdk" } })
  const path = `/frontend/3ds/browser-sessions/${session.id}`
  const headers = { "x-service-app-id": identity.app.id }
  const form = { auth: null, contentType: "application/x-www-form-urlencoded" }
  return {
    session,
    to: { sealway: service.url, appId: identity.app.id, secret, id: `msg_${session.id}` },
    take: async (body: object) =>
      stepSchema.parse((await service.patch(path, body, { auth: null, headers })).json),
    status: async () => stepSchema.parse((await service.get(path, { auth: null, headers })).json).status,
    /** What an issuer's page does at its end. */
    post: async (url: string, body: string) => service.post(new URL(url).pathname, body, form),
    show: async () =>
      (await service.get(`/payments/3ds-sessions/${session.id}`, { auth: identity.auth })).json,
    told: () => receiver.received.map(({ body }) => eventSchema.parse(JSON.parse(body))),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}
const BROWSER_FACTS = {
  frame: { width: 500, height: 600 },
  browser: {
    javaEnabled: false,
    javaScriptEnabled: true,
    language: "en-GB",
    colorDepth: 24,
    screenHeight: 1_080,
    screenWidth: 1_920,
    timeZone: -60,
  },
}
const lastAReq = () => {
  const { body } = asked.findLast(({ path }) => path === "/authenticate") ?? { body: "{}" }
  return areqSchema.parse(JSON.parse(body)).areq
}

/** A browser at the issuer's challenge, with what the issuer says of it. */
async function openChallenge() {
  versions = [{ version: "2.2.0" }]
  ares = CHALLENGE
  const browser = await openBrowser()
  const { nextAction } = await browser.take(BROWSER_FACTS)
  const ids = idsOf(browser.session.threeDSServer.transactionIdentifier)
  expect(nextAction).toMatchObject({ type: "challenge", url: CHALLENGE.acsURL })
  expect(decode(nextAction?.creq)).toEqual({
    messageType: "CReq",
    messageVersion: "2.2.0",
    challengeWindowSize: "03",
    threeDSServerTransID: ids.threeDSServerTransID,
    acsTransID: ACS_ID,
  })
  const results = (transStatus: "Y" | "N") => ({
    messageType: "RReq",
    messageVersion: "2.2.0",
    messageCategory: "01",
    interactionCounter: "01",
    authenticationType: "02",
    transStatus,
    ...ids,
    ...(transStatus === "Y" ? { authenticationValue: VALUE, eci: "05" } : { transStatusReason: "01" }),
  })
  const bringBack = (transStatus: "Y" | "N") => {
    const { threeDSServerTransID, acsTransID } = ids
    const cres = { threeDSServerTransID, acsTransID, messageType: "CRes", messageVersion: "2.2.0" }
    return browser.post(lastAReq().notificationURL, `cres=${encode({ ...cres, transStatus })}`)
  }
  return { browser, results, bringBack }
}

describe("a cardholder of a production app", () => {
  test("is fingerprinted and authenticated by the issuer behind the connector, without a question", async () => {
    versions = [{ version: "2.2.0", threeDSMethodURL: "https://issuer.example.com/method" }]
    ares = { transStatus: "Y", authenticationValue: VALUE, eci: "05" }
    await using browser = await openBrowser()
    const { nextAction } = await browser.take(BROWSER_FACTS)
    expect(nextAction).toMatchObject({
      type: "browser-fingerprint",
      url: "https://issuer.example.com/method",
    })
    const { threeDSMethodNotificationURL } = z
      .object({ threeDSMethodNotificationURL: z.string() })
      .parse(decode(nextAction?.data))
    expect(threeDSMethodNotificationURL).toContain(`${service.url}/frontend/3ds/fingerprints/`)
    const back = await browser.post(threeDSMethodNotificationURL, "threeDSMethodData=e30")
    expect(back.text).toContain("ev-3ds-trampoline")
    expect(await browser.take({ browserFingerprint: "complete" })).toEqual({ status: "success" })
    expect(lastAReq()).toMatchObject({ deviceChannel: "02", threeDSCompInd: "Y", browserLanguage: "en-GB" })
    expect(await browser.show()).toMatchObject({
      status: "success",
      authentication: { flow: "frictionless" },
      cryptogram: VALUE,
      eci: { value: "05", liabilityShift: true },
    })
    await vi.waitFor(() => expect(browser.told()).toHaveLength(1), 10_000)
    expect(browser.told()).toMatchObject([
      { type: "payments.3ds-session.success", data: { id: browser.session.id, cryptogram: VALUE } },
    ])
  })

  test("is authenticated by a challenge once the connector tells the results, not when the browser comes back", async () => {
    const { browser, results, bringBack } = await openChallenge()
    await using _ = browser
    const page = await bringBack("Y")
    expect(page.status).toBe(200)
    expect(await browser.status()).toBe("action-required")
    expect(await tellResults({ ...browser.to, rreq: results("Y") })).toBe(204)
    expect(await browser.status()).toBe("success")
    expect(await browser.show()).toMatchObject({
      status: "success",
      authentication: { flow: "challenge" },
      cryptogram: VALUE,
      cres: { transStatus: { value: "Y" } },
      rreq: { transStatus: { value: "Y" } },
    })
    await vi.waitFor(() => expect(browser.told()).toHaveLength(1), 10_000)
    expect(browser.told()).toMatchObject([{ type: "payments.3ds-session.success" }])
  })

  test("who fails the challenge is refused, whatever the browser brings back", async () => {
    const { browser, results, bringBack } = await openChallenge()
    await using _ = browser
    expect(await tellResults({ ...browser.to, rreq: results("N") })).toBe(204)
    await bringBack("Y")
    expect(await browser.take({ outcome: "success" }).catch(() => null)).toBeNull()
    expect(await browser.show()).toMatchObject({ status: "failure", failureReason: "failed-authentication" })
    await vi.waitFor(() => expect(browser.told()).toHaveLength(1), 10_000)
    expect(browser.told()).toMatchObject([
      { type: "payments.3ds-session.failure", data: { failureReason: "failed-authentication" } },
    ])
  })

  test("who cancels is refused, though the results that come later are taken", async () => {
    const { browser, results } = await openChallenge()
    await using _ = browser
    expect(await browser.take({ outcome: "cancelled" })).toEqual({ status: "failure" })
    expect(await tellResults({ ...browser.to, rreq: results("Y") })).toBe(204)
    const shown = await browser.show()
    expect(shown).not.toHaveProperty("cryptogram")
    expect(shown).toMatchObject({
      status: "failure",
      failureReason: "cancelled",
      rreq: { transStatus: { value: "Y" } },
    })
  })
})

test("a production app without an acquirer for the card's network is refused, and its network is not asked", async () => {
  const identity = await newConnectedApp()
  const { auth } = identity
  const refused = async (settings: object) => {
    const session = {
      merchant: { name: "Shop", website: "https://shop.example.com", categoryCode: "5411", country: "IE" },
      card: { number: "4242424242424242", expiry: { month: "09", year: "39" } },
    }
    const answer = await service.post("/payments/3ds-sessions", { ...session, ...settings }, { auth })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/acquirer" }] })
  }
  const before = asked.length
  await refused({})
  const configuration = { bin: "411111", acquirerMerchantIdentifier: "42", country: "fr" }
  const acquirer = { name: "Bank", configurations: [{ network: "visa", ...configuration }] }
  expect((await service.post("/payments/acquirers", acquirer, { auth })).status).toBe(201)
  await refused({ card: { number: "5200000000003019", expiry: { month: "09", year: "39" } } })
  expect(asked.slice(before).map(({ path }) => path)).not.toContain("/3ds-range")
  expect(await newSession(identity, { acquirer: undefined })).toMatchObject({
    acquirer: { bin: "411111", merchantIdentifier: "42", country: "fr" },
  })
})
