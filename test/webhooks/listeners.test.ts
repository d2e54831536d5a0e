import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()
const UNKNOWN = "webhook_listener_00000000000000000000000000"

const listenerSchema = z.strictObject({
  id: z.string().regex(/^webhook_listener_[0-9a-hjkmnp-tv-z]{26}$/),
  events: z.array(z.string()),
  createdAt: z.int(),
  expiresAt: z.int(),
})
const fetchedSchema = z.strictObject({
  data: z.array(z.strictObject({ id: z.string(), type: z.string(), createdAt: z.int(), data: z.unknown() })),
  hasMore: z.boolean(),
  hasDropped: z.boolean(),
})

async function listen(body: object, options: CallOptions) {
  const answer = await service.post("/webhook-listeners", body, options)
  expect(answer.status).toBe(201)
  return listenerSchema.parse(answer.json)
}
const fetchFrom = (id: string, body: unknown, options: CallOptions = {}) =>
  service.post(`/webhook-listeners/${id}/fetch`, body, options)
const fetched = async (id: string, handled: readonly string[], options: CallOptions) =>
  fetchedSchema.parse((await fetchFrom(id, { handled }, options)).json)

describe("POST /webhook-listeners", () => {
  test("creates a listener of all events, for 15 minutes", async () => {
    const { auth } = await service.newApp("sandbox")
    const { events, createdAt, expiresAt } = await listen({}, { auth })
    expect(events).toEqual(["*"])
    expect(expiresAt - createdAt).toBe(15 * 60_000)
  })

  test("makes the app's events wait, of the named types, until they are handled", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const { id } = await listen({ events: ["audit-log.event"] }, { auth })
    await service.newRole(app, "waiting")
    const found = await vi.waitFor(async () => {
      const page = await fetched(id, [], { auth })
      const roles = page.data.filter(({ data }) => JSON.stringify(data).includes('"data-role.create"'))
      expect(roles).toHaveLength(1)
      return page
    }, 10_000)
    const [event] = found.data.slice(-1)
    expect(event).toMatchObject({ type: "audit-log.event", data: { appId: app.id } })
    const shown = await service.get(`/webhook-events/${event?.id}`, { auth })
    expect(shown.json).toMatchObject({ id: event?.id, data: event?.data, deliveries: [] })
    expect(
      (
        await fetched(
          id,
          found.data.map((each) => each.id),
          { auth },
        )
      ).data,
    ).toEqual([])
  })

  test.each([
    [],
    { events: [] },
    { events: "*" },
    { events: ["marker-7f3a"] },
    { events: ["*", "*"] },
    { events: Array(21).fill("*") },
    { url: "https://marker-7f3a.example/" },
  ])("refuses with invalid-request %j", async (body) => {
    const answer = await service.post("/webhook-listeners", body)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toContain("marker-7f3a")
  })

  test("refuses a body that is not JSON, too long, or not declared as JSON", async () => {
    expectProblem(await service.post("/webhook-listeners", "{"), "invalid-request")
    expectProblem(await service.post("/webhook-listeners", { x: "a".repeat(20_000) }), "payload-too-large")
    const octets = { contentType: "application/octet-stream" }
    expectProblem(await service.post("/webhook-listeners", "{}", octets), "unsupported-media-type")
  })

  test("refuses the 11th listener of an app with conflict, also when many come at once", async () => {
    const { auth } = await service.newApp("sandbox")
    for (let count = 0; count < 8; count++) await listen({}, { auth })
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => service.post("/webhook-listeners", {}, { auth })),
    )
    const created = answers.filter(({ status }) => status === 201)
    expect(created.length).toBeLessThanOrEqual(2)
    for (const answer of answers) if (answer.status !== 201) expectProblem(answer, "conflict")
    for (let count = 8 + created.length; count < 10; count++) await listen({}, { auth })
    expectProblem(await service.post("/webhook-listeners", {}, { auth }), "conflict")
  })

  test("returns the same listener when it is repeated with an Idempotency-Key", async () => {
    const { auth } = await service.newApp("sandbox")
    const headers = { "idempotency-key": "listener-1" }
    const first = await listen({}, { auth, headers })
    expect(await listen({}, { auth, headers })).toEqual(first)
  })
})

describe("every endpoint of listeners", () => {
  const ways = (id: string, options: CallOptions) => [
    fetchFrom(id, {}, options),
    service.delete(`/webhook-listeners/${id}`, options),
  ]

  test("is refused without credentials, and for a key that may only read and send events", async () => {
    const { app } = service.sandbox
    const { id } = await listen({}, {})
    const auth = await service.newKey(app, ["webhook:read", "webhookEvent:replay", "webhookEvent:trigger"])
    expectProblem(await service.post("/webhook-listeners", {}, { auth: null }), "unauthorized")
    expectProblem(await service.post("/webhook-listeners", {}, { auth }), "forbidden")
    for (const answer of await Promise.all(ways(id, { auth: null }))) expectProblem(answer, "unauthorized")
    for (const answer of await Promise.all(ways(id, { auth }))) expectProblem(answer, "forbidden")
    expect((await fetchFrom(id, {})).status).toBe(200)
  })

  test("gives the same answer for another app's listener, a missing one and a malformed id", async () => {
    const { id } = await listen({}, {})
    const { auth } = await service.newApp("sandbox")
    const details = new Set<string>()
    for (const each of [id, UNKNOWN, "x", "webhook_endpoint_00000000000000000000000000"]) {
      for (const answer of await Promise.all(ways(each, { auth }))) {
        expect([400, 404]).toContain(answer.status)
        if (each === id || each === UNKNOWN) {
          expectProblem(answer, "not-found")
          details.add(answer.text)
        }
      }
    }
    expect(details.size).toBe(1)
    expect((await fetchFrom(id, {})).status).toBe(200)
  })

  test("creates or deletes a listener with an audit record, and does not find a deleted one", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const { id } = await listen({}, { auth })
    expect((await service.delete(`/webhook-listeners/${id}`, { auth })).status).toBe(204)
    for (const answer of await Promise.all(ways(id, { auth }))) expectProblem(answer, "not-found")
    const query = `appId=${app.id}&action=webhook-listener.*`
    const log = await service.get(`/audit-logs?${query}`, { auth: service.team.auth })
    expect(log.json).toMatchObject({
      data: ["delete", "create"].map((verb) => ({
        action: `webhook-listener.${verb}`,
        target: { type: "webhook-listener", id },
      })),
    })
  })
})

describe("POST /webhook-listeners/{id}/fetch", () => {
  test.each([
    [[]],
    [{ handled: "webhook_event_x" }],
    [{ handled: [1] }],
    [{ handled: ["a".repeat(65)] }],
    [{ handled: Array(101).fill("x") }],
    [{ "marker-7f3a": [] }],
  ])("refuses with invalid-request %j", async (body) => {
    const { auth } = await service.newApp("sandbox")
    const answer = await fetchFrom((await listen({}, { auth })).id, body, { auth })
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toContain("marker-7f3a")
  })

  test("accepts no body and 100 ids of 64 characters, and refuses a body that is too large", async () => {
    const { auth } = await service.newApp("sandbox")
    const { id } = await listen({}, { auth })
    expect((await fetchFrom(id, undefined, { auth })).status).toBe(200)
    expect((await fetchFrom(id, { handled: Array(100).fill("x".repeat(64)) }, { auth })).status).toBe(200)
    expectProblem(await fetchFrom(id, { handled: ["x".repeat(20_000)] }, { auth }), "payload-too-large")
  })
})
