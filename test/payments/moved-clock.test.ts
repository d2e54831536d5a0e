import { requeueEnrolments } from "@sealway/payments"
import { resultsProof } from "@sealway/payments/testing"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { CARD, MERCHANT } from "../support/payment-requests.ts"
import { expectProblem } from "../support/problem.ts"
import { type Answer, type CallOptions, useService } from "../support/service.ts"

// Only the time that is told moves, not what waits: workers and queues go on.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["performance", "Date"], now: Date.now() })
})
afterAll(() => {
  vi.useRealTimers()
})
const later = (ms: number) => vi.advanceTimersByTime(ms)

const service = useService()

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const BROWSER = {
  javaEnabled: false,
  javaScriptEnabled: true,
  language: "en-GB",
  colorDepth: 24,
  screenHeight: 1_080,
  screenWidth: 1_920,
  timeZone: -60,
}
const TIMED_OUT = { status: "failure", failureReason: "authentication-timed-out" }

const bodyOf = ({ status, text, json }: Answer) => {
  expect(status, text).toBeLessThan(300)
  return z.looseObject({ id: z.string() }).parse(json)
}
const post = async (path: string, body: object, options: CallOptions = {}) =>
  bodyOf(await service.post(path, body, options))

/** Fetches the events of a listener until one of a type comes. */
async function waitForEvent(listener: string, type: string, options: CallOptions): Promise<unknown> {
  const schema = z.object({ data: z.array(z.looseObject({ type: z.string() })) })
  return vi.waitFor(async () => {
    const { json } = await service.post(`/webhook-listeners/${listener}/fetch`, {}, options)
    const found = schema.parse(json).data.find((each) => each.type === type)
    expect(found).toBeDefined()
    return found
  }, 10_000)
}

describe("a 3-D Secure session", () => {
  const path = "/payments/3ds-sessions"
  const show = async (id: string) => bodyOf(await service.get(`${path}/${id}`))
  const asBrowser = (): CallOptions => ({
    auth: null,
    headers: { "x-service-app-id": service.sandbox.app.id },
  })
  const step = (id: string, body: object) =>
    service.patch(`/frontend/3ds/browser-sessions/${id}`, body, asBrowser())
  const start = async (number: string) => {
    const merchant = {
      name: "Shop",
      website: "https://shop.example.com",
      categoryCode: "5411",
      country: "ie",
    }
    const { id } = await post(path, { merchant, card: { ...CARD, number } })
    return id
  }

  test("fails as timed out after ten minutes without a browser, and an event tells it", async () => {
    const { id: listener } = await post("/webhook-listeners", { events: ["payments.*"] })
    const id = await start("4000000000003014")
    later(10 * MINUTE_MS - 1_000)
    expect(await show(id)).toMatchObject({ status: "action-required" })
    later(1_000)
    expect(await show(id)).toMatchObject(TIMED_OUT)
    expect(await waitForEvent(listener, "payments.3ds-session.failure", {})).toMatchObject({
      data: { id, ...TIMED_OUT },
    })
    expectProblem(await step(id, { browser: BROWSER }), "invalid-request")
  })

  test("fails ten minutes after its challenge began, and results that come later decide nothing", async () => {
    const id = await start("4000000000003030")
    later(9 * MINUTE_MS)
    await step(id, { browser: BROWSER })
    await step(id, { browserFingerprint: "complete" })
    const challenged = z
      .looseObject({
        threeDSServer: z.object({ transactionIdentifier: z.string() }),
        accessControlServer: z.looseObject({ transactionIdentifier: z.string() }),
        directoryServer: z.looseObject({ transactionIdentifier: z.string() }),
      })
      .parse(await show(id))
    later(10 * MINUTE_MS - 1_000)
    expect(await show(id)).toMatchObject({ status: "action-required", ares: { transStatus: { value: "C" } } })
    later(1_000)
    expect(await show(id)).toMatchObject(TIMED_OUT)
    const threeDSServerTransID = challenged.threeDSServer.transactionIdentifier
    const { app } = service.sandbox
    const proof = await resultsProof(service.service.platform.keyring, app, threeDSServerTransID)
    const rreq = {
      messageType: "RReq",
      messageVersion: "2.2.0",
      messageCategory: "02",
      interactionCounter: "01",
      threeDSServerTransID,
      transStatus: "Y",
      eci: "05",
      authenticationMethod: "02",
      acsTransID: challenged.accessControlServer.transactionIdentifier,
      dsTransID: challenged.directoryServer.transactionIdentifier,
      authenticationType: "02",
      authenticationValue: Buffer.alloc(20, 7).toString("base64"),
    }
    const late = await service.post(
      `/payments/3ds-results/${app.id}/${threeDSServerTransID}/${proof}`,
      rreq,
      { auth: null },
    )
    expect(late.json, late.text).toMatchObject({ messageType: "RRes", resultsStatus: "01" })
    expect(await show(id)).toMatchObject({ ...TIMED_OUT, rreq: { transStatus: { value: "Y" } } })
    expect(await show(id)).not.toHaveProperty("cryptogram")
  })

  test("has its cryptogram for one hour", async () => {
    const { id } = await post(path, {
      merchant: { name: "Shop", website: "https://shop.example.com", categoryCode: "5411", country: "ie" },
      card: CARD,
      initiator: { type: "merchant", reason: "add-card" },
    })
    later(HOUR_MS - 1_000)
    expect(await show(id)).toHaveProperty("cryptogram")
    later(2_000)
    expect(await show(id)).not.toHaveProperty("cryptogram")
  })
})

test("an alert is reminded of four hours before its deadline, and expires at it", async () => {
  const alerts = { preChargebackAlerts: { ethoca: { enabled: true } } }
  const { id: merchant } = await post("/payments/merchants", { ...MERCHANT, ...alerts })
  const path = "/payments/pre-chargeback-alerts"
  const type = "payments.pre-chargeback-alert.reminder"
  await post("/webhook-endpoints", { url: "http://127.0.0.1:9/", events: [type] })
  const alert = await post(`${path}/simulate`, { merchant, network: "ethoca", amount: 1_000 })
  const { paymentsTable, queues, wallClock, log } = service.service.platform
  if (paymentsTable === null) throw new Error("The service has no table of payments")
  const sweep = () => requeueEnrolments({ paymentsTable, queues, wallClock, log }, { overdueMs: 0 })
  const reminders = async () => {
    const { json } = await service.get("/webhook-events")
    return z.object({ data: z.array(z.object({ type: z.string() })) }).parse(json).data
  }
  later(20 * HOUR_MS - 1_000)
  await sweep()
  expect(bodyOf(await service.get(`${path}/${alert.id}`))).toMatchObject({ status: "open" })
  expect(await reminders()).toEqual([])
  later(1_000)
  await sweep()
  await vi.waitFor(async () => expect(await reminders()).toMatchObject([{ type }]), 10_000)
  later(4 * HOUR_MS)
  expect(bodyOf(await service.get(`${path}/${alert.id}`))).toMatchObject({ status: "expired", outcome: null })
  expectProblem(await service.patch(`${path}/${alert.id}`, { outcome: "refunded" }), "conflict")
})
