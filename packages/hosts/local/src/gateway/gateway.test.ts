import { describe, expect, it } from "vitest"
import { API_GATEWAY_LIMITS } from "./limits.ts"
import { InvalidResultError } from "./proxy-result.ts"
import { HandlerTimeoutError } from "./request-server.ts"
import { acknowledge, startTestGateway } from "./testing/test-gateway.ts"

describe("the event of a request", () => {
  it("is complete in payload format 2.0", async () => {
    const { url, events } = await startTestGateway({
      routes: { "POST /teams/{team}/apps/{app}": acknowledge },
    })
    const response = await fetch(`${url}/teams/t%20one/apps/a-1?tag=a&tag=b&q=x+y`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Cookie: "a=1; b=2",
        "User-Agent": "test",
        "X-Forwarded-For": "203.0.113.9",
      },
      body: '{"name":"Zoë"}',
    })
    const [event] = events
    expect(event).toMatchObject({
      version: "2.0",
      routeKey: "POST /teams/{team}/apps/{app}",
      rawPath: "/teams/t one/apps/a-1",
      rawQueryString: "tag=a&tag=b&q=x+y",
      cookies: ["a=1", "b=2"],
      headers: { "content-type": "application/json", "x-forwarded-for": "203.0.113.9" },
      queryStringParameters: { tag: "a,b", q: "x y" },
      pathParameters: { team: "t one", app: "a-1" },
      requestContext: {
        accountId: "000000000000",
        apiId: "local",
        domainName: "localhost",
        domainPrefix: "localhost",
        http: {
          method: "POST",
          path: "/teams/t one/apps/a-1",
          protocol: "HTTP/1.1",
          sourceIp: "127.0.0.1",
          userAgent: "test",
        },
        requestId: response.headers.get("apigw-requestid"),
        routeKey: "POST /teams/{team}/apps/{app}",
        stage: "$default",
      },
      body: '{"name":"Zoë"}',
      isBase64Encoded: false,
    })
    expect(event?.headers.cookie).toBeUndefined()
    const { time, timeEpoch } = event?.requestContext ?? { time: "", timeEpoch: 0 }
    expect(Date.parse(time.replace(/^(\d+)\/(\w+)\/(\d+):/, "$1 $2 $3 "))).toBe(
      Math.floor(timeEpoch / 1000) * 1000,
    )
  })

  it("has no field without a value", async () => {
    const { url, events } = await startTestGateway({ routes: { "GET /keys": acknowledge } })
    await fetch(`${url}/keys`)
    expect(Object.keys(events[0] ?? {}).sort()).toEqual([
      "headers",
      "isBase64Encoded",
      "rawPath",
      "rawQueryString",
      "requestContext",
      "routeKey",
      "version",
    ])
    expect(events[0]).toMatchObject({ isBase64Encoded: false, rawQueryString: "" })
  })

  it("holds binary bodies in base64", async () => {
    const { url, events } = await startTestGateway()
    await fetch(`${url}/encrypt`, { method: "POST", body: new Uint8Array([0, 255]) })
    expect(events[0]).toMatchObject({ body: "AP8=", isBase64Encoded: true })
  })

  it("comes with the context of a Lambda invocation", async () => {
    const remaining: number[] = []
    const { url, events, contexts } = await startTestGateway({
      routes: {
        "POST /encrypt": async (_event, context) => {
          remaining.push(context.getRemainingTimeInMillis())
          return ""
        },
      },
    })
    await fetch(`${url}/encrypt`, { method: "POST" })
    await fetch(`${url}/encrypt`, { method: "POST" })
    expect(contexts[0]).toMatchObject({
      functionName: "post-function",
      functionVersion: "$LATEST",
      invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:post-function",
      memoryLimitInMB: "1024",
      logGroupName: "/aws/lambda/post-function",
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(contexts[0]?.awsRequestId).not.toBe(contexts[1]?.awsRequestId)
    expect(events[0]?.requestContext.requestId).not.toBe(events[1]?.requestContext.requestId)
    expect(remaining.every((left) => left > 0 && left <= API_GATEWAY_LIMITS.timeoutMs)).toBe(true)
  })

  it("comes with the sender of its connection's earlier requests, and of no other connection's", async () => {
    const { connect, contexts } = await startTestGateway()
    const [first, second] = [await connect(), await connect()]
    const request = "POST /encrypt HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
    for (const client of [first, first, second]) await client.send(request).response()
    const [sender, again, other] = contexts.map((context) => context.sender)
    expect(sender).toBeDefined()
    expect(again).toBe(sender)
    expect(other).not.toBe(sender)
  })
})

