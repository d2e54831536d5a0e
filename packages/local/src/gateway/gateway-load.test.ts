import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import type { Gateway } from "./gateway.ts"
import { API_GATEWAY_LIMITS, CONTAINER_LIMITS } from "./limits.ts"
import { SMALL_BYTES } from "./load.ts"
import type { LambdaHandler } from "./route.ts"
import { acknowledge, startTestGateway } from "./testing/test-gateway.ts"

const GET_SLOW = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"
const GET_LARGE = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n"
const POST = "POST /encrypt HTTP/1.1\r\nHost: a\r\n"
/** More than the operating system buffers for a reader that reads nothing. */
const LARGE_BYTES = 24 * 1024 * 1024

const PATIENT = { timeout: 15_000 }

const large: LambdaHandler = async () => ({ statusCode: 200, body: "a".repeat(LARGE_BYTES) })

async function nothingIsLeft({ load }: Gateway): Promise<void> {
  const held = () => ({ requests: load.requests, bytes: load.bytes })
  await expect.poll(held, PATIENT).toEqual({ requests: 0, bytes: 0 })
}

/** Creates a handler that answers when told to, and counts its calls. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const calls = { begun: 0 }
  const handler: LambdaHandler = () => {
    calls.begun += 1
    return promise
  }
  return { handler, calls, answer: () => resolve("done"), fail: () => reject(new Error("as the test wants")) }
}

describe("requests beyond the limit", () => {
  const limits = { ...API_GATEWAY_LIMITS, maxRequestsInFlight: 4 }

  it("are refused immediately with service-unavailable and Retry-After, while other endpoints are served", async () => {
    const slow = held()
    const { connect, gateway } = await startTestGateway({
      routes: { "GET /slow": slow.handler, "POST /encrypt": acknowledge },
      limits,
    })
    const admitted = [await connect(), await connect()]
    for (const client of admitted) client.send(GET_SLOW)
    await expect.poll(() => slow.calls.begun, PATIENT).toBe(2)
    const refused = await connect()
    refused.send(GET_SLOW)
    const response = await refused.response()
    expect(response?.statusCode).toBe(503)
    expect(response?.headers.get("retry-after")).toEqual(["1"])
    expect(JSON.parse(response?.body ?? "")).toMatchObject({ code: "service-unavailable", status: 503 })
    const other = await connect()
    other.send(`${POST}Content-Length: 2\r\n\r\n{}`)
    expect((await other.response())?.statusCode).toBe(200)
    expect(gateway.load.requests).toBe(2)
    slow.answer()
    for (const client of admitted) expect((await client.response())?.statusCode).toBe(200)
    await nothingIsLeft(gateway)
    expect(slow.calls.begun).toBe(2)
  })

  it("are served on the same connection once there is room", async () => {
    const slow = held()
    const { connect, gateway } = await startTestGateway({ routes: { "GET /slow": slow.handler }, limits })
    const admitted = [await connect(), await connect()]
    for (const client of admitted) client.send(GET_SLOW)
    await expect.poll(() => slow.calls.begun, PATIENT).toBe(2)
    const client = await connect()
    client.send(GET_SLOW)
    expect((await client.response())?.statusCode).toBe(503)
    slow.answer()
    await nothingIsLeft(gateway)
    client.send(GET_SLOW)
    expect((await client.response())?.statusCode).toBe(200)
  })
})

describe("the capacity that a request holds is released", () => {
  it("when its handler fails", async () => {
    const slow = held()
    const { connect, gateway } = await startTestGateway({ routes: { "POST /encrypt": slow.handler } })
    const client = await connect()
    client.send(`${POST}Content-Length: 2\r\n\r\n{}`)
    await expect.poll(() => slow.calls.begun, PATIENT).toBe(1)
    expect(gateway.load).toMatchObject({ requests: 1, bytes: 2 })
    slow.fail()
    expect((await client.response())?.statusCode).toBe(500)
    await nothingIsLeft(gateway)
  })

  it("when its handler takes too long, and not again when it answers later", async () => {
    const slow = held()
    const { connect, gateway } = await startTestGateway({
      routes: { "POST /encrypt": slow.handler },
      limits: { ...API_GATEWAY_LIMITS, timeoutMs: 20 },
    })
    const client = await connect()
    client.send(`${POST}Content-Length: 2\r\n\r\n{}`)
    expect((await client.response())?.statusCode).toBe(503)
    await nothingIsLeft(gateway)
    slow.answer()
    await delay(10)
    await nothingIsLeft(gateway)
  })

  it("when its handler returns an invalid answer, or a header that HTTP cannot carry", async () => {
    const answers = [
      { statusCode: 99 },
      { statusCode: 200, headers: { "x-a": "b\nc" }, body: "a".repeat(99_999) },
    ]
    const { connect, gateway } = await startTestGateway({
      routes: { "GET /slow": async () => answers.shift() ?? {} },
    })
    const client = await connect()
    for (let count = 0; count < 2; count += 1) {
      client.send(GET_SLOW)
      expect((await client.response())?.statusCode).toBe(500)
    }
    await nothingIsLeft(gateway)
  })

  it("when the caller disconnects while its handler works, but only after that has ended", async () => {
    const slow = held()
    const { connect, gateway } = await startTestGateway({ routes: { "POST /encrypt": slow.handler } })
    const [client, witness] = [await connect(), await connect()]
    client.send(`${POST}Content-Length: 2\r\n\r\n{}`)
    await expect.poll(() => slow.calls.begun, PATIENT).toBe(1)
    client.hangUp()
    witness.send("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n")
    await witness.response()
    expect(gateway.load).toMatchObject({ requests: 1, bytes: 2 })
    slow.answer()
    await nothingIsLeft(gateway)
  })

  it.each([
    ["hangs up", (client: { hangUp(): void }) => client.hangUp()],
    ["says that it has finished", (client: { finish(): void }) => client.finish()],
    ["sends what is no chunk", (client: { send(text: string): unknown }) => client.send("nonsense\r\n")],
  ])("when the caller %s in the middle of its body", async (_, leave) => {
    const { connect, gateway, events } = await startTestGateway()
    const client = await connect()
    client.send(`${POST}Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n`)
    await expect.poll(() => gateway.load.bytes, PATIENT).toBe(5)
    leave(client)
    await nothingIsLeft(gateway)
    expect(events).toEqual([])
  })

  it("when a body stops arriving, which is answered with request-timeout", async () => {
    const { connect, gateway } = await startTestGateway({
      limits: { ...API_GATEWAY_LIMITS, stallTimeoutMs: 50 },
    })
    const client = await connect()
    client.send(`${POST}Content-Length: 10\r\n\r\n12345`)
    const response = await client.response()
    expect(JSON.parse(response?.body ?? "")).toMatchObject({ code: "request-timeout", status: 408 })
    await nothingIsLeft(gateway)
  })

  it("when pipelined requests are left unanswered", async () => {
    const slow = held()
    const { connect, gateway } = await startTestGateway({
      routes: { "GET /slow": slow.handler, "GET /large": large },
      limits: CONTAINER_LIMITS,
    })
    const client = await connect()
    client.send(GET_SLOW + GET_LARGE + GET_LARGE)
    await expect.poll(() => gateway.load, PATIENT).toMatchObject({ requests: 1, bytes: 2 * LARGE_BYTES })
    client.hangUp()
    await expect.poll(() => gateway.load.bytes, PATIENT).toBe(0)
    slow.answer()
    await nothingIsLeft(gateway)
  })
})

describe("readers that do not read", () => {
  const limits = { ...CONTAINER_LIMITS, maxBytesInFlight: 4 * LARGE_BYTES }

  it("take no more than the limit, while small requests are served", async () => {
    const { connect, gateway } = await startTestGateway({
      routes: { "GET /large": large, "POST /encrypt": acknowledge },
      limits,
    })
    const hanging = await Promise.all(Array.from({ length: 3 }, connect))
    for (const client of hanging) {
      client.pause()
      client.send(GET_LARGE)
    }
    await expect.poll(() => gateway.load, PATIENT).toMatchObject({ requests: 0, bytes: 3 * LARGE_BYTES })
    const another = await connect()
    another.send(GET_LARGE)
    const refusal = await another.response()
    expect(refusal?.statusCode).toBe(503)
    expect(refusal?.headers.get("retry-after")).toEqual(["1"])
    const upload = await connect()
    upload.send(`${POST}Content-Length: ${SMALL_BYTES + 1}\r\n\r\n`)
    expect((await upload.response())?.statusCode).toBe(503)
    const small = await connect()
    small.send(`${POST}Content-Length: 2\r\n\r\n{}`)
    expect((await small.response())?.statusCode).toBe(200)
    for (const client of hanging) client.hangUp()
    await nothingIsLeft(gateway)
  })

  it.each([
    ["nothing", ""],
    ["that sends on meanwhile", "GET /large HTTP/1.1\r\nHost: a\r\nX-Slow: "],
  ])("are disconnected when they have read nothing for too long: %s", async (_, more) => {
    const { connect, gateway } = await startTestGateway({
      routes: { "GET /large": large },
      limits: { ...limits, stallTimeoutMs: 100 },
    })
    const client = await connect()
    client.pause()
    client.send(GET_LARGE + more)
    await expect.poll(() => gateway.load.bytes, PATIENT).toBe(LARGE_BYTES)
    const dribble = setInterval(() => client.send("a"), 20)
    await nothingIsLeft(gateway)
    clearInterval(dribble)
  })

  it("are not disconnected while they wait for an earlier answer on the same connection", async () => {
    const slow = held()
    const body = "a".repeat(3 * SMALL_BYTES)
    const { connect } = await startTestGateway({
      routes: { "GET /slow": slow.handler, "GET /large": async () => ({ statusCode: 200, body }) },
      limits: { ...limits, stallTimeoutMs: 30 },
    })
    const client = await connect()
    client.send(GET_SLOW + GET_LARGE)
    await delay(150)
    slow.answer()
    expect((await client.response())?.body).toBe("done")
    expect((await client.response())?.body).toBe(body)
  })
})

it("sends a large answer completely", async () => {
  const body = Buffer.alloc(3 * SMALL_BYTES + 7, "sealway")
  const { url } = await startTestGateway({
    routes: {
      "GET /large": async () => ({ statusCode: 200, body: body.toString("base64"), isBase64Encoded: true }),
    },
  })
  const answer = await fetch(`${url}/large`)
  expect(answer.headers.get("content-length")).toBe(String(body.length))
  expect(Buffer.from(await answer.arrayBuffer()).equals(body)).toBe(true)
})

describe("connections beyond the limit", () => {
  it("are refused with service-unavailable and closed, and accepted again once others have left", async () => {
    const { connect } = await startTestGateway({ limits: { ...API_GATEWAY_LIMITS, maxConnections: 2 } })
    const [first, second] = [await connect(), await connect()]
    for (const client of [first, second]) {
      client.send(`${POST}\r\n`)
      expect((await client.response())?.statusCode).toBe(200)
    }
    const third = await connect()
    const refusal = await third.response()
    expect(refusal?.statusCode).toBe(503)
    expect(refusal?.headers.get("retry-after")).toEqual(["1"])
    await third.closed()
    first.hangUp()
    await expect
      .poll(async () => {
        const client = await connect()
        client.send(`${POST}\r\n`)
        const answer = await client.response()
        client.hangUp()
        return answer?.statusCode
      })
      .toBe(200)
  })
})
