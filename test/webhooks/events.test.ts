import { type Receiver, startReceiver } from "@sealway/http/testing"
import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, type Identity, useService } from "../support/service.ts"

const service = useService()

/** Nothing listens there. */
const URL_A = "http://127.0.0.1:9/hooks"
const UNKNOWN_ENDPOINT = "webhook_endpoint_00000000000000000000000000"

const endpointSchema = z.object({ id: z.string(), status: z.string() })
const eventSchema = z.strictObject({
  id: z.string().regex(/^webhook_event_/),
  type: z.string(),
  status: z.enum(["pending", "delivered", "failed"]),
  createdAt: z.int(),
})
const eventListSchema = z.strictObject({
  data: z.array(eventSchema),
  hasMore: z.boolean(),
  continueAfter: z.string().nullable(),
})
const fullEventSchema = eventSchema.extend({
  data: z.unknown(),
  deliveries: z.array(
    z.strictObject({
      endpoint: z.string(),
      status: z.string(),
      attempts: z.int(),
      lastAttemptAt: z.int().nullable(),
      lastStatusCode: z.int().nullable(),
      lastFailure: z.string().nullable(),
      nextAttemptAt: z.int().nullable(),
    }),
  ),
})

async function create(settings: object = {}, options: CallOptions = {}) {
  const answer = await service.post("/webhook-endpoints", { url: URL_A, events: ["*"], ...settings }, options)
  return endpointSchema.parse(answer.json)
}
const show = async (id: string, options: CallOptions = {}) =>
  endpointSchema.parse((await service.get(`/webhook-endpoints/${id}`, options)).json)
const showEvent = async (id: string, { auth }: Identity) =>
  fullEventSchema.parse((await service.get(`/webhook-events/${id}`, { auth })).json)
const listEvents = async (query: string, { auth }: Identity) =>
  eventListSchema.parse((await service.get(`/webhook-events?${query}`, { auth })).json)

describe("webhook events", () => {
  /**
   * Creates an app with an endpoint at a receiver, and a test event that was delivered there or has failed for good.
   */
  async function tested(receiver: Receiver) {
    const identity = await service.newApp("sandbox")
    const { auth } = identity
    const endpoint = await create({ url: `${receiver.url}hook`, events: ["relay.error"] }, { auth })
    const answer = await service.post(`/webhook-endpoints/${endpoint.id}/test`, undefined, { auth })
    expect(answer.status).toBe(202)
    const { id } = eventSchema.parse(answer.json)
    await ended(id, identity)
    return { identity, auth, endpoint, id }
  }
  const ended = (id: string, identity: Identity) =>
    vi.waitFor(async () => {
      const event = await showEvent(id, identity)
      expect(event.status).not.toBe("pending")
      return event
    }, 20_000)

  test("show the result of a delivery, and nothing that the receiver wrote", async () => {
    await using receiver = await startReceiver((_, response) =>
      response.writeHead(200, { "x-marker": "marker-7f3a" }).end("marker-7f3a"),
    )
    const { identity, auth, endpoint, id } = await tested(receiver)
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
      { id, type: "webhook.test", data: { endpoint: endpoint.id } },
    ])
    expect(await showEvent(id, identity)).toEqual({
      id,
      type: "webhook.test",
      status: "delivered",
      createdAt: expect.any(Number),
      data: { endpoint: endpoint.id },
      deliveries: [
        {
          endpoint: endpoint.id,
          status: "delivered",
          attempts: 1,
          lastAttemptAt: expect.any(Number),
          lastStatusCode: 200,
          lastFailure: null,
          nextAttemptAt: null,
        },
      ],
    })
    expect((await service.get(`/webhook-events/${id}`, { auth })).text).not.toContain("marker-7f3a")
  })

  test("are listed as failed, and replayed once their endpoint accepts events again", async () => {
    let status = 410
    await using receiver = await startReceiver((_, response) => response.writeHead(status).end())
    const { identity, auth, endpoint, id } = await tested(receiver)
    expect(await showEvent(id, identity)).toMatchObject({
      status: "failed",
      deliveries: [{ status: "failed", attempts: 1, lastStatusCode: 410, lastFailure: "status-code" }],
    })
    expect(await show(endpoint.id, { auth })).toMatchObject({ status: "disabled" })
    expect((await listEvents("status=failed", identity)).data).toMatchObject([{ id, status: "failed" }])
    expect((await listEvents("status=failed&type=relay.error", identity)).data).toEqual([])
    expect((await listEvents("status=delivered", identity)).data).toEqual([])
    const replay = (body: unknown) => service.post(`/webhook-events/${id}/replay`, body, { auth })
    expectProblem(await replay({}), "conflict")
    expectProblem(await replay({ endpoint: endpoint.id }), "conflict")
    expectProblem(await replay({ endpoint: UNKNOWN_ENDPOINT }), "not-found")
    expectProblem(await replay({ endpoint: 1 }), "invalid-request")
    expectProblem(await replay({ other: 1 }), "invalid-request")

    status = 204
    await service.patch(`/webhook-endpoints/${endpoint.id}`, { status: "enabled" }, { auth })
    const replayed = await replay({})
    expect(replayed.status).toBe(202)
    expect(replayed.json).toMatchObject({ id, status: "pending" })
    await ended(id, identity)
    expect(await showEvent(id, identity)).toMatchObject({
      status: "delivered",
      deliveries: [{ attempts: 1 }],
    })
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([id, id])
    expect((await listEvents("status=failed", identity)).data).toEqual([])
    expectProblem(await replay({}), "conflict")
    expect((await replay({ endpoint: endpoint.id })).status).toBe(202)
    await vi.waitFor(() => expect(receiver.received).toHaveLength(3), 10_000)
  })

  test("are sent to an endpoint from its creation", async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(200).end())
    const { auth } = await service.newApp("sandbox")
    const { id } = await create({ url: receiver.url, events: ["audit-log.event"] }, { auth })
    await service.patch(`/webhook-endpoints/${id}`, { description: "a" }, { auth })
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000)
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({
      type: "audit-log.event",
      data: { action: "webhook-endpoint.update", target: { id } },
    })
  })

  test("are not sent as a test to a disabled endpoint", async () => {
    const { id } = await create()
    await service.patch(`/webhook-endpoints/${id}`, { status: "disabled" })
    expectProblem(await service.post(`/webhook-endpoints/${id}/test`, undefined), "conflict")
  })

  test.each([
    "status=done",
    "status=",
    "type=a%20b",
    "limit=0",
    `startingAfter=${UNKNOWN_ENDPOINT}`,
    "other=1",
  ])("are refused with invalid-request when they are filtered by ?%s", async (query) =>
    expectProblem(await service.get(`/webhook-events?${query}`), "invalid-request"),
  )
})