describe("the response of a handler", () => {
  it("is sent as described, including cookies", async () => {
    const { url } = await startTestGateway({
      routes: {
        "POST /encrypt": async () => ({
          statusCode: 201,
          headers: {
            "Content-Type": "application/json",
            "X-Count": 2,
            Connection: "close",
            "content-length": 999,
          },
          cookies: ["a=1; Path=/", "b=2"],
          body: '{"ok":true}',
        }),
      },
    })
    const response = await fetch(`${url}/encrypt`, { method: "POST" })
    expect(response.status).toBe(201)
    expect(await response.json()).toEqual({ ok: true })
    expect(response.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2"])
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(response.headers.get("x-count")).toBe("2")
    expect(response.headers.get("content-length")).toBe("11")
    expect(response.headers.get("connection")).toBe("keep-alive")
  })

  it("is sent as bytes when it is base64", async () => {
    const { url } = await startTestGateway({
      routes: { "GET /file": async () => ({ statusCode: 200, body: "AP8=", isBase64Encoded: true }) },
    })
    const response = await fetch(`${url}/file`)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array([0, 255]))
  })

  it("counts its length in bytes", async () => {
    const { url } = await startTestGateway({ routes: { "GET /name": async () => "Zoë" } })
    const response = await fetch(`${url}/name`)
    expect(response.headers.get("content-length")).toBe("4")
    expect(await response.text()).toBe("Zoë")
  })

  it("is JSON with status 200 when it has no statusCode", async () => {
    const { url } = await startTestGateway({
      routes: { "GET /a": async () => JSON.parse('{"message":"Hello"}') },
    })
    const response = await fetch(`${url}/a`)
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(await response.json()).toEqual({ message: "Hello" })
  })

  it.each([204, 304])("has neither body nor length with status %i", async (statusCode) => {
    const { connect } = await startTestGateway({
      routes: { "GET /a": async () => ({ statusCode, body: "must not be sent" }) },
    })
    const client = await connect()
    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
    const response = await client.response()
    expect(response?.statusCode).toBe(statusCode)
    expect(response?.headers.has("content-length")).toBe(false)
    expect((await client.response())?.statusCode).toBe(404)
  })

  it("is sent without its body, but with its length, when HEAD asked", async () => {
    const { connect } = await startTestGateway({
      routes: { "HEAD /a": async () => "body", "GET /a": async () => "" },
    })
    const client = await connect()
    client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    const response = await client.response({ toHead: true })
    expect(response?.statusCode).toBe(200)
    expect(response?.headers.get("content-length")).toEqual(["4"])
    expect((await client.response())?.statusCode).toBe(200)
  })
})

