import { createServer } from "node:net"
import { type ReceivedRequest, startReceiver } from "@sealway/http/testing"
import { createRelayObserver } from "@sealway/relay"
import { activityAt, finishedAs, RELAY, timeout } from "@sealway/relay/testing"
import { Webhook } from "standardwebhooks"
import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()

const RECEIVER = "http://127.0.0.1:9/hooks/marker-7f3a"
const UNKNOWN_RELAY = "relay_00000000000000000000000000"
const UNKNOWN_ALERT = "relay_alert_00000000000000000000000000"
const CARD = "4111111111111111"

const relaySchema = z.object({ id: z.string(), relayDomain: z.string() })
const alertSchema = z.strictObject({
  id: z.string().regex(/^relay_alert_[0-9a-hjkmnp-tv-z]{26}$/),
  relay: z.string(),
  type: z.enum(["webhook", "chat"]),
  url: z.string(),
  createdAt: z.int(),
  updatedAt: z.int(),
})
const listSchema = z.strictObject({ data: z.array(alertSchema), hasMore: z.boolean() })
/** The ten fields of the specification (Events), and no other. */
const fieldsSchema = z.strictObject({
  relayUuid: z.string(),
  teamUuid: z.string(),
  errorMessage: z.string().min(1),
  evMessage: z.string().min(1),
  activityLink: z.string(),
  timestamp: z.int(),
  errorType: z.string(),
  statusCode: z.int(),
  statusGroup: z.enum(["4XX", "5XX", "ERR"]),
  inboundDomain: z.string(),
})

let hosts = 0

async function createRelay(settings: object = {}, options: CallOptions = {}) {
  const body = { destinationDomain: `alerts-${++hosts}.destination.example`, ...settings }
  const answer = await service.post("/relays", body, options)
  expect(answer.status, answer.text).toBe(201)
  return relaySchema.parse(answer.json)
}

async function createAlert(relayId: string, settings: object = {}, options: CallOptions = {}) {
  const answer = await service.post(
    `/relays/${relayId}/alerts`,
    { type: "webhook", url: RECEIVER, ...settings },
    options,
  )
  expect(answer.status, answer.text).toBe(201)
  return alertSchema.parse(answer.json)
}

