import type { RawHeaders } from "@sealway/kernel"
import { describe, expect, test } from "vitest"
import type { InboundRequest, OutboundReply } from "../exchange.ts"
import { behindCloudFront } from "./behind-cloudfront.ts"

const SECRET = "s".repeat(32)
const TOLD = [
  "x-relay-origin-secret",
  SECRET,
  "X-Forwarded-Host",
  "A.app-1.relay.example.com",
  "x-relay-viewer-ip",
  "203.0.113.9",
  "x-relay-target",
  "/a%2Fb?c",
]
const OK: OutboundReply = { status: 200, statusMessage: null, rawHeaders: [], body: null, trailers: () => [] }

function request(rawHeaders: RawHeaders): InboundRequest {
  return {
    id: "1",
    mode: "reverse",
    method: "POST",
    target: "/a/b?c",
    scheme: "http",
    host: "origin.relay.example.com",
    port: null,
    rawHeaders,
    body: null,
    contentLength: null,
    refusal: null,
    trailers: () => [],
    ip: "192.0.2.1",
    signal: new AbortController().signal,
    credentials: null,
  }
}

/** Returns what the handler receives, null when it is not called; and the code of a refusal. */
async function ask(rawHeaders: RawHeaders) {
  let asked: InboundRequest | null = null
  const handler = behindCloudFront(async (each) => {
    asked = each
    return OK
  }, SECRET)
  const { status, body } = await handler(request(rawHeaders))
  const problem: unknown = Buffer.isBuffer(body) ? JSON.parse(body.toString()) : null
  return { asked: asked as InboundRequest | null, status, problem }
}

const without = (name: string) => {
  const at = TOLD.findIndex((each) => each.toLowerCase() === name)
  return TOLD.toSpliced(at, 2)
}
const withValue = (name: string, value: string) => [...without(name), name, value]

describe("behind CloudFront", () => {
  test("takes host, target and address of a request from CloudFront's headers", async () => {
    const { asked } = await ask([...TOLD, "Content-Type", "text/plain"])
    expect(asked).toMatchObject({
      scheme: "https",
      host: "a.app-1.relay.example.com",
      port: null,
      ip: "203.0.113.9",
      target: "/a%2Fb?c",
      method: "POST",
    })
  })

  test("removes everything that the edge adds, above all the secret, and forwards the rest unchanged", async () => {
    const added = [
      "X-Forwarded-For",
      "1.1.1.1",
      "CloudFront-Viewer-Country",
      "IE",
      "X-Amz-Cf-Id",
      "i",
      "x-amzn-trace-id",
      "t",
    ]
    const own = ["X-Own", "1", "x-own", "2", "Via", "2.0 x.cloudfront.net (CloudFront)"]
    const { asked } = await ask([...TOLD, ...added, ...own])
    expect(asked?.rawHeaders).toEqual(own)
  })

  test.each([
    ["no secret", without("x-relay-origin-secret")],
    ["another secret", withValue("x-relay-origin-secret", "t".repeat(32))],
    ["a part of the secret", withValue("x-relay-origin-secret", SECRET.slice(1))],
    ["an empty secret", withValue("x-relay-origin-secret", "")],
    ["the secret twice", [...TOLD, "X-Relay-Origin-Secret", SECRET]],
    ["the secret beside another", [...TOLD, "x-relay-origin-secret", "other"]],
  ])(
    "refuses a request with %s with forbidden, and trusts none of its headers",
    async (_name, rawHeaders) => {
      const { asked, status, problem } = await ask(rawHeaders)
      expect(asked).toBeNull()
      expect(status).toBe(403)
      expect(problem).toMatchObject({ code: "forbidden" })
    },
  )

  test.each([
    ["no host", without("x-forwarded-host")],
    ["an empty host", withValue("x-forwarded-host", "")],
    ["two hosts", [...TOLD, "x-forwarded-host", "b"]],
    ["a host with a path", withValue("x-forwarded-host", "a/b")],
    ["a host with a user", withValue("x-forwarded-host", "a@b")],
    ["a host that is too long", withValue("x-forwarded-host", "a".repeat(261))],
  ])("refuses a request with %s with no-hostname-in-request", async (_name, rawHeaders) => {
    const { asked, problem } = await ask(rawHeaders)
    expect(asked).toBeNull()
    expect(problem).toMatchObject({ code: "no-hostname-in-request" })
  })

  test.each([
    ["no address", without("x-relay-viewer-ip")],
    ["an address that is none", withValue("x-relay-viewer-ip", "203.0.113.9:443")],
  ])(
    "does not take CloudFront's own address for the caller of a request with %s",
    async (_name, rawHeaders) => {
      const { asked, problem } = await ask(rawHeaders)
      expect(asked).toBeNull()
      expect(problem).toMatchObject({ code: "internal-server-error" })
    },
  )

  test("separates a port from the host, and recognises an IPv6 address", async () => {
    const headers = withValue("x-forwarded-host", "b.example.com:8443").map((each) =>
      each === "203.0.113.9" ? "2001:db8::1" : each,
    )
    expect((await ask(headers)).asked).toMatchObject({ host: "b.example.com", port: 8443, ip: "2001:db8::1" })
  })

  test("ignores a forwarded target that is not a path", async () => {
    expect((await ask(withValue("x-relay-target", "http://x/"))).asked?.target).toBe("/a/b?c")
    expect((await ask(without("x-relay-target"))).asked?.target).toBe("/a/b?c")
  })

  test.each(["/a b", "/a#b", "/\xe9", "/a\tb"])(
    "refuses the target '%s', which is not valid in a URL, with bad-request",
    async (target) => {
      const { asked } = await ask(withValue("x-relay-target", target))
      expect(asked).toMatchObject({
        host: "a.app-1.relay.example.com",
        body: null,
        refusal: { code: "bad-request" },
      })
    },
  )

  test("refuses a WebSocket with upgrade-not-supported, once its relay is known", async () => {
    const { asked } = await ask([...TOLD, "Upgrade", "websocket"])
    expect(asked).toMatchObject({
      host: "a.app-1.relay.example.com",
      refusal: { code: "upgrade-not-supported" },
    })
  })

  test("refuses to start with a secret that could be guessed", () => {
    expect(() => behindCloudFront(async () => OK, "short")).toThrow("shorter than 32")
  })
})
