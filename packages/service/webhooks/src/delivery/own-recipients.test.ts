import { TEST_APP as APP } from "@sealway/accounts/testing"
import { callbackSecret } from "@sealway/keys"
import { Webhook } from "standardwebhooks"
import { describe, expect, test } from "vitest"
import { replayEvent } from "../events/replay-event.ts"
import { createWorld } from "../testing/world.ts"

const ENDPOINT = "https://endpoint.example/"
const A = "https://a.example/hook"
const B = "https://b.example/chat"
const ALERT = { id: "relay_alert_a", recordKey: "relay-alert#relay_1#relay_alert_a", body: { flat: "é" } }
const CHAT = { id: "relay_alert_b", recordKey: "relay-alert#relay_1#relay_alert_b", body: { text: "Oh" } }
const AUTHOR = { actor: { type: "api-key", id: "key_1" }, ip: "1.1.1.1", requestId: "r" } as const
const EIGHT_FAILURES = Array.from({ length: 8 }, () => 500)

describe("an event with its own recipients", () => {
  test("sends each its own body, signed with the app's callback secret, and endpoints theirs", async () => {
    const world = await createWorld()
    await world.addEndpoint(ENDPOINT)
    await world.placeRecipient(ALERT, A)
    await world.placeRecipient(CHAT, B)
    const id = await world.publish({ a: 1 }, null, { recipients: [ALERT, CHAT] })
    await world.run()

    const bodyAt = (url: string) =>
      world.posts.filter((post) => post.url === url).map(({ body }) => String(body))
    expect(bodyAt(A)).toEqual(['{"flat":"\\u00e9"}'])
    expect(bodyAt(B)).toEqual(['{"text":"Oh"}'])
    expect(bodyAt(ENDPOINT)).toEqual([`{"id":"${id}","type":"relay.error","data":{"a":1}}`])
    const secret = callbackSecret(await world.dependencies.keyring.newest(APP, "secret"))
    for (const { headers, body, atMs } of world.posts.filter(({ url }) => url !== ENDPOINT)) {
      expect(headers["webhook-id"]).toBe(id)
      expect(headers["webhook-signature"]).toBe(new Webhook(secret).sign(id, new Date(atMs), String(body)))
    }
    expect(await world.event(id)).toMatchObject({ status: "delivered" })
    expect(world.isNamedPending(id)).toBe(false)
  })

  test("is only sent to them when endpoints are excluded", async () => {
    const world = await createWorld()
    await world.addEndpoint(ENDPOINT)
    await world.placeRecipient(ALERT, A)
    await world.publish({}, null, { recipients: [ALERT], toEndpoints: false })
    await world.run()
    expect(world.posts.map(({ url }) => url)).toEqual([A])
  })

  test("follows a recipient to a new URL, and ends when the recipient is gone", async () => {
    const world = await createWorld()
    await world.placeRecipient(ALERT, A)
    world.setReplies(A, 500)
    world.setReplies(B, 500)
    const id = await world.publish({}, null, { recipients: [ALERT] })
    await world.run(5_000)
    await world.placeRecipient(ALERT, B)
    await world.run(20_000)
    await world.placeRecipient(ALERT, null)
    await world.run()
    expect(world.posts.map(({ url }) => url)).toEqual([A, B])
    expect(await world.delivery(id, ALERT.id)).toMatchObject({ status: "cancelled" })
    expect(await world.event(id)).toMatchObject({ status: "delivered" })
  })

  test("is replayed to the recipient where it failed", async () => {
    const world = await createWorld()
    await world.placeRecipient(ALERT, A)
    await world.placeRecipient(CHAT, B)
    world.setReplies(A, ...EIGHT_FAILURES)
    const id = await world.publish({}, null, { recipients: [ALERT, CHAT] })
    await world.run()
    expect(world.deadLetters).toEqual([{ appId: APP.id, eventId: id, endpointId: ALERT.id }])
    const events = { forget: () => undefined, publish: async () => undefined }
    const dependencies = { ...world.dependencies, events, allowPrivateDestinations: false }
    await replayEvent(dependencies, APP, id, null, AUTHOR)
    await world.run()
    await replayEvent(dependencies, APP, id, CHAT.id, AUTHOR)
    await world.run()
    expect(world.posts.slice(-2).map(({ url }) => url)).toEqual([A, B])
    await expect(replayEvent(dependencies, APP, id, "relay_alert_c", AUTHOR)).rejects.toMatchObject({
      code: "not-found",
    })
  })
})
