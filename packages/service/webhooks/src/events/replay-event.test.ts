import { TEST_APP as APP } from "@sealway/accounts/testing"
import { describe, expect, test } from "vitest"
import { createWorld } from "../testing/world.ts"
import { replayEvent } from "./replay-event.ts"

const A = "https://a.example/"
const B = "https://b.example/"
const AUTHOR = { actor: { type: "api-key", id: "key_1" }, ip: "1.1.1.1", requestId: "r" } as const
const EIGHT_FAILURES = Array.from({ length: 8 }, () => 500)

describe("a failed event", () => {
  async function failedEvent() {
    const world = await createWorld()
    const a = await world.addEndpoint(A)
    const b = await world.addEndpoint(B)
    world.setReplies(A, ...EIGHT_FAILURES)
    const id = await world.publish()
    await world.run()
    const events = { forget: () => undefined, publish: async () => undefined }
    const dependencies = { ...world.dependencies, events, allowPrivateDestinations: false }
    return {
      world,
      a,
      b,
      id,
      replay: (endpoint: string | null) => replayEvent(dependencies, APP, id, endpoint, AUTHOR),
    }
  }

  test("is replayed to where it failed, with 8 new attempts and the same webhook-id", async () => {
    const { world, a, id, replay } = await failedEvent()
    world.setReplies(A, ...EIGHT_FAILURES)
    expect(await replay(null)).toMatchObject({ id, status: "pending" })
    expect(world.isNamedPending(id)).toBe(true)
    await world.run()
    expect(world.posts.filter(({ url }) => url === A)).toHaveLength(16)
    expect(world.posts.filter(({ url }) => url === B)).toHaveLength(1)
    expect(await world.event(id)).toMatchObject({ status: "failed" })
    expect(world.deadLetters).toHaveLength(2)

    await replay(a.endpoint.id)
    await world.run()
    expect(new Set(world.posts.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([id]))
    expect(await world.event(id)).toMatchObject({ status: "delivered", hasFailed: true })
    expect(world.isNamedPending(id)).toBe(false)
    await expect(replay(null)).rejects.toMatchObject({ code: "conflict" })
  })

  test("is replayed to one endpoint where it was already delivered, or was never sent", async () => {
    const { world, b, replay } = await failedEvent()
    const late = await world.addEndpoint("https://late.example/", { events: ["payments.*"] })
    await replay(b.endpoint.id)
    await replay(late.endpoint.id)
    await world.run()
    expect(
      world.posts
        .slice(-2)
        .map(({ url }) => url)
        .sort(),
    ).toEqual([B, "https://late.example/"])
  })

  test("is not replayed where it is in progress, or to an endpoint that is disabled or does not exist", async () => {
    const { world, a, replay } = await failedEvent()
    const off = await world.addEndpoint("https://off.example/", { status: "disabled" })
    await expect(replay(off.endpoint.id)).rejects.toMatchObject({ code: "conflict" })
    await expect(replay("webhook_endpoint_00000000000000000000000000")).rejects.toMatchObject({
      code: "not-found",
    })
    await expect(replay("app_1")).rejects.toMatchObject({ code: "not-found" })
    await replay(a.endpoint.id)
    await expect(replay(a.endpoint.id)).rejects.toMatchObject({ code: "conflict" })
    await expect(replay(null)).rejects.toMatchObject({ code: "conflict" })
  })

  test("is replayed to its callback, if it has one and that failed", async () => {
    const world = await createWorld()
    const url = "https://callback.example/"
    world.setReplies(url, ...EIGHT_FAILURES)
    const id = await world.publish({ a: 1 }, url)
    const without = await world.publish()
    await world.run()
    const events = { forget: () => undefined, publish: async () => undefined }
    const dependencies = { ...world.dependencies, events, allowPrivateDestinations: false }
    await replayEvent(dependencies, APP, id, null, AUTHOR)
    await world.run()
    expect(await world.delivery(id, "callback")).toMatchObject({ status: "delivered", attempts: 1 })
    await expect(replayEvent(dependencies, APP, without, "callback", AUTHOR)).rejects.toMatchObject({
      code: "not-found",
    })
  })
})
