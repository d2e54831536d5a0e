import { RANDOM_DRAWS } from "@sealway/platform"
import fc from "fast-check"
import { Webhook, WebhookVerificationError } from "standardwebhooks"
import { describe, expect, test } from "vitest"
import { generateSecret } from "./secret.ts"
import { eventBody, signatureHeaders } from "./sign-event.ts"

const EVENT = { id: "webhook_event_1", type: "relay.error", data: '{"a":1}' }

describe("an event body", () => {
  test("is {id, type, data}", () => {
    expect(eventBody(EVENT)).toBe('{"id":"webhook_event_1","type":"relay.error","data":{"a":1}}')
  })

  test("is ASCII, and equal to the data as JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const data = JSON.stringify(value)
        const body = eventBody({ ...EVENT, data })
        expect(body).toMatch(/^[\x20-\x7e]*$/)
        expect(JSON.parse(body)).toEqual({ ...EVENT, data: JSON.parse(data) })
      }),
    )
  })
})

describe("an event signature", () => {
  const body = eventBody(EVENT)

  test("is verified by the Standard Webhooks library with any of the secrets, and with no other", () => {
    const secrets = [generateSecret(RANDOM_DRAWS), generateSecret(RANDOM_DRAWS)]
    const headers = signatureHeaders(EVENT.id, body, secrets, Date.now())
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(body, { ...headers })).toEqual({ ...EVENT, data: { a: 1 } })
    }
    expect(() => new Webhook(generateSecret(RANDOM_DRAWS)).verify(body, { ...headers })).toThrow(
      WebhookVerificationError,
    )
  })

  test("does not match another body, id or time", () => {
    const secret = generateSecret(RANDOM_DRAWS)
    const headers = signatureHeaders(EVENT.id, body, [secret], Date.now())
    const verify = (text: string, changes: Record<string, string> = {}) =>
      new Webhook(secret).verify(text, { ...headers, ...changes })
    expect(() => verify(`${body} `)).toThrow(WebhookVerificationError)
    expect(() => verify(body, { "webhook-id": "webhook_event_2" })).toThrow(WebhookVerificationError)
    const later = String(Number(headers["webhook-timestamp"]) + 1)
    expect(() => verify(body, { "webhook-timestamp": later })).toThrow(WebhookVerificationError)
  })

  test("equals that of the example in the Standard Webhooks specification", () => {
    const headers = signatureHeaders(
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      '{"test": 2432232314}',
      ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
      1_614_265_330_999,
    )
    expect(headers).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    })
  })
})
