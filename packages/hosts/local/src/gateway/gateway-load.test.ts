import { setTimeout as delay } from "node:timers/promises"
import { Deadlines, MemoryBudget, SMALL_BYTES } from "@sealway/http/ingress"
import { MB } from "@sealway/kernel"
import { describe, expect, it } from "vitest"
import type { Gateway } from "./gateway.ts"
import { API_GATEWAY_LIMITS, CONTAINER_LIMITS } from "./limits.ts"
import type { LambdaHandler } from "./route.ts"
import { acknowledge, startTestGateway } from "./testing/test-gateway.ts"

const GET_SLOW = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"
const GET_LARGE = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n"
const POST = "POST /encrypt HTTP/1.1\r\nHost: a\r\n"
/** More than the operating system buffers for a reader that reads nothing. */
const LARGE_BYTES = 24 * 1024 * 1024

const PATIENT = { timeout: 15_000 }

const large: LambdaHandler = async () => ({ statusCode: 200, body: "a".repeat(LARGE_BYTES) })

const held = ({ load, memory }: Gateway) => ({ requests: load.requests, bytes: memory.bytes })

async function nothingIsLeft(gateway: Gateway): Promise<void> {
  await expect.poll(() => held(gateway), PATIENT).toEqual({ requests: 0, bytes: 0 })
}

/** Creates a handler that answers when told to, and counts its calls. */
function heldBack() {
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
    const slow = heldBack()
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
    const slow = heldBack()
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
    const slow = heldBack()
    const { connect, gateway } = await startTestGateway({ routes: { "POST /encrypt": slow.handler } })
    const client = await connect()
    client.send(`${POST}Content-Length: 2\r\n\r\n{}`)
    await expect.poll(() => slow.calls.begun, PATIENT).toBe(1)
    expect(held(gateway)).toEqual({ requests: 1, bytes: 3 * 2 })
    slow.fail()
    expect((await client.response())?.statusCode).toBe(500)
    await nothingIsLeft(gateway)
  })

  it("when a handler that takes too long has ended, and not when its caller is told", async () => {
    const slow = heldBack()
    const { connect, gateway } = await startTestGateway({
      routes: { "POST /encrypt": slow.handler },
      limits: { ...API_GATEWAY_LIMITS, timeoutMs: 20 },
    })
    const client = await connect()
    client.send(`${POST}Content-Length: 2\r\n\r\n{}`)
    expect((await client.response())?.statusCode).toBe(503)
    expect(held(gateway)).toEqual({ requests: 1, bytes: 3 * 2 })
    slow.answer()
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
    const slow = heldBack()
    const { connect, gateway } = await startTestGateway({ routes: { "POST /encrypt": slow.handler } })
    const [client, witness] = [await connect(), await connect()]
    client.send(`${POST}Content-Length: 2\r\n\r\n{}`)
    await expect.poll(() => slow.calls.begun, PATIENT).toBe(1)
    client.hangUp()
    witness.send("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n")
    await witness.response()
    expect(held(gateway)).toEqual({ requests: 1, bytes: 3 * 2 })
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
    await expect.poll(() => gateway.memory.bytes, PATIENT).toBe(2 * 3 * 5)
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
    const slow = heldBack()
    const { connect, gateway } = await startTestGateway({
      routes: { "GET /slow": slow.handler, "GET /large": large },
      limits: CONTAINER_LIMITS,
    })
    const client = await connect()
    client.send(GET_SLOW + GET_LARGE + GET_LARGE)
    await expect.poll(() => held(gateway), PATIENT).toEqual({ requests: 1, bytes: 2 * LARGE_BYTES })
    client.hangUp()
    await expect.poll(() => gateway.memory.bytes, PATIENT).toBe(0)
    slow.answer()
    await nothingIsLeft(gateway)
  })
})

describe("a request that nobody waits for", () => {
  /** Creates a handler that reserves memory, then takes turns until it is cancelled, and notes what it has seen. */
  function taking(bytes: number) {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const seen = { steps: 0, reason: null as unknown }
    const handler: LambdaHandler = async (_event, { task }) => {
      try {
        await task?.reserve(bytes)
        for (;;) {
          seen.steps += 1
          await task?.next()
        }
      } catch (error) {
        seen.reason = error
        await mayEnd
        throw error
      }
    }
    return { handler, seen, end }
  }

  it("is cancelled when its client leaves, makes no further step, and releases its memory when it has ended", async () => {
    const work = taking(1_000_000)
    const { connect, gateway, errors } = await startTestGateway({ routes: { "POST /encrypt": work.handler } })
    const client = await connect()
    client.send(`${POST}Content-Length: 2\r\n\r\n{}`)
    await expect.poll(() => work.seen.steps, PATIENT).toBeGreaterThan(0)
    client.hangUp()
    await expect.poll(() => work.seen.reason, PATIENT).toMatchObject({ by: "client" })
    const { steps } = work.seen
    expect(held(gateway)).toEqual({ requests: 1, bytes: 1_000_000 + 3 * 2 })
    work.end()
    await nothingIsLeft(gateway)
    expect([work.seen.steps, errors]).toEqual([steps, []])
  })

  it("is cancelled when its time is over, and releases its memory when it has ended", async () => {
    const work = taking(1_000_000)
    const { connect, gateway, errors } = await startTestGateway({
      routes: { "POST /encrypt": work.handler },
      limits: { ...API_GATEWAY_LIMITS, timeoutMs: 20 },
    })
    const client = await connect()
    client.send(`${POST}Content-Length: 2\r\n\r\n{}`)
    const answer = await client.response()
    expect([answer?.statusCode, answer?.headers.get("retry-after")]).toEqual([503, ["1"]])
    await expect.poll(() => work.seen.reason, PATIENT).toMatchObject({ by: "deadline" })
    expect(held(gateway)).toEqual({ requests: 1, bytes: 1_000_000 + 3 * 2 })
    work.end()
    await nothingIsLeft(gateway)
    expect(errors).toMatchObject([{ error: { name: "HandlerTimeoutError" } }])
  })

  it("leaves the queue for memory, so that others get it", async () => {
    const memory = new MemoryBudget({ receivedBytes: LARGE_BYTES, workingBytes: LARGE_BYTES })
    const work = taking(LARGE_BYTES / 2)
    const { connect, gateway } = await startTestGateway({ routes: { "POST /encrypt": work.handler }, memory })
    const clients = [await connect(), await connect(), await connect()]
    for (const client of clients) client.send(`${POST}Content-Length: 2\r\n\r\n{}`)
    await expect.poll(() => memory.waiting, PATIENT).toBe(2)
    work.end()
    for (const client of clients.slice(1)) client.hangUp()
    await expect.poll(() => [memory.waiting, gateway.load.requests], PATIENT).toEqual([0, 1])
    clients[0]?.hangUp()
    await nothingIsLeft(gateway)
  })
})

