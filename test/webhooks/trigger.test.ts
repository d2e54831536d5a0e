import { startReceiver } from "@sealway/http/testing"
import { RANDOM_DRAWS } from "@sealway/ports"
import { auditRecordSchema } from "@sealway/records/audit-chain"
import { NAMED_EVENTS } from "@sealway/records/event-types"
import { alertFields } from "@sealway/relay/testing"
import { sampleData } from "@sealway/webhooks/testing"
import { Webhook } from "standardwebhooks"
import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { deployFunction } from "../support/functions.ts"
import { MERCHANT as SHOP } from "../support/payment-requests.ts"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"
import { THREE_DS_SESSION } from "../support/three-d-secure-requests.ts"

const service = useService()

const endpointSchema = z.object({ id: z.string(), secret: z.string() })
const bodySchema = z.object({ id: z.string(), type: z.string(), data: z.record(z.string(), z.unknown()) })
const trigger = (body: unknown, options?: CallOptions) => service.post("/webhook-events", body, options)
const subscribe = async (url: string, events: readonly string[], options: CallOptions) =>
  endpointSchema.parse((await service.post("/webhook-endpoints", { url, events }, options)).json)
/** Returns the fields of an object, and the type of each. */
const shapeOf = (value: object) =>
  Object.entries(value).map(([name, member]) => [name, member === null ? "null" : typeof member])
/** Returns the paths of everything in an object; entries of arrays count as one. */
function pathsOf(value: unknown, path = ""): readonly string[] {
  if (typeof value !== "object" || value === null) return [path]
  const members = Object.entries(value).flatMap(([name, member]) =>
    pathsOf(member, `${path}/${Array.isArray(value) ? "*" : name}`),
  )
  return [...new Set(members)].sort()
}

const MERCHANT = { ...SHOP, applePay: { domains: ["pay.example.com"] } }
const ACQUIRER = {
  name: "Bank",
  configurations: [{ network: "visa", bin: "400000", acquirerMerchantIdentifier: "123456", country: "ie" }],
}

