import { TEST_APP as APP } from "@sealway/accounts/testing"
import { callbackSecret } from "@sealway/keys"
import { Webhook } from "standardwebhooks"
import { describe, expect, test, vi } from "vitest"
import { createWorld } from "../testing/world.ts"

const A = "https://a.example/"
const B = "https://b.example/"
const SECOND_MS = 1_000
const HOUR_MS = 60 * 60 * SECOND_MS
const EIGHT_FAILURES = Array.from({ length: 8 }, () => 500)

describe("the delivery of an event", () => {
  test("reaches each subscribed endpoint once, signed with that endpoint's secret", async () => {
    const world = await createWorld()
    const a = await world.addEndpoint(A, { events: ["relay.error"] })
    const b = await world.addEndpoint(B)
    await world.addEndpoint("https://c.example/", { events: ["payments.*"] })
    await world.addEndpoint("https://d.example/", { status: "disabled" })
    const id = await world.publish({ text: "é\u{1f600}\u2028" })
    await world.run()

    expect(world.posts.map(({ url }) => url).sort()).toEqual([A, B])
    for (const { url, headers, body } of world.posts) {
      expect(headers).toMatchObject({
        "content-type": "application/json",
        "user-agent": expect.stringMatching(/^Sealway-Webhooks\/\d/),
        "webhook-id": id,
      })
      expect(JSON.parse(String(body))).toEqual({
        id,
        type: "relay.error",
        data: { text: "é\u{1f600}\u2028" },
      })
      const signed = new Webhook((url === A ? a : b).secret).sign(
        id,
        new Date(world.posts[0]?.atMs ?? 0),
        String(body),
      )
      expect(headers["webhook-signature"]).toBe(signed)
    }
    expect(await world.event(id)).toMatchObject({ status: "delivered" })
    expect(await world.delivery(id, a.endpoint.id)).toMatchObject({
      status: "delivered",
      attempts: 1,
      nextAttemptAt: null,
      claimedUntil: null,
      lastStatusCode: 200,
      lastFailure: null,
    })
    expect(world.isNamedPending(id)).toBe(false)
    expect(world.messages).toEqual([])
    expect(world.deadLetters).toEqual([])
  })

  test("ends immediately when no endpoint subscribes to it", async () => {
    const world = await createWorld()
    const id = await world.publish()
    await world.run()
    expect(await world.event(id)).toMatchObject({ status: "delivered" })
    expect(world.isNamedPending(id)).toBe(false)
  })

  test("is tried 8 times over about 10 hours, with the same webhook-id, and then becomes a dead letter", async () => {
    const world = await createWorld()
    const { endpoint } = await world.addEndpoint(A)
    world.setReplies(A, 500, "timeout", 302, "unreachable", 404, 429, "destination-refused", 503)
    const id = await world.publish()
    await world.run()

    const first = world.posts[0]?.atMs ?? 0
    expect(world.posts.map(({ atMs }) => Math.round((atMs - first) / SECOND_MS))).toEqual([
      0, 10, 70, 370, 2170, 7570, 18_370, 36_370,
    ])
    expect(new Set(world.posts.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([id]))
    expect(await world.delivery(id, endpoint.id)).toMatchObject({
      status: "failed",
      attempts: 8,
      nextAttemptAt: null,
      lastStatusCode: 503,
      lastFailure: "status-code",
    })
    expect(await world.event(id)).toMatchObject({ status: "failed" })
    expect(world.isNamedPending(id)).toBe(false)
    expect(world.deadLetters).toEqual([{ appId: APP.id, eventId: id, endpointId: endpoint.id }])
    expect(world.messages).toEqual([])
  })

  test("does not wait for other endpoints, and has failed as a whole when one of them failed", async () => {
    const world = await createWorld()
    await world.addEndpoint(A)
    const b = await world.addEndpoint(B)
    world.setReplies(A, ...EIGHT_FAILURES)
    const id = await world.publish()
    await world.run(SECOND_MS)
    expect(await world.delivery(id, b.endpoint.id)).toMatchObject({ status: "delivered" })
    expect(await world.event(id)).toMatchObject({ status: "pending" })
    expect(world.isNamedPending(id)).toBe(true)
    await world.run()
    expect(world.posts.filter(({ url }) => url === B)).toHaveLength(1)
    expect(await world.event(id)).toMatchObject({ status: "failed" })
  })

  test("waits as long as Retry-After says, up to two hours", async () => {
    const world = await createWorld()
    await world.addEndpoint(A)
    world.setReplies(
      A,
      { status: 503, retryAfter: "600" },
      { status: 503, retryAfter: "999999" },
      { status: 429, retryAfter: "1" },
    )
    await world.publish()
    await world.run()
    const waits = world.posts.slice(1).map(({ atMs }, index) => atMs - (world.posts[index]?.atMs ?? 0))
    expect(waits).toEqual([600 * SECOND_MS, 2 * HOUR_MS, 300 * SECOND_MS])
  })

  test("uses the endpoint's URL and secrets at the time of each attempt", async () => {
    const world = await createWorld()
    const { endpoint } = await world.addEndpoint(A)
    world.setReplies(A, 500)
    await world.publish()
    await world.run(SECOND_MS)
    const key = { pk: `app#${APP.id}`, sk: `webhook-endpoint#${endpoint.id}` }
    const [secret] = endpoint.secrets
    if (secret === undefined) throw new Error("An endpoint has a secret")
    const expired = { ...secret, expiresAt: world.now() }
    const leaving = { ...secret, expiresAt: world.now() + HOUR_MS }
    await world.configTable.put(key, { ...endpoint, url: B, secrets: [secret, leaving, expired] })
    await world.run()
    expect(world.posts.map(({ url }) => url)).toEqual([A, B])
    expect(world.posts[1]?.headers["webhook-signature"]).toMatch(/^v1,[^ ]+ v1,[^ ]+$/)
  })

  test.each(["disabled", "removed"] as const)(
    "ends, without failing, when its endpoint is %s",
    async (how) => {
      const world = await createWorld()
      const { endpoint } = await world.addEndpoint(A)
      world.setReplies(A, 500)
      const id = await world.publish()
      await world.run(SECOND_MS)
      const key = { pk: `app#${APP.id}`, sk: `webhook-endpoint#${endpoint.id}` }
      if (how === "removed") await world.configTable.remove(key, 1)
      else await world.configTable.replace(key, { ...endpoint, status: "disabled" }, 1)
      await world.run()
      expect(world.posts).toHaveLength(1)
      expect(await world.delivery(id, endpoint.id)).toMatchObject({ status: "cancelled", attempts: 1 })
      expect(await world.event(id)).toMatchObject({ status: "delivered" })
      expect(world.deadLetters).toEqual([])
    },
  )

  test("disables an endpoint that answers 410, with an audit record, and fails without another attempt", async () => {
    const world = await createWorld()
    const { endpoint } = await world.addEndpoint(A)
    world.setReplies(A, 410)
    const id = await world.publish()
    await world.run()
    expect(world.posts).toHaveLength(1)
    expect(await world.endpoint(endpoint.id)).toMatchObject({ status: "disabled" })
    expect(await world.delivery(id, endpoint.id)).toMatchObject({ status: "failed", lastStatusCode: 410 })
    expect(world.deadLetters).toHaveLength(1)
    expect(world.audited).toEqual([
      expect.objectContaining({
        action: "webhook-endpoint.disable",
        actor: { type: "system", id: "sealway" },
        target: { type: "webhook-endpoint", id: endpoint.id },
      }),
    ])
    await world.publish()
    await world.run()
    expect(world.posts).toHaveLength(1)
  })
})

describe("an event with a callback", () => {
  const CALLBACK_URL = "https://callback.example/done"

  test("is posted there in addition to subscribed endpoints, signed with the secrets of the app's newest keys", async () => {
    const world = await createWorld()
    await world.addEndpoint(A)
    const id = await world.publish({ a: 1 }, CALLBACK_URL)
    const older = callbackSecret(await world.dependencies.keyring.newest(APP, "secret"))
    await world.dependencies.keyring.addVersion(APP)
    const newer = callbackSecret(await world.dependencies.keyring.newest(APP, "secret"))
    await world.run()
    expect(world.posts.map(({ url }) => url).sort()).toEqual([A, CALLBACK_URL])
    const post = world.posts.find(({ url }) => url === CALLBACK_URL)
    const sign = (secret: string) =>
      new Webhook(secret).sign(id, new Date(post?.atMs ?? 0), String(post?.body))
    expect(post?.headers["webhook-signature"]).toBe(`${sign(newer)} ${sign(older)}`)
    expect(await world.event(id)).toMatchObject({ status: "delivered" })
  })

  test("is tried as often as elsewhere, and disables nothing on a 410", async () => {
    const world = await createWorld()
    world.setReplies(CALLBACK_URL, ...EIGHT_FAILURES)
    const id = await world.publish({ a: 1 }, CALLBACK_URL)
    await world.run()
    expect(world.posts).toHaveLength(8)
    expect(world.deadLetters).toEqual([{ appId: APP.id, eventId: id, endpointId: "callback" }])
    expect(await world.delivery(id, "callback")).toMatchObject({ status: "failed", attempts: 8 })

    world.setReplies(CALLBACK_URL, 410)
    const gone = await world.publish({ a: 1 }, CALLBACK_URL)
    await world.run()
    expect(await world.delivery(gone, "callback")).toMatchObject({ status: "failed", attempts: 1 })
    expect(world.audited).toEqual([])
  })
})

describe("a hanging receiver", () => {
  const OTHERS = 30
  const HELD = 130

  /** Creates events for a receiver that does not answer until it is told to, and for one that answers immediately. */
  async function hangingWorld() {
    const world = await createWorld()
    const held = Promise.withResolvers<void>()
    const { post } = world.dependencies.egress
    world.dependencies.egress.post = async (request) => {
      if (request.url !== A) return post(request)
      const answer = post(request)
      await held.promise
      return answer
    }
    const { endpoint } = await world.addEndpoint(A, { events: ["relay.error"] })
    const ids = await Promise.all(Array.from({ length: HELD }, () => world.publish()))
    return {
      world,
      endpoint,
      ids,
      held,
      sent: (url: string) => world.posts.filter((post) => post.url === url),
    }
  }

  test("gets as many requests as it has turns, blocks no one, and receives each event once in the end", async () => {
    const { world, endpoint, ids, held, sent } = await hangingWorld()
    const running = world.runConcurrently()
    await vi.waitFor(() => expect(sent(A)).toHaveLength(20))
    await world.addEndpoint(B, { events: ["relay.error"] })
    await world.configTable.put(
      { pk: `app#${APP.id}`, sk: `webhook-endpoint#${endpoint.id}` },
      { ...endpoint, events: ["payments.*"], revision: 2 },
    )
    const others = await Promise.all(Array.from({ length: OTHERS }, () => world.publish()))
    await vi.waitFor(() => expect(sent(B)).toHaveLength(OTHERS))
    expect(sent(A)).toHaveLength(20)
    // Those that found no room to wait in the process: nothing was tried, and they are due later.
    const later = world.messages.filter(
      ({ visibleAtMs, receives }) => visibleAtMs > world.now() && receives === 0,
    )
    expect(later).toHaveLength(HELD - 20 - 100)
    for (const { body } of later) {
      const { eventId } = JSON.parse(body)
      expect(await world.delivery(eventId, endpoint.id)).toMatchObject({
        attempts: 0,
        claimedUntil: null,
        nextAttemptAt: world.now() + 3 * SECOND_MS,
      })
    }
    held.resolve()
    await running()
    await world.run()
    expect(sent(A)).toHaveLength(HELD)
    expect(sent(B)).toHaveLength(OTHERS)
    for (const id of [...ids, ...others]) expect(await world.event(id)).toMatchObject({ status: "delivered" })
    expect(await world.delivery(ids[HELD - 1] ?? "", endpoint.id)).toMatchObject({ attempts: 1 })
    expect([world.messages, world.deadLetters]).toEqual([[], []])
  })
})

describe("a queue message", () => {
  test("that comes twice at the same time makes one attempt", async () => {
    const world = await createWorld()
    const { endpoint } = await world.addEndpoint(A)
    world.setReplies(A, 500)
    const id = await world.publish()
    await world.dependencies.queues.send("events", { appId: APP.id, eventId: id })
    await world.run(SECOND_MS)
    expect(world.posts).toHaveLength(1)
    await world.run()
    expect(world.posts).toHaveLength(2)
    expect(await world.delivery(id, endpoint.id)).toMatchObject({ status: "delivered", attempts: 2 })
    expect(world.messages).toEqual([])
  })

  test("for a finished event does nothing", async () => {
    const world = await createWorld()
    const { endpoint } = await world.addEndpoint(A)
    const id = await world.publish()
    await world.run()
    await world.dependencies.queues.send("events", { appId: APP.id, eventId: id })
    const place = { appId: APP.id, eventId: id, endpointId: endpoint.id }
    for (const attempt of [1, 2, 8, 9]) await world.dependencies.queues.send("events", { ...place, attempt })
    await world.run()
    expect(world.posts).toHaveLength(1)
    expect(world.messages).toEqual([])
  })

  test("for an event, app or endpoint that does not exist does nothing", async () => {
    const world = await createWorld()
    const places = [
      { appId: APP.id, eventId: "webhook_event_0" },
      { appId: "app_2", eventId: "webhook_event_0", endpointId: "webhook_endpoint_0", attempt: 1 },
    ]
    for (const place of places) await world.dependencies.queues.send("events", place)
    await world.run()
    expect(world.messages).toEqual([])
    expect(world.logged).toEqual([])
  })

  test.each(["", "null", "{}", '{"appId":1,"eventId":2}', "[]"])(
    "that is malformed is reported as failed: '%s'",
    async (body) => {
      const world = await createWorld()
      world.addMessage(body)
      await world.run(SECOND_MS)
      expect(world.messages).toMatchObject([{ body, receives: 1 }])
      expect(world.logged).toHaveLength(1)
    },
  )
})
