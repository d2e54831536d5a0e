import { RANDOM_DRAWS } from "@sealway/ports"
import fc from "fast-check"
import { Webhook, WebhookVerificationError } from "standardwebhooks"
import { describe, expect, test } from "vitest"
import { generateSecret } from "./secret.ts"
import { eventBody, signatureHeaders, verifySignature } from "./sign-event.ts"

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

describe("a signed message", () => {
  const NOW_MS = 1_795_000_000_000
  const [secret, earlier] = [generateSecret(RANDOM_DRAWS), generateSecret(RANDOM_DRAWS)]
  const sign = (id: string, body: string, sentAtMs = NOW_MS) => {
    const headers = signatureHeaders(id, body, [secret], sentAtMs)
    const { "webhook-timestamp": timestamp = "", "webhook-signature": signature = "" } = headers
    return { id, timestamp, signature, body: Buffer.from(body) }
  }
  const isAccepted = (message: ReturnType<typeof sign>) => verifySignature(message, [earlier, secret], NOW_MS)

  test("is accepted with any of the secrets", () => {
    expect(isAccepted(sign("msg_p5jXN8AQM9LWM0D4loKWxJek", "{}"))).toBe(true)
    expect(isAccepted(sign("!~", "{}"))).toBe(true)
    expect(verifySignature(sign("msg_1", "{}"), [earlier], NOW_MS)).toBe(false)
  })

  test("is refused when an id with a dot splits what was signed elsewhere", () => {
    const signed = sign("msg_1", `${NOW_MS / 1000}.{}`, 1_000)
    const shifted = { ...signed, id: "msg_1.1", timestamp: String(NOW_MS / 1000), body: Buffer.from("{}") }
    // The library alone takes it: both are the same text.
    expect(new Webhook(secret).sign(shifted.id, new Date(NOW_MS), "{}")).toBe(signed.signature)
    expect(isAccepted(shifted)).toBe(false)
  })

  test.each(["", ".", "msg_1.", "a b", "msg\n", "é", "a".repeat(257)])(
    "is refused with the id %j, even if that is signed",
    (id) => {
      expect(isAccepted(sign(id, "{}"))).toBe(false)
    },
  )

  test("is refused more than five minutes off", () => {
    for (const offset of [-301_000, 301_000])
      expect(isAccepted(sign("msg_1", "{}", NOW_MS + offset))).toBe(false)
    for (const offset of [-300_000, 300_000])
      expect(isAccepted(sign("msg_1", "{}", NOW_MS + offset))).toBe(true)
  })
})
