import { describe, expect, it } from "vitest"
import { API_GATEWAY_LIMITS, CONTAINER_LIMITS } from "./limits.ts"
import { acknowledge, startTestGateway } from "./testing/test-gateway.ts"

const SMALL = {
  ...API_GATEWAY_LIMITS,
  maxRequestBytes: 1000,
  maxEventBytes: 4000,
  maxResponseBytes: 2000,
  maxHeaderBytes: 500,
}

const HEAD = "POST /encrypt HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n"

describe("a request body", () => {
  it.each([
    ["with Content-Length", `${HEAD}Content-Length: 1000\r\n\r\n${"a".repeat(1000)}`],
    [
      "in chunks",
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n1f4\r\n${"a".repeat(500)}\r\n1F4;x=y\r\n${"a".repeat(500)}\r\n0\r\n\r\n`,
    ],
  ])("is accepted up to the limit %s", async (_, message) => {
    const { connect, events } = await startTestGateway({ limits: SMALL })
    const client = await connect()
    client.send(message)
    expect((await client.response())?.statusCode).toBe(200)
    expect(events[0]?.body).toBe("a".repeat(1000))
  })

  it("is refused before it arrives when its Content-Length is too large", async () => {
    const { connect, events } = await startTestGateway({ limits: SMALL })
    const client = await connect()
    client.send(`${HEAD}Content-Length: 1001\r\n\r\n`)
    const response = await client.response()
    expect(response?.statusCode).toBe(413)
    expect(response?.headers.get("connection")).toEqual(["close"])
    expect(JSON.parse(response?.body ?? "")).toMatchObject({ code: "payload-too-large", status: 413 })
    client.finish()
    await client.closed()
    expect(events).toEqual([])
  })

  it("is refused as soon as its chunks are too large, and the sender can still read the reason", async () => {
    const { connect, events } = await startTestGateway({ limits: SMALL })
    const client = await connect()
    client.send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`)
    for (let chunk = 0; chunk < 200; chunk += 1) client.send(`2000\r\n${"a".repeat(0x2000)}\r\n`)
    const response = await client.response()
    expect(response?.statusCode).toBe(413)
    expect(response?.headers.get("connection")).toEqual(["close"])
    await client.closed()
    expect(events).toEqual([])
  })

  it("is not awaited when the path accepts none", async () => {
    const { connect } = await startTestGateway({ limits: SMALL })
    const client = await connect()
    client.send("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n")
    expect((await client.response())?.statusCode).toBe(404)
    client.finish()
    await client.closed()
  })

  it("is refused when its event would be too large for Lambda", async () => {
    const { url, events } = await startTestGateway({ limits: SMALL })
    const send = (body: string) =>
      fetch(`${url}/encrypt`, { method: "POST", headers: { "content-type": "text/plain" }, body })
    expect((await send("a".repeat(900))).status).toBe(200)
    const response = await send("\u0001".repeat(900))
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ code: "payload-too-large" })
    expect(events).toHaveLength(1)
  })

  it("of 25 MB is accepted by the container service, and refused behind API Gateway", async () => {
    const body = new Uint8Array(25 * 1024 * 1024)
    const container = await startTestGateway({ limits: CONTAINER_LIMITS })
    expect((await fetch(`${container.url}/encrypt`, { method: "POST", body })).status).toBe(200)
    const { url } = await startTestGateway()
    const response = await fetch(`${url}/encrypt`, {
      method: "POST",
      body: body.subarray(0, 10 * 1024 * 1024),
    })
    expect(response.status).toBe(413)
  })
})

it("answers 500 for a result that is too large for Lambda", async () => {
  const { url, errors } = await startTestGateway({
    routes: { "GET /large": async () => ({ statusCode: 200, body: "a".repeat(2000) }) },
    limits: SMALL,
  })
  expect((await fetch(`${url}/large`)).status).toBe(500)
  expect(errors).toHaveLength(1)
})

describe("Expect: 100-continue", () => {
  const expecting = (length: number) => `${HEAD}Content-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`

  it("gets permission to send a body that will be accepted", async () => {
    const { connect, events } = await startTestGateway({ limits: SMALL })
    const client = await connect()
    client.send(expecting(5))
    expect((await client.response())?.statusCode).toBe(100)
    client.send("hello")
    expect((await client.response())?.statusCode).toBe(200)
    expect(events[0]?.body).toBe("hello")
  })

  it("gets the refusal instead when the body would be too large", async () => {
    const { connect } = await startTestGateway({ limits: SMALL })
    const client = await connect()
    client.send(expecting(1001))
    expect((await client.response())?.statusCode).toBe(413)
  })

  it("is ignored when it expects something else", async () => {
    const { connect } = await startTestGateway()
    const client = await connect()
    client.send("POST /encrypt HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n")
    expect((await client.response())?.statusCode).toBe(200)
  })
})