/** Returns a port that nothing listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === "string") throw new Error("The server has a port")
  return address.port
}

const arrived = (received: readonly ReceivedRequest[], count: number) =>
  vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(count), { timeout: 10_000, interval: 20 })

describe("alerts of a relay", () => {
  test("are created, listed, shown, changed and deleted", async () => {
    const relay = await createRelay()
    const first = await createAlert(relay.id)
    const second = await createAlert(relay.id, { type: "chat", url: "http://127.0.0.1:9/chat" })
    expect(first).toMatchObject({
      relay: relay.id,
      type: "webhook",
      url: RECEIVER,
      updatedAt: first.createdAt,
    })
    const path = `/relays/${relay.id}/alerts`
    expect(listSchema.parse((await service.get(path)).json)).toEqual({
      data: [second, first],
      hasMore: false,
    })
    expect(listSchema.parse((await service.get(`${path}?limit=1`)).json)).toEqual({
      data: [second],
      hasMore: true,
    })
    const changed = await service.patch(`${path}/${first.id}`, { type: "chat" })
    expect(alertSchema.parse(changed.json)).toMatchObject({ id: first.id, type: "chat", url: RECEIVER })
    expect((await service.get(`${path}/${first.id}`)).json).toEqual(changed.json)
    expect((await service.delete(`${path}/${first.id}`)).status).toBe(204)
    expectProblem(await service.get(`${path}/${first.id}`), "not-found")
    expectProblem(await service.delete(`${path}/${first.id}`), "not-found")
    expect(listSchema.parse((await service.get(path)).json).data).toEqual([second])
  })

  test("are ten at most, also when many are created at once", async () => {
    const relay = await createRelay()
    for (let count = 0; count < 7; count++) await createAlert(relay.id)
    const path = `/relays/${relay.id}/alerts`
    const body = { type: "webhook", url: RECEIVER }
    const answers = await Promise.all(Array.from({ length: 6 }, () => service.post(path, body)))
    for (const answer of answers.filter(({ status }) => status !== 201)) expectProblem(answer, "conflict")
    expect(listSchema.parse((await service.get(`${path}?limit=100`)).json).data.length).toBeLessThanOrEqual(
      10,
    )
    await createAlert((await createRelay()).id)
  })

  test.each([
    ["no type", { url: RECEIVER }],
    ["another type", { type: "pager", url: RECEIVER }],
    ["no URL", { type: "chat" }],
    ["a URL of another scheme", { type: "chat", url: "ftp://a.example/marker-7f3a" }],
    ["a URL with credentials", { type: "chat", url: "https://marker-7f3a:b@a.example/" }],
    ["a URL without slashes", { type: "chat", url: "http:127.0.0.1/marker-7f3a" }],
    ["a metadata address", { type: "chat", url: "http://169.254.169.254/marker-7f3a" }],
    ["an unknown member", { type: "chat", url: RECEIVER, "marker-7f3a": 1 }],
  ])("are refused with invalid-request, without repeating it, for %s", async (_, body) => {
    const relay = await createRelay()
    const answer = await service.post(`/relays/${relay.id}/alerts`, body)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toContain("marker-7f3a")
  })

  test("cannot be changed to what cannot be created", async () => {
    const relay = await createRelay()
    const { id } = await createAlert(relay.id)
    for (const body of [{}, { url: "https://a.example/#x" }, { type: null }, { id }]) {
      expectProblem(await service.patch(`/relays/${relay.id}/alerts/${id}`, body), "invalid-request")
    }
  })

  test("are not found for another app, another relay, or a malformed id", async () => {
    const relay = await createRelay()
    const { id } = await createAlert(relay.id)
    const { auth } = await service.newApp("sandbox")
    const other = await createRelay()
    for (const path of [
      `/relays/${other.id}/alerts/${id}`,
      `/relays/${UNKNOWN_RELAY}/alerts/${id}`,
      `/relays/${relay.id}/alerts/${UNKNOWN_ALERT}`,
      `/relays/${relay.id}/alerts/x`,
    ]) {
      expectProblem(await service.get(path), "not-found")
      expectProblem(await service.patch(path, { type: "chat" }), "not-found")
      expectProblem(await service.delete(path), "not-found")
      expectProblem(await service.post(`${path}/test`, undefined), "not-found")
    }
    expectProblem(await service.get(`/relays/${relay.id}/alerts/${id}`, { auth }), "not-found")
    expectProblem(await service.get(`/relays/${relay.id}/alerts`, { auth }), "not-found")
    const body = { type: "chat", url: RECEIVER }
    expectProblem(await service.post(`/relays/${relay.id}/alerts`, body, { auth }), "not-found")
  })

  test("require the scopes relay:read and relay:write", async () => {
    const relay = await createRelay()
    const { id } = await createAlert(relay.id)
    const path = `/relays/${relay.id}/alerts`
    const reader = { auth: await service.newKey(service.sandbox.app, ["relay:read"]) }
    const writer = { auth: await service.newKey(service.sandbox.app, ["relay:write"]) }
    expect((await service.get(path, reader)).status).toBe(200)
    expect((await service.get(`${path}/${id}`, reader)).status).toBe(200)
    expectProblem(await service.get(path, writer), "forbidden")
    expectProblem(await service.post(path, { type: "chat", url: RECEIVER }, reader), "forbidden")
    expectProblem(await service.patch(`${path}/${id}`, { type: "chat" }, reader), "forbidden")
    expectProblem(await service.delete(`${path}/${id}`, reader), "forbidden")
    expectProblem(await service.post(`${path}/${id}/test`, undefined, reader), "forbidden")
    expectProblem(await service.get(path, { auth: null }), "unauthorized")
  })

  test("leave only the host of their URL in the audit log", async () => {
    const relay = await createRelay()
    const { id } = await createAlert(relay.id)
    await service.delete(`/relays/${relay.id}/alerts/${id}`)
    const { text } = await service.get("/audit-logs?limit=20", { auth: service.team.auth })
    expect(text).toContain('"relay-alert.create"')
    expect(text).toContain('"relay-alert.delete"')
    expect(text).toContain('"127.0.0.1:9"')
    expect(text).not.toContain("marker-7f3a")
  })
})

describe("an error of a relay", () => {
  test("is posted once to its alerts and to webhook endpoints, signed", async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(200).end())
    const relay = await createRelay({ destinationDomain: `http://127.0.0.1:${await closedPort()}` })
    await createAlert(relay.id, { url: `${receiver.url}alert` })
    await createAlert(relay.id, { type: "chat", url: `${receiver.url}chat` })
    const hook = await service.post("/webhook-endpoints", {
      url: `${receiver.url}endpoint`,
      events: ["relay.error"],
    })
    const { secret } = z.object({ secret: z.string() }).parse(hook.json)

    for (let times = 0; times < 3; times++) {
      const { status } = await sendToRelay(service.service.relayUrl, { ...relay, body: "{}" })
      expect(status).toBe(503)
    }
    await arrived(receiver.received, 3)
    const at = (path: string) => receiver.received.filter((each) => each.path === path)
    const [alert] = at("/alert")
    const [chat] = at("/chat")
    const [endpoint] = at("/endpoint")
    if (!alert || !chat || !endpoint) throw new Error("Each is told")

    const callback = await service.get("/callback-secret")
    const appSecret = z.object({ secret: z.string() }).parse(callback.json).secret
    const fields = fieldsSchema.parse(new Webhook(appSecret).verify(alert.body, headersOf(alert)))
    expect(fields).toMatchObject({
      relayUuid: relay.id,
      teamUuid: service.team.id,
      errorType: "service-unavailable",
      statusCode: 503,
      statusGroup: "5XX",
      inboundDomain: relay.relayDomain,
    })
    const text = z
      .strictObject({ text: z.string() })
      .parse(new Webhook(appSecret).verify(chat.body, headersOf(chat))).text
    for (const part of [relay.relayDomain, "service-unavailable", fields.activityLink])
      expect(text).toContain(part)
    expect(new Webhook(secret).verify(endpoint.body, headersOf(endpoint))).toEqual({
      id: endpoint.headers["webhook-id"],
      type: "relay.error",
      data: fields,
    })
    const page = `${service.url}/dashboard/apps/${service.sandbox.app.id}`
    const path = `/relays/${relay.id}/activity/relay_activity_`
    expect(fields.activityLink.startsWith(page + path)).toBe(true)
    const linked = await vi.waitFor(async () => {
      const answer = await service.get(fields.activityLink.slice(page.length))
      expect(answer.status).toBe(200)
      return answer
    }, 10_000)
    expect(linked.json).toMatchObject({
      status: 503,
      error: { code: "service-unavailable", stage: "destination" },
    })
    expect(receiver.received).toHaveLength(3)
  })

  test("is one event when several processes meet it at the same time", async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(200).end())
    const { app, auth } = await service.newApp("sandbox")
    const { id } = await createRelay({}, { auth })
    await createAlert(id, { url: receiver.url }, { auth })
    const { platform } = service.service
    const relay = { ...RELAY, id, appId: app.id, teamId: app.teamId }
    const nowMs = Date.now()
    const observers = Array.from({ length: 4 }, () =>
      createRelayObserver({ ...platform, wallClock: () => nowMs }),
    )
    for (const observer of observers)
      observer.finished(relay, finishedAs(activityAt(nowMs, { status: 504, error: timeout })))
    await Promise.all(observers.map((observer) => observer.flush()))
    const [event] = await vi.waitFor(async () => {
      const { json } = await service.get("/webhook-events", { auth })
      const page = z.object({ data: z.array(z.object({ id: z.string(), status: z.string() })) }).parse(json)
      expect(page.data.map(({ status }) => status)).toEqual(["delivered"])
      return page.data
    }, 10_000)
    expect((await service.get(`/webhook-events/${event?.id}`, { auth })).json).toMatchObject({
      data: { relayUuid: id, errorType: "request-timeout" },
      deliveries: [{ status: "delivered", attempts: 1 }],
    })
    expect(receiver.received).toHaveLength(1)
  })

  test("names the path, and never the number, when a card number appears where none is expected", async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(200).end())
    await using destination = await startReceiver((_, response) => response.writeHead(204).end())
    const destinationDomain = destination.url.slice(0, -1)
    const relay = await createRelay({ destinationDomain, leakWatch: "alert" })
    await createAlert(relay.id, { url: receiver.url })
    const headers = { "content-type": "application/json" }
    const body = JSON.stringify({ order: { notes: ["fine", `card ${CARD}`] } })
    expect((await sendToRelay(service.service.relayUrl, { ...relay, headers, body })).status).toBe(204)
    await arrived(receiver.received, 1)
    expect(destination.received[0]?.body).toBe(body)
    const [alert] = receiver.received
    expect(fieldsSchema.parse(JSON.parse(alert?.body ?? ""))).toMatchObject({
      errorType: "leak-detected",
      statusCode: 204,
      statusGroup: "ERR",
      evMessage: "At $['order']['notes'][1] of the request.",
    })
    expect(alert?.body).not.toContain(CARD)
  })
})

describe("a test alert", () => {
  test("is posted to that one alert, in its shape", async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(200).end())
    const relay = await createRelay()
    await createAlert(relay.id, { url: `${receiver.url}other` })
    const alert = await createAlert(relay.id, { url: `${receiver.url}alert` })
    await service.post("/webhook-endpoints", { url: `${receiver.url}endpoint`, events: ["*"] })
    const answer = await service.post(`/relays/${relay.id}/alerts/${alert.id}/test`, undefined)
    expect(answer.status).toBe(202)
    const { event } = z.strictObject({ event: z.string() }).parse(answer.json)
    await vi.waitFor(async () => {
      expect((await service.get(`/webhook-events/${event}`)).json).toMatchObject({
        type: "relay.alert.test",
        status: "delivered",
        deliveries: [{ endpoint: alert.id, status: "delivered", attempts: 1, lastStatusCode: 200 }],
      })
    }, 10_000)
    const posted = receiver.received.filter(({ headers }) => headers["webhook-id"] === event)
    expect(posted.map(({ path }) => path)).toEqual(["/alert"])
    expect(fieldsSchema.parse(JSON.parse(posted[0]?.body ?? ""))).toMatchObject({
      errorType: "test",
      relayUuid: relay.id,
      activityLink: `${service.url}/dashboard/apps/${service.sandbox.app.id}/relays/${relay.id}?tab=activity`,
    })
  })
})

function headersOf({ headers }: ReceivedRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
