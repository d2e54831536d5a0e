import { once } from "node:events"
import { PassThrough, Readable, type Writable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { describe, expect, test } from "vitest"
import type { InboundRequest, OutboundReply } from "../exchange.ts"
import { type LambdaStreaming, lambdaStreamingOf, type ReplyHead } from "./lambda-streaming.ts"
import { createRelayFunction } from "./relay-function.ts"

const SECRET = "s".repeat(32)

/**
 * Imitates the streams of Lambda's runtime: the head is sent before the first write, and nothing of an answer is
 * visible before.
 */
function lambdaRuntime() {
  const heads: ReplyHead[] = []
  const streaming: LambdaStreaming = {
    streamifyResponse: (handler) => handler,
    HttpResponseStream: {
      from(output: Writable, head: ReplyHead) {
        const write = output.write.bind(output)
        let isBegun = false
        output.write = (...args: unknown[]) => {
          if (!isBegun) heads.push(head)
          isBegun = true
          return Reflect.apply(write, output, args)
        }
        return output
      },
    },
  }
  return { streaming, heads }
}

interface Options {
  readonly reply?: Partial<OutboundReply>
  readonly event?: object
  readonly settle?: () => Promise<void>
}

const EVENT = {
  version: "2.0",
  routeKey: "$default",
  rawPath: "/a",
  rawQueryString: "",
  headers: {
    "x-relay-origin-secret": SECRET,
    "x-forwarded-host": "a.app-1.relay.example.com",
    "x-relay-viewer-ip": "203.0.113.9",
    "x-own": "1,2",
  },
  requestContext: {
    domainName: "abc.lambda-url.us-east-1.on.aws",
    http: { method: "POST", sourceIp: "192.0.2.1" },
  },
  isBase64Encoded: false,
}

async function call({ reply = {}, event = {}, settle = async () => {} }: Options = {}) {
  const asked: InboundRequest[] = []
  const warnings: string[] = []
  const { streaming, heads } = lambdaRuntime()
  const handler = createRelayFunction({
    streaming,
    settle,
    originSecret: SECRET,
    maxBodyBytes: 10,
    log: { warn: (message) => warnings.push(message) },
    handler: async (request) => {
      asked.push(request)
      return { status: 200, statusMessage: null, rawHeaders: [], body: null, trailers: () => [], ...reply }
    },
  })
  const output = new PassThrough()
  const received = buffer(output).catch((error: Error) => error)
  const outcome = await handler({ ...EVENT, ...event }, output, {}).then(
    () => null,
    (error: Error) => error,
  )
  // Lambda's runtime ends the answer of a failed invocation.
  if (outcome !== null) output.destroy()
  return { asked, warnings, heads, outcome, received: await received, head: heads[0] }
}

describe("a request", () => {
  test("reaches the handler with its body bytes, its target, and the caller from CloudFront's headers", async () => {
    const bytes = Buffer.from([0, 255, 1])
    const { asked } = await call({
      event: {
        rawPath: "/p%2Fq",
        rawQueryString: "b=2&a=1",
        body: bytes.toString("base64"),
        isBase64Encoded: true,
      },
    })
    expect(asked[0]).toMatchObject({
      mode: "reverse",
      method: "POST",
      target: "/p%2Fq?b=2&a=1",
      host: "a.app-1.relay.example.com",
      ip: "203.0.113.9",
      contentLength: 3,
      rawHeaders: ["x-own", "1,2"],
      body: bytes,
    })
  })

  test("with a text body has its UTF-8 bytes, and one without a body has none", async () => {
    const { asked } = await call({ event: { body: "é" } })
    expect(asked[0]?.body).toEqual(Buffer.from("é"))
    expect((await call()).asked[0]).toMatchObject({ body: null, contentLength: null })
  })

  test("has its cookies in one header, once", async () => {
    const cookies = ["a=1", "b=2"]
    const headersOf = async (event: object) => (await call({ event })).asked[0]?.rawHeaders
    expect(await headersOf({ cookies })).toEqual(["x-own", "1,2", "cookie", "a=1; b=2"])
    const headers = { ...EVENT.headers, cookie: "a=1; b=2" }
    expect(await headersOf({ cookies, headers })).toEqual(["x-own", "1,2", "cookie", "a=1; b=2"])
  })

  test("without the origin secret is refused with forbidden, and reaches no handler", async () => {
    const { asked, head, received } = await call({ event: { headers: { "x-forwarded-host": "a" } } })
    expect(asked).toEqual([])
    expect(head).toMatchObject({ statusCode: 403, headers: { "content-type": "application/problem+json" } })
    expect(JSON.parse(String(received))).toMatchObject({ code: "forbidden", status: 403 })
  })

  test("of the maximum size is accepted, and with one byte more reaches its handler as refused with payload-too-large", async () => {
    const { asked } = await call({ event: { body: "x".repeat(10) } })
    expect(asked).toMatchObject([{ refusal: null, contentLength: 10 }])
    const { asked: larger } = await call({ event: { body: "x".repeat(11) } })
    expect(larger).toMatchObject([
      { refusal: { code: "payload-too-large" }, body: null, contentLength: null },
    ])
  })

  test("that is not a function URL's fails the invocation", async () => {
    expect((await call({ event: { version: "1.0" } })).outcome).toBeInstanceOf(Error)
  })
})

describe("an answer", () => {
  test("starts with its status and headers: cookies separate, equal names joined, framing left to Lambda", async () => {
    const rawHeaders = [
      "Set-Cookie",
      "a=1",
      "X-A",
      "1",
      "x-a",
      "2",
      "Set-Cookie",
      "b=2",
      "Transfer-Encoding",
      "chunked",
    ]
    const { head } = await call({ reply: { status: 418, rawHeaders } })
    expect(head).toEqual({ statusCode: 418, headers: { "x-a": "1, 2" }, cookies: ["a=1", "b=2"] })
  })

  test("of bytes has their length, whatever the destination's was", async () => {
    const { head, received } = await call({
      reply: { body: Buffer.from("12345"), rawHeaders: ["Content-Length", "3"] },
    })
    expect(head?.headers).toEqual({ "content-length": "5" })
    expect(String(received)).toBe("12345")
  })

  test.each([
    ["without a body", null],
    ["of an empty stream", Readable.from([])],
    ["of no bytes", Buffer.alloc(0)],
  ])("%s still has its head", async (_name, body) => {
    const { heads, received, outcome } = await call({ reply: { status: 204, body } })
    expect(outcome).toBeNull()
    expect(heads.length).toBe(1)
    expect(received).toEqual(Buffer.alloc(0))
  })

  test("that is a stream starts before it has ended", async () => {
    const body = new PassThrough()
    const { streaming, heads } = lambdaRuntime()
    const handler = createRelayFunction({
      streaming,
      originSecret: SECRET,
      maxBodyBytes: 10,
      settle: async () => {},
      log: { warn: () => {} },
      handler: async () => ({ status: 200, statusMessage: null, rawHeaders: [], body, trailers: () => [] }),
    })
    const output = new PassThrough()
    const done = handler(EVENT, output, {})
    body.write("first")
    const [chunk] = await once(output, "data")
    expect([heads.length, String(chunk)]).toEqual([1, "first"])
    body.end()
    await done
  })

  test("that breaks off fails the invocation, so that it does not look complete", async () => {
    const body = Readable.from(
      (async function* () {
        yield "half"
        throw new Error("the destination went away")
      })(),
    )
    const { outcome, received } = await call({ reply: { body } })
    expect(outcome).toMatchObject({ message: "the destination went away" })
    expect(received).toBeInstanceOf(Error)
  })
})

describe("an invocation", () => {
  test("ends when its background work has ended, even after an answer that broke off", async () => {
    const settled: string[] = []
    const settle = async () => {
      settled.push("settled")
    }
    await call({ settle })
    const body = Readable.from(
      (async function* () {
        throw new Error("broken")
        // biome-ignore lint/correctness/noUnreachable: It makes this a generator.
        yield ""
      })(),
    )
    expect((await call({ settle, reply: { body } })).outcome).toMatchObject({ message: "broken" })
    expect(settled.length).toBe(2)
  })

  test("answers even if that work fails, and logs it", async () => {
    const { outcome, warnings, head } = await call({ settle: () => Promise.reject(new Error("throttled")) })
    expect([outcome, warnings.length, head?.statusCode]).toEqual([null, 1, 200])
  })

  test("tells the handler when its caller has left", async () => {
    const { asked } = await call()
    expect(asked[0]?.signal.aborted).toBe(true)
  })
})

describe("streaming in Lambda's runtime", () => {
  test("is found among the globals, and throws an error when it is missing", () => {
    const { streaming } = lambdaRuntime()
    expect(lambdaStreamingOf({ awslambda: streaming })).toBe(streaming)
    for (const globals of [{}, { awslambda: null }, { awslambda: { streamifyResponse: 1 } }]) {
      expect(() => lambdaStreamingOf(globals)).toThrow("no response streaming")
    }
  })
})
