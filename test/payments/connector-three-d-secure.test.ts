import { once } from "node:events"
import type { Server } from "node:https"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { createAnswers, sign, startConnector, tellResults } from "../../examples/connector/connector.mjs"
import { type ConnectorCertificates, createConnectorCertificates } from "../support/connector-certificates.ts"
import { expectProblem } from "../support/problem.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()

const DS_ID = "22222222-2222-4222-8222-222222222222"
const ACS_ID = "33333333-3333-4333-8333-333333333333"
const VALUE = Buffer.alloc(20, 7).toString("base64")

interface Asked {
  readonly areq: { readonly threeDSServerTransID: string; readonly messageVersion: string }
}

let certificates: ConnectorCertificates
let connector: Server
let secret = ""
const asked: { readonly path: string; readonly body: string }[] = []
/** What the connector's directory server answers, beside the ids. */
let ares: object = {}

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
      "/3ds-range": () => ({ range: { directoryServer: "visa", versions: [{ version: "2.2.0" }] } }),
      "/authenticate": ({ areq }: Asked) => ({ message: { ...aresTo(areq), ...ares } }),
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
const aresTo = ({ threeDSServerTransID, messageVersion }: Asked["areq"]) => ({
  ...{ messageType: "ARes", messageVersion, dsReferenceNumber: "DS", acsReferenceNumber: "ACS" },
  ...idsOf(threeDSServerTransID),
})
const CHALLENGE = {
  transStatus: "C",
  acsURL: "https://issuer.example.com/challenge",
  acsChallengeMandated: "Y",
  authenticationType: "02",
}

/** A production app with the connector. */
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

/** A session whose cardholder is with the issuer. */
async function challenged(identity: Identity) {
  ares = CHALLENGE
  const session = await newSession(identity)
  const browser = {
    ...{ javaEnabled: false, javaScriptEnabled: true, language: "en-GB", colorDepth: 24 },
    ...{ screenHeight: 1_080, screenWidth: 1_920, timeZone: -60 },
  }
  const path = `/frontend/3ds/browser-sessions/${session.id}`
  const body = { frame: { width: 500, height: 600 }, browser }
  const headers = { "x-service-app-id": identity.app.id }
  const answer = await service.patch(path, body, { auth: null, headers })
  expect(answer.json).toMatchObject({ nextAction: { type: "challenge", url: CHALLENGE.acsURL } })
  const transactionId = session.threeDSServer.transactionIdentifier
  const rreq = {
    ...{ messageType: "RReq", messageVersion: "2.2.0", messageCategory: "01", transStatus: "Y" },
    ...{ authenticationValue: VALUE, eci: "05", authenticationType: "02", interactionCounter: "01" },
    ...idsOf(transactionId),
  }
  const to = { sealway: service.url, appId: identity.app.id, secret, id: `msg_${session.id}` }
  const show = async () =>
    (await service.get(`/payments/3ds-sessions/${session.id}`, { auth: identity.auth })).json
  return { rreq, to, show }
}

describe("a connector", () => {
  test("takes the AReq of a merchant to the directory server, and brings the ARes", async () => {
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

  test("tells the results of a challenge, once or more often", async () => {
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

  test("is told which elements of results are wrong, and can tell them again", async () => {
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

  test("of another app cannot tell the results of this one", async () => {
    const { rreq, to, show } = await challenged(await newConnectedApp())
    const other = await newConnectedApp()
    expect(await tellResults({ ...to, appId: other.app.id, secret, rreq })).toBe(400)
    expect(await tellResults({ ...to, secret, rreq })).toBe(401)
    expect(await show()).toMatchObject({ status: "action-required" })
  })
})