describe("the gateway's own refusal", () => {
  it("is the configured answer without a route, by the requested path", async () => {
    const asked: string[] = []
    const { url } = await startTestGateway({
      routes: { "POST /keys": acknowledge },
      answerUnknown(path) {
        asked.push(path)
        return { statusCode: 405, headers: { allow: "POST" }, body: "No" }
      },
    })
    const refused = await fetch(`${url}/keys?token=secret-marker`, { method: "DELETE" })
    expect([refused.status, refused.headers.get("allow"), await refused.text()]).toEqual([405, "POST", "No"])
    const head = await fetch(`${url}/nowhere`, { method: "HEAD" })
    expect([head.status, await head.text()]).toEqual([405, ""])
    expect(asked).toEqual(["/keys", "/nowhere"])
  })

  it.each([
    ["throws", async () => Promise.reject(new Error("secret-marker")), Error],
    [
      "throws before it returns a promise",
      () => {
        throw new Error("secret-marker")
      },
      Error,
    ],
    ["returns what is no response", async () => ({ statusCode: 1000 }), InvalidResultError],
    [
      "returns a header that HTTP cannot carry",
      async () => ({ statusCode: 200, headers: { a: "b\r\nc: d" } }),
      TypeError,
    ],
    ["returns a header outside Latin-1", async () => ({ statusCode: 200, headers: { a: "名" } }), TypeError],
    [
      "returns a header name that is none",
      async () => ({ statusCode: 200, headers: { "a b": "c" } }),
      TypeError,
    ],
    ["returns a cookie with a line break", async () => ({ statusCode: 200, cookies: ["a=1\nb"] }), TypeError],
  ] as const)("is internal-server-error when a handler %s", async (_, handler, errorType) => {
    const { url, errors } = await startTestGateway({ routes: { "GET /a": handler } })
    const response = await fetch(`${url}/a`)
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(JSON.parse(text)).toMatchObject({ code: "internal-server-error", status: 500 })
    expect(text).not.toContain("secret-marker")
    expect(errors).toEqual([{ error: expect.any(errorType), functionName: "get-function" }])
  })

  it("is service-unavailable when a handler takes too long, and its later answer is discarded", async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { url, errors } = await startTestGateway({
      routes: { "GET /slow": () => promise, "GET /fast": async () => "fast" },
      limits: { ...API_GATEWAY_LIMITS, timeoutMs: 20 },
    })
    const response = await fetch(`${url}/slow`)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: "service-unavailable", status: 503 })
    resolve("too late")
    expect(await (await fetch(`${url}/fast`)).text()).toBe("fast")
    expect(errors).toEqual([{ error: expect.any(HandlerTimeoutError), functionName: "get-function" }])
  })

  it("reports what a handler throws after its time, and is sent once", async () => {
    const { promise, reject } = Promise.withResolvers<string>()
    const { connect, errors } = await startTestGateway({
      routes: { "GET /slow": () => promise, "GET /fast": async () => "fast" },
      limits: { ...API_GATEWAY_LIMITS, timeoutMs: 20 },
    })
    const client = await connect()
    client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
    expect((await client.response())?.statusCode).toBe(503)
    reject(new Error("too late"))
    client.send("GET /fast HTTP/1.1\r\nHost: a\r\n\r\n")
    expect((await client.response())?.body).toBe("fast")
    expect(errors.map(({ error }) => (error instanceof Error ? error.name : ""))).toEqual([
      "HandlerTimeoutError",
      "Error",
    ])
  })
})

describe("CORS", () => {
  const cors = {
    allowOrigins: ["https://www.example.com"],
    allowMethods: ["POST"],
    allowHeaders: ["content-type"],
    exposeHeaders: [],
    maxAgeSeconds: 60,
  }
  const preflight = { Origin: "https://www.example.com", "Access-Control-Request-Method": "POST" }

  it("preflights are answered by the gateway, whether or not the path supports OPTIONS", async () => {
    const { url, events } = await startTestGateway({ cors })
    for (const path of ["/encrypt", "/nowhere"]) {
      const response = await fetch(`${url}${path}`, { method: "OPTIONS", headers: preflight })
      expect(response.status).toBe(204)
      expect(response.headers.get("access-control-allow-origin")).toBe("https://www.example.com")
      expect(response.headers.get("access-control-max-age")).toBe("60")
    }
    expect(events).toEqual([])
  })

  it("headers are added to responses and refusals", async () => {
    const { url } = await startTestGateway({ cors })
    for (const path of ["/encrypt", "/nowhere"]) {
      const response = await fetch(`${url}${path}`, { method: "POST", headers: preflight })
      expect(response.headers.get("access-control-allow-origin")).toBe("https://www.example.com")
    }
  })

  it("is left to the handlers when the gateway has no CORS configuration", async () => {
    const handler = async () => ({ statusCode: 200, headers: { "access-control-allow-origin": "*" } })
    const { url } = await startTestGateway({ routes: { "OPTIONS /a": handler } })
    const response = await fetch(`${url}/a`, { method: "OPTIONS", headers: preflight })
    expect(response.status).toBe(200)
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
  })
})
