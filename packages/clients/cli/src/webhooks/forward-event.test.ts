import { describe, expect, test } from "vitest"
import type { HttpRequest, SendRequest } from "../terminal/send-request.ts"
import { forwardEvent, forwardingSecret, parseForwardUrl } from "./forward-event.ts"

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const EVENT = { id: "webhook_event_1", type: "relay.error", createdAt: 1, data: { text: "é", n: 1.5 } }
const NOW_MS = 1_614_265_330_000

async function forward(fetchIt: SendRequest, signal = new AbortController().signal) {
  return forwardEvent(
    { fetch: fetchIt, signal, wallClock: () => NOW_MS },
    "http://localhost:1/",
    EVENT,
    SECRET,
  )
}

describe("forwarding an event", () => {
  test("posts it signed at the time of the attempt, like the service", async () => {
    const requests: { url: string; init: HttpRequest }[] = []
    const outcome = await forward(async (url, init) => {
      requests.push({ url, init })
      return new Response(null, { status: 204 })
    })
    expect(outcome).toEqual({ status: 204 })
    expect(requests).toMatchObject([
      {
        url: "http://localhost:1/",
        init: {
          method: "POST",
          body: '{"id":"webhook_event_1","type":"relay.error","data":{"text":"\\u00e9","n":1.5}}',
          headers: {
            "content-type": "application/json",
            "webhook-id": "webhook_event_1",
            "webhook-timestamp": "1614265330",
            "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
          },
        },
      },
    ])
  })

  test.each([
    [Object.assign(new Error(), { code: "ECONNREFUSED" }), "refused"],
    [Object.assign(new Error(), { code: "ENOTFOUND" }), "unreachable"],
    [new DOMException("late", "TimeoutError"), "timeout"],
  ])("reports why there was no answer: %s", async (error, failure) => {
    expect(await forward(() => Promise.reject(error))).toEqual({ failure })
  })

  test("ends with the user's reason when the user gives up", async () => {
    const signal = AbortSignal.abort(130)
    await expect(forward(() => Promise.reject(new Error("aborted")), signal)).rejects.toBe(130)
  })
})

describe("the secret that signs forwarded events", () => {
  test("is derived from the API key, stays the same, and is not the key", () => {
    const secret = forwardingSecret({}, "swk_sandbox_a")
    expect(secret).toBe("whsec_YFLhezMClrgn1iT9VW0dDJ5/9KKC6BbTuqfNZUDiEcw=")
    expect(forwardingSecret({ SEALWAY_WEBHOOK_SECRET: "" }, "swk_sandbox_a")).toBe(secret)
    expect(forwardingSecret({}, "swk_sandbox_b")).not.toBe(secret)
  })

  test("is that of the environment if set", () => {
    expect(forwardingSecret({ SEALWAY_WEBHOOK_SECRET: SECRET }, "x")).toBe(SECRET)
  })

  test.each([
    "nonsense",
    "whsec_AAAA",
    "whsec_====",
    `whsec_${"A".repeat(200)}`,
    `${SECRET}\n`,
    `${SECRET}A`,
  ])("is refused with status 2, without repeating it, when it is invalid: %j", (text) => {
    expect(() => forwardingSecret({ SEALWAY_WEBHOOK_SECRET: text }, "x")).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.not.stringContaining(text) }),
    )
  })
})

describe("the address to forward to", () => {
  test.each(["http://localhost:3000/hooks?a=b", "https://10.0.0.1/x", "http://host.docker.internal:3000/"])(
    "can be %s",
    (text) => expect(parseForwardUrl(text)).toBe(text),
  )

  test.each([
    "",
    "3000",
    "localhost:3000",
    "ftp://a.example/",
    "http://user:secret-7f3a@a.example/",
    "http://a.example/#b",
  ])("is refused with status 2, without repeating it: %j", (text) => {
    expect(() => parseForwardUrl(text)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.not.stringContaining("secret-7f3a") }),
    )
  })
})