describe("a request head", () => {
  it.each([
    ["a long header", `GET /a HTTP/1.1\r\nHost: a\r\nX-Long: ${"a".repeat(600)}\r\n\r\n`],
    ["a long URL", `GET /${"a".repeat(600)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ["many headers", `GET /a HTTP/1.1\r\nHost: a\r\n${"X-Many: 1\r\n".repeat(100)}\r\n`],
  ])("is refused with 431 when it is too large: %s", async (_, message) => {
    const { connect } = await startTestGateway({ limits: SMALL })
    const client = await connect()
    client.send(message)
    const response = await client.response()
    expect(response?.statusCode).toBe(431)
    expect(JSON.parse(response?.body ?? "")).toMatchObject({
      code: "request-header-fields-too-large",
      status: 431,
    })
    await client.closed()
  })

  it("keeps every header, however many there are", async () => {
    const { connect, events } = await startTestGateway()
    const client = await connect()
    client.send(`POST /encrypt HTTP/1.1\r\nHost: a\r\n${"a:1\r\n".repeat(2500)}z: last\r\n\r\n`)
    expect((await client.response())?.statusCode).toBe(200)
    expect(events[0]?.headers.z).toBe("last")
  })
})

describe("a request that takes too long to arrive", () => {
  const impatient = { ...API_GATEWAY_LIMITS, headersTimeoutMs: 100, requestTimeoutMs: 200 }

  it.each([
    ["headers", "POST /encrypt HTTP/1.1\r\nHost: a\r\nX-Slow: "],
    ["body", `${HEAD}Content-Length: 10\r\n\r\n12345`],
  ])("is refused with 408 when its %s do not arrive", async (_, message) => {
    const { connect, events } = await startTestGateway({ limits: impatient })
    const client = await connect()
    client.send(message)
    const response = await client.response()
    expect(response?.statusCode).toBe(408)
    expect(JSON.parse(response?.body ?? "")).toMatchObject({ code: "request-timeout", status: 408 })
    client.send("67890")
    await client.closed()
    expect(events).toEqual([])
  })

  it("ends when nothing at all arrives", async () => {
    const { connect } = await startTestGateway({ limits: impatient })
    const client = await connect()
    expect((await client.response())?.statusCode).toBe(408)
    await client.closed()
  })
})

it("disconnects a caller that does not read its response", async () => {
  const { promise: isRequested, resolve: requested } = Promise.withResolvers<void>()
  const { connect, gateway } = await startTestGateway({
    routes: {
      "GET /large": async () => {
        requested()
        return "a".repeat(100 * 1024 * 1024)
      },
    },
    limits: { ...CONTAINER_LIMITS, stallTimeoutMs: 100, drainTimeoutMs: 60_000 },
  })
  const client = await connect()
  client.pause()
  client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
  await isRequested
  // With such a long time to drain, this only resolves because the connection was dropped.
  await gateway.close()
})

describe("connections", () => {
  it("carry one request after another", async () => {
    const { connect, events } = await startTestGateway()
    const client = await connect()
    for (let request = 0; request < 3; request += 1) {
      client.send(`${HEAD}Content-Length: 1\r\n\r\n${request}`)
      expect((await client.response())?.statusCode).toBe(200)
    }
    expect(events.map(({ body }) => body)).toEqual(["0", "1", "2"])
  })

  it("answer pipelined requests in order, whichever is finished first", async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { connect } = await startTestGateway({
      routes: {
        "GET /slow": () => promise,
        "GET /fast": async () => {
          resolve("slow")
          return "fast"
        },
      },
    })
    const client = await connect()
    client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /fast HTTP/1.1\r\nHost: a\r\n\r\n")
    expect((await client.response())?.body).toBe("slow")
    expect((await client.response())?.body).toBe("fast")
  })

  it("close after the response when the caller asks for that", async () => {
    const { connect } = await startTestGateway()
    const client = await connect()
    client.send("POST /encrypt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    expect((await client.response())?.headers.get("connection")).toEqual(["close"])
    await client.closed()
  })

  it("support HTTP/1.0, which has no Host", async () => {
    const { connect, events } = await startTestGateway()
    const client = await connect()
    client.send("POST /encrypt HTTP/1.0\r\n\r\n")
    expect((await client.response())?.statusCode).toBe(200)
    expect(events[0]?.requestContext.http.protocol).toBe("HTTP/1.0")
  })
})

describe("closing the gateway", () => {
  it("lets requests in flight finish, accepts no more, and tells callers that the connection ends", async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { promise: isRequested, resolve: requested } = Promise.withResolvers<void>()
    const { connect, gateway, url } = await startTestGateway({
      routes: {
        "GET /slow": () => {
          requested()
          return promise
        },
      },
    })
    const [busy, idle] = [await connect(), await connect()]
    busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
    await isRequested
    const closed = gateway.close()
    await idle.closed()
    await expect(fetch(`${url}/slow`)).rejects.toThrow(TypeError)
    resolve("done")
    const response = await busy.response()
    expect(response?.body).toBe("done")
    expect(response?.headers.get("connection")).toEqual(["close"])
    await closed
  })

  it("drops what is unfinished when the time is up", async () => {
    const { promise: isRequested, resolve: requested } = Promise.withResolvers<void>()
    const { connect, gateway } = await startTestGateway({
      routes: {
        "GET /endless": () => {
          requested()
          return new Promise(() => undefined)
        },
      },
      limits: { ...API_GATEWAY_LIMITS, drainTimeoutMs: 50 },
    })
    const client = await connect()
    client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
    await isRequested
    await gateway.close()
    expect(await client.response()).toBeNull()
  })

  it("may be called twice, and before listening", async () => {
    const { gateway } = await startTestGateway({ routes: { "GET /a": acknowledge } })
    await Promise.all([gateway.close(), gateway.close()])
    await gateway.close()
  })
})

describe("listening", () => {
  it("rejects when the port is taken", async () => {
    const { port } = await startTestGateway()
    const { gateway } = await startTestGateway()
    await gateway.close()
    await expect(gateway.listen({ port, host: "127.0.0.1" })).rejects.toMatchObject({ code: "EADDRINUSE" })
  })

  it.each([
    ["127.0.0.1", "http://127.0.0.1"],
    ["0.0.0.0", "http://127.0.0.1"],
    ["localhost", "http://localhost"],
  ])("on %s gives a usable URL", async (host, prefix) => {
    const { gateway } = await startTestGateway()
    await gateway.close()
    const { port, url } = await gateway.listen({ port: 0, host })
    expect(url).toBe(`${prefix}:${port}`)
    expect((await fetch(`${url}/encrypt`, { method: "POST" })).status).toBe(200)
  })
})
