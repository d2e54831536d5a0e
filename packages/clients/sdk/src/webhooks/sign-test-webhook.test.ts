import { Webhook } from "standardwebhooks"
import { describe, expect, test } from "vitest"
import { signTestWebhook } from "./sign-test-webhook.ts"
import { verifyWebhook } from "./verify-webhook.ts"

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const EVENT = { id: "webhook_event_1", type: "relay.error", data: {} }
const BODY = JSON.stringify(EVENT)

describe("a webhook that is signed for a test", () => {
  test.each<[string, string | Uint8Array]>([
    ["text", BODY],
    ["bytes", new TextEncoder().encode(BODY)],
  ])("is verified like one of Sealway's: %s", async (_what, body) => {
    const headers = await signTestWebhook(body, SECRET)
    expect(await verifyWebhook(body, headers, SECRET)).toEqual(EVENT)
    expect(new Webhook(SECRET).verify(BODY, { ...headers })).toEqual(EVENT)
  })

  test("has the id and the time that a test asks for", async () => {
    const now = () => 1_700_000_000_999
    const headers = await signTestWebhook(BODY, SECRET, { id: "webhook_event_2", now })
    expect(headers).toMatchObject({ "webhook-id": "webhook_event_2", "webhook-timestamp": "1700000000" })
    await expect(verifyWebhook(BODY, headers, SECRET)).rejects.toMatchObject({ code: "invalid-signature" })
    expect(await verifyWebhook(BODY, headers, SECRET, { now })).toEqual(EVENT)
  })

  test("is refused by the receiver after its body has changed", async () => {
    const headers = await signTestWebhook(BODY, SECRET)
    const changed = verifyWebhook(`${BODY} `, headers, SECRET)
    await expect(changed).rejects.toMatchObject({ code: "invalid-signature" })
  })

  test("needs a secret of an endpoint: TypeError", async () => {
    await expect(signTestWebhook(BODY, "whsec_short")).rejects.toThrow(TypeError)
  })
})