describe("readers that do not read", () => {
  const limits = CONTAINER_LIMITS
  /** One sender may have three quarters, which are those of three answers. */
  const memoryForThree = () =>
    new MemoryBudget({ receivedBytes: LARGE_BYTES, workingBytes: (4 * LARGE_BYTES * 8) / 7 })

  it("take no more than the limit, while small requests are served", async () => {
    const { connect, gateway } = await startTestGateway({
      routes: { "GET /large": large, "POST /encrypt": acknowledge },
      limits,
      memory: memoryForThree(),
    })
    const hanging = await Promise.all(Array.from({ length: 3 }, connect))
    for (const client of hanging) {
      client.pause()
      client.send(GET_LARGE)
    }
    await expect.poll(() => held(gateway), PATIENT).toEqual({ requests: 0, bytes: 3 * LARGE_BYTES })
    const another = await connect()
    another.send(GET_LARGE)
    const refusal = await another.response()
    expect(refusal?.statusCode).toBe(503)
    expect(refusal?.headers.get("retry-after")).toEqual(["1"])
    const small = await connect()
    small.send(`${POST}Content-Length: 2\r\n\r\n{}`)
    expect((await small.response())?.statusCode).toBe(200)
    for (const client of hanging) client.hangUp()
    await nothingIsLeft(gateway)
  })

  it("get no small answers in advance when there is no room, while others get theirs", async () => {
    const slow = heldBack()
    const body = "a".repeat(SMALL_BYTES)
    const { connect, gateway } = await startTestGateway({
      routes: { "GET /slow": slow.handler, "GET /small": async () => ({ statusCode: 200, body }) },
      limits,
      memory: new MemoryBudget({ receivedBytes: LARGE_BYTES, workingBytes: 4 * SMALL_BYTES }),
    })
    const getSmall = "GET /small HTTP/1.1\r\nHost: a\r\n\r\n"
    const pipelining = await connect()
    pipelining.send(GET_SLOW + getSmall.repeat(5))
    await expect.poll(() => held(gateway), PATIENT).toEqual({ requests: 1, bytes: 3 * SMALL_BYTES })
    const other = await connect()
    other.send(getSmall)
    expect((await other.response())?.statusCode).toBe(200)
    slow.answer()
    const statuses = []
    for (let count = 0; count < 6; count++) statuses.push((await pipelining.response())?.statusCode)
    expect(statuses).toEqual([200, 200, 200, 200, 503, 503])
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
    await expect.poll(() => gateway.memory.bytes, PATIENT).toBe(LARGE_BYTES)
    const dribble = setInterval(() => client.send("a"), 20)
    await nothingIsLeft(gateway)
    clearInterval(dribble)
  })

  it("are disconnected when they read a little again and again, but not all of an answer in time", async () => {
    const { connect, gateway } = await startTestGateway({
      routes: { "GET /large": large },
      limits: { ...limits, headersTimeoutMs: 200, requestTimeoutMs: 200 },
    })
    const client = await connect()
    client.pause()
    client.send(GET_LARGE)
    await expect.poll(() => gateway.memory.bytes, PATIENT).toBe(LARGE_BYTES)
    const sips = setInterval(() => client.sip(), 20)
    await nothingIsLeft(gateway)
    clearInterval(sips)
    client.resume()
    expect(await client.response()).toBeNull()
  })

  it("are disconnected before their time when another app's work has waited for the memory of their answer", async () => {
    const { connect, gateway } = await startTestGateway({
      routes: {
        "GET /large": async (event, context) => {
          if (context.task !== undefined) context.task.owner = { appId: "a", teamId: "of a" }
          return large(event, context)
        },
        "POST /encrypt": async (_event, { task }) => {
          if (task !== undefined) task.owner = { appId: "b", teamId: "of b" }
          await task?.reserve(16 * MB)
          return "done"
        },
      },
      limits,
      memory: new MemoryBudget({ receivedBytes: MB, workingBytes: 40 * MB, waits: new Deadlines(10) }),
    })
    const reader = await connect()
    reader.pause()
    reader.send(GET_LARGE)
    await expect.poll(() => gateway.memory.bytes, PATIENT).toBe(LARGE_BYTES)
    const worker = await connect()
    worker.send(`${POST}\r\n`)
    expect((await worker.response())?.body).toBe("done")
    reader.resume()
    expect(await reader.response()).toBeNull()
  })

  it("are not disconnected while they wait for an earlier answer on the same connection", async () => {
    const slow = heldBack()
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