describe("POST /webhook-events", () => {
  test("delivers a made-up event of each type, signed, marked as a test", async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(204).end())
    const { auth } = await service.newApp("sandbox")
    const types = NAMED_EVENTS.filter((type) => type !== "audit-log.event")
    const { id: endpoint, secret } = await subscribe(receiver.url, types, { auth })
    for (const type of types) {
      const answer = await trigger({ type }, { auth })
      expect(answer).toMatchObject({ status: 202, json: { type, status: "pending" } })
      const id = z.object({ id: z.string() }).parse(answer.json).id
      await vi.waitFor(async () => {
        expect((await service.get(`/webhook-events/${id}`, { auth })).json).toMatchObject({
          id,
          type,
          status: "delivered",
          data: { test: true },
          deliveries: [{ endpoint, lastStatusCode: 204 }],
        })
      }, 10_000)
    }
    const verified = receiver.received.map(({ headers, body }) =>
      bodySchema.parse(new Webhook(secret).verify(body, headers as Record<string, string>)),
    )
    expect(verified.map(({ type }) => type)).toEqual(types)
    expect(verified.filter(({ data }) => data.test !== true)).toEqual([])
  })

  test("is audited, by an event that can be triggered too", async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(204).end())
    const { app, auth } = await service.newApp("sandbox")
    await subscribe(receiver.url, ["audit-log.event"], { auth })
    await trigger({ type: "audit-log.event" }, { auth })
    const records = await vi.waitFor(() => {
      const data = receiver.received.map(({ body }) => bodySchema.parse(JSON.parse(body)).data)
      const made = data.filter(({ test }) => test === true)
      const told = data.filter(({ action }) => action === "webhook-event.trigger")
      expect({ made: made.length, told: told.length }).toEqual({ made: 1, told: 1 })
      return { made, told }
    }, 10_000)
    expect(records.told).toMatchObject([{ appId: app.id, details: { type: "audit-log.event" } }])
    const { test: _, ...made } = records.made[0] ?? {}
    expect(auditRecordSchema.parse(made)).toEqual(made)
    expect(Object.keys(made).sort()).toEqual(Object.keys(records.told[0] ?? {}).sort())
  })

  test("makes up the fields of real events", async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(204).end())
    const types = NAMED_EVENTS.filter(
      (type) => type.startsWith("function.deployment.started") || type === "function.run.completed",
    )
    await subscribe(receiver.url, types, {})
    await deployFunction(service, "example", "index.mjs", "export const handler = async () => null")
    await service.post("/functions/example/runs", { payload: {}, async: true })
    for (const type of types) await trigger({ type })
    await vi.waitFor(() => {
      const told = receiver.received.map(({ body }) => bodySchema.parse(JSON.parse(body)))
      for (const wanted of types) {
        const ofType = told.filter(({ type }) => type === wanted).map(({ data }) => data)
        const real = ofType.find(({ test }) => test === undefined)
        const { test: isTest, ...made } = ofType.find(({ test }) => test === true) ?? {}
        expect(isTest).toBe(true)
        expect(shapeOf(made)).toEqual(shapeOf(real ?? {}))
      }
    }, 20_000)
    const relay = { id: "", teamId: "", relayDomain: "" }
    const cause = {
      errorMessage: "",
      evMessage: "",
      activityLink: "",
      timestamp: 0,
      errorType: "",
      statusCode: 0,
    }
    const { test: _, ...made } = Object.fromEntries(
      Object.entries(sampleData("relay.error", service.sandbox.app, RANDOM_DRAWS, 0)),
    )
    expect(shapeOf(made)).toEqual(shapeOf(alertFields(relay, cause)))
  })

  test("makes up merchants, acquirers and cards with the fields of real ones", async () => {
    const { auth, app } = await service.newApp("sandbox")
    const card = { number: "4000000000000002", expiry: { month: "09", year: "39" } }
    const { id } = z
      .object({ id: z.string() })
      .parse((await service.post("/payments/cards", card, { auth })).json)
    const update = { updateType: "new-expiry-date" }
    const merchant = await service.post("/payments/merchants", MERCHANT, { auth })
    const tokenInput = { card, merchant: z.object({ id: z.string() }).parse(merchant.json).id }
    const real = {
      "payments.merchant.updated": merchant,
      "payments.network-token.updated": await service.post("/payments/network-tokens", tokenInput, { auth }),
      "payments.acquirer.updated": await service.post("/payments/acquirers", ACQUIRER, { auth }),
      "payments.card.updated": await service.post(`/payments/cards/${id}/simulate`, update, { auth }),
    } as const
    for (const type of [
      ...(["payments.merchant.updated", "payments.acquirer.updated", "payments.card.updated"] as const),
      "payments.network-token.updated" as const,
    ]) {
      expect(real[type].status).toBeLessThan(300)
      const { test: isTest, ...made } = { test: null, ...sampleData(type, app, RANDOM_DRAWS, 1) }
      expect(isTest).toBe(true)
      // An event follows a change.
      const changed = { ...z.looseObject({}).parse(real[type].json), updatedAt: 1 }
      expect(pathsOf(made)).toEqual(pathsOf(changed))
    }
  })

  test("makes up an account update with the members of real ones", async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(204).end())
    const { auth, app } = await service.newApp("sandbox")
    const type = "payments.account-updater.updated"
    await subscribe(receiver.url, [type], { auth })
    const idOf = ({ json }: { json: unknown }) => z.object({ id: z.string() }).parse(json).id
    const merchant = idOf(await service.post("/payments/merchants", MERCHANT, { auth }))
    const path = "/payments/account-updater/subscriptions"
    const id = idOf(await service.post(path, { number: "4000000000000002", merchant }, { auth }))
    await service.post(`${path}/${id}/simulate`, { updateType: "new-account-number" }, { auth })
    const told = await vi.waitFor(() => {
      const [event] = receiver.received.map(({ body }) => bodySchema.parse(JSON.parse(body)))
      expect(event).toBeDefined()
      return event
    }, 10_000)
    const { test: isTest, ...made } = { test: null, ...sampleData(type, app, RANDOM_DRAWS, 1) }
    expect(isTest).toBe(true)
    expect(pathsOf(made)).toEqual(pathsOf(told?.data))
  })

  test("makes up signals of retries and alerts with the members of real ones", async () => {
    const { auth, app } = await service.newApp("sandbox")
    const made = (type: Parameters<typeof sampleData>[0]) => {
      const { test: isTest, ...members } = { test: null, ...sampleData(type, app, RANDOM_DRAWS, 1) }
      expect(isTest).toBe(true)
      return members
    }
    const switches = { preChargebackAlerts: { ethoca: { enabled: true } } }
    const shop = await service.post("/payments/merchants", { ...MERCHANT, ...switches }, { auth })
    const { id: merchant } = z.object({ id: z.string() }).parse(shop.json)
    const body = { merchant, network: "ethoca" }
    const open = await service.post("/payments/pre-chargeback-alerts/simulate", body, { auth })
    const { id } = z.object({ id: z.string() }).parse(open.json)
    const path = `/payments/pre-chargeback-alerts/${id}`
    const answered = await service.patch(path, { outcome: "refunded" }, { auth })
    for (const type of ["created", "reminder"] as const) {
      expect(pathsOf(made(`payments.pre-chargeback-alert.${type}`))).toEqual(pathsOf(open.json))
    }
    expect(pathsOf(made("payments.pre-chargeback-alert.updated"))).toEqual(pathsOf(answered.json))
    expect(made("payments.intelligent-retries.signal")).toEqual({
      watch: expect.stringMatching(/^retry_watch_/),
      signal: "retry-now",
      confidence: "high",
      occurredAt: expect.any(Number),
    })
  })

  test("makes up 3-D Secure sessions with the members of real ones", async () => {
    const { auth, app } = await service.newApp("sandbox")
    for (const [status, number] of [
      ["success", "4000000000003014"],
      ["failure", "4000000000003048"],
    ] as const) {
      const initiator = { type: "merchant", reason: "other-payment" }
      const body = { ...THREE_DS_SESSION, card: { ...THREE_DS_SESSION.card, number }, initiator }
      const real = await service.post("/payments/3ds-sessions", body, { auth })
      expect(real.json).toMatchObject({ status })
      const made = sampleData(`payments.3ds-session.${status}`, app, RANDOM_DRAWS, 1)
      const withoutReason = (paths: readonly string[]) => paths.filter((path) => !path.includes("initiator"))
      const { test: _, ...members } = { test: null, ...made }
      const changed = { ...z.looseObject({}).parse(real.json), updatedAt: 1 }
      expect(withoutReason(pathsOf(members))).toEqual(withoutReason(pathsOf(changed)))
    }
  })

  test("is refused with conflict in a production app, and when no endpoint takes the type", async () => {
    const production = await service.newApp("production")
    await subscribe("http://127.0.0.1:9/", ["*"], { auth: production.auth })
    expectProblem(await trigger({ type: "relay.error" }, { auth: production.auth }), "conflict")
    const { auth } = await service.newApp("sandbox")
    const { id } = await subscribe("http://127.0.0.1:9/", ["relay.error"], { auth })
    expectProblem(await trigger({ type: "function.run.completed" }, { auth }), "conflict")
    await service.patch(`/webhook-endpoints/${id}`, { status: "disabled" }, { auth })
    expectProblem(await trigger({ type: "relay.error" }, { auth }), "conflict")
    expect((await service.get("/webhook-events", { auth })).json).toMatchObject({ data: [] })
  })

  test.each([
    [{}],
    [[]],
    [{ type: "marker-7f3a" }],
    [{ type: "payments.*" }],
    [{ type: ["relay.error"] }],
    [{ type: "relay.error", data: { card: "marker-7f3a" } }],
  ])("refuses with invalid-request %j", async (body) => {
    const answer = await trigger(body)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toContain("marker-7f3a")
  })

  test("refuses a body that is not JSON, too long or not declared as JSON, and requests without credentials or the scope", async () => {
    expectProblem(await trigger("{"), "invalid-request")
    expectProblem(await trigger({ type: "a".repeat(20_000) }), "payload-too-large")
    expectProblem(await trigger("{}", { contentType: "text/plain" }), "unsupported-media-type")
    expectProblem(await trigger({ type: "relay.error" }, { auth: null }), "unauthorized")
    const auth = await service.newKey(service.sandbox.app, ["webhook:read", "webhookEvent:listen"])
    expectProblem(await trigger({ type: "relay.error" }, { auth }), "forbidden")
  })

  test("sends one event when it is repeated with an Idempotency-Key", async () => {
    const { auth } = await service.newApp("sandbox")
    await subscribe("http://127.0.0.1:9/", ["relay.error"], { auth })
    const options = { auth, headers: { "idempotency-key": "trigger-1" } }
    const first = await trigger({ type: "relay.error" }, options)
    expect((await trigger({ type: "relay.error" }, options)).json).toEqual(first.json)
    const listed = z
      .object({ data: z.array(z.unknown()) })
      .parse((await service.get("/webhook-events", { auth })).json)
    expect(listed.data).toHaveLength(1)
    expectProblem(await trigger({ type: "audit-log.event" }, options), "idempotency-key-reused")
  })
})
