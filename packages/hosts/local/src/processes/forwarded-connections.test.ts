import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { type Duplex, duplexPair } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import {
  CONTAINER_LIMITS,
  type ForwardTarget,
  type GatewayLimits,
  type Route,
  type ServeConnection,
} from "../gateway/index.ts"
import { MAX_AT_STORAGE } from "../gateway/storage-pass.ts"
import { startTestGateway } from "../gateway/testing/test-gateway.ts"
import { acceptForwarded, createForwardTarget, type ForwardAddress } from "./forwarded-connections.ts"

type Handlers = Readonly<Record<string, Route["handler"]>>

const LIMITS: GatewayLimits = { ...CONTAINER_LIMITS, drainTimeoutMs: 100, lingerMs: 100 }

/** Starts the gateway of a worker, which answers `GET /here`, and that of the first process, with routes of its own. */
async function startBoth(routes: Handlers) {
  let serve: ServeConnection = (socket) => socket.destroy()
  const forwarded = await acceptForwarded((...connection) => serve(...connection))
  onTestFinished(forwarded.close)
  const first = await startTestGateway({ routes, limits: LIMITS })
  const worker = await startTestGateway({
    routes: { "GET /here": async () => ({ statusCode: 200, body: "worker" }) },
    answerUnknown: null,
    forwardTarget: createForwardTarget(forwarded.address),
    limits: LIMITS,
  })
  serve = first.gateway.serveAt({ port: worker.port, host: "127.0.0.1" })
  return { first, worker, address: forwarded.address }
}

const echo: Route["handler"] = async ({ bodyBytes, headers }) => ({
  statusCode: 201,
  headers: { "content-type": headers["content-type"] ?? "", "x-own": "first" },
  cookies: ["a=1", "b=2"],
  body: bodyBytes?.toString() ?? "",
})

/** Sends raw bytes to the first process, as a program would that found its socket. */
async function sendTo({ path }: ForwardAddress, bytes: Uint8Array | string): Promise<Socket> {
  const socket = connect({ path })
  onTestFinished(() => void socket.destroy())
  socket.on("error", () => socket.destroy())
  socket.write(bytes)
  return socket
}

test("a worker answers its own routes, and the first process all others, on one connection and in order", async () => {
  const { worker, first } = await startBoth({ "POST /there": echo })
  const client = await worker.connect()
  client.send(
    "POST /there?q=1 HTTP/1.1\r\nHost: a\r\nContent-Type: text/x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" +
      "GET /here HTTP/1.1\r\nHost: a\r\n\r\n" +
      "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n",
  )
  const there = await client.response()
  expect(there).toMatchObject({ statusCode: 201, body: "abc" })
  expect(there?.headers.get("set-cookie")).toEqual(["a=1", "b=2"])
  expect(there?.headers.get("x-own")).toEqual(["first"])
  expect(await client.response()).toMatchObject({ statusCode: 200, body: "worker" })
  expect(await client.response()).toMatchObject({ statusCode: 404 })
  expect(first.events).toHaveLength(1)
  expect(worker.events).toHaveLength(1)
})

test("the first process learns the address of the worker's client, whatever the client's headers say", async () => {
  const { worker, first, address } = await startBoth({ "GET /there": echo })
  const headers = {
    "x-forwarded-for": "203.0.113.1",
    forwarded: "for=203.0.113.1",
    "x-real-ip": "203.0.113.1",
  }
  await fetch(`${worker.url}/there`, { headers })
  const far = createForwardTarget(address).connect("2001:db8::1")
  far.write("GET /there HTTP/1.1\r\nHost: a\r\n\r\n")
  await once(far, "data")
  far.destroy()
  const addresses = first.events.map(({ requestContext }) => requestContext.http.sourceIp)
  expect(addresses).toEqual(["127.0.0.1", "2001:db8::1"])
})

test.each([
  ["no secret", () => `${" ".repeat(32)}127.0.0.1${" ".repeat(36)}`],
  ["an HTTP request", () => `GET /there HTTP/1.1\r\nHost: a\r\nX-Padding: ${"x".repeat(80)}\r\n\r\n`],
  [
    "no address behind the secret",
    (secret: string) => Buffer.concat([Buffer.from(secret, "base64"), Buffer.from("localhost".padEnd(45))]),
  ],
])("a connection with %s is closed without an answer", async (_, prefaceOf) => {
  const { first, address } = await startBoth({ "GET /there": echo })
  const socket = await sendTo(address, prefaceOf(address.secret))
  let received = 0
  socket.on("data", ({ length }) => {
    received += length
  })
  socket.write("GET /there HTTP/1.1\r\nHost: a\r\n\r\n")
  await once(socket, "close")
  expect(received).toBe(0)
  expect(first.events).toEqual([])
})

test("silent connections keep no place of a worker's", async () => {
  const { worker, address } = await startBoth({ "GET /there": echo })
  const silent = await Promise.all(Array.from({ length: 1_024 + 1 }, () => sendTo(address, "")))
  await Promise.all(silent.map((socket) => (socket.connecting ? once(socket, "connect") : undefined)))
  expect((await fetch(`${worker.url}/there`)).status).toBe(201)
})

describe("a connection that does not say for whom it is", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
  afterEach(() => void vi.useRealTimers())

  test.each(["", "x"])("is closed at its end, after the bytes %o", async (bytes) => {
    const { address } = await startBoth({})
    const socket = await sendTo(address, bytes)
    socket.resume().end()
    await once(socket, "close")
  })

  test("is closed after two seconds", async () => {
    const { address } = await startBoth({})
    const socket = await sendTo(address, "x")
    await expect.poll(() => vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(2_000)
    await once(socket.resume(), "close")
  })
})

test("a preface may arrive byte by byte", async () => {
  const { address } = await startBoth({ "GET /there": echo })
  const preface = Buffer.from(address.secret, "base64")
  const socket = await sendTo(address, "")
  const bytes = Buffer.concat([
    preface,
    Buffer.from("127.0.0.1".padEnd(45)),
    Buffer.from("GET /there HTTP/1.1\r\n"),
  ])
  for (const byte of bytes) {
    socket.write(Buffer.of(byte))
    await nextTurn()
  }
  socket.write("Host: a\r\n\r\n")
  const [answer] = await once(socket, "data")
  expect(String(answer)).toMatch(/^HTTP\/1\.1 201 /)
})

test("the first process decides whether a body is sent that waits for permission", async () => {
  const { worker } = await startBoth({ "POST /there": echo })
  const client = await worker.connect()
  client.send("POST /there HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
  expect(await client.response()).toMatchObject({ statusCode: 100 })
  client.send("abc")
  expect(await client.response()).toMatchObject({ statusCode: 201, body: "abc" })
  client.send("POST /there HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n")
  expect(await client.response()).toMatchObject({ statusCode: 413 })
  await client.closed()
})

test("an answer that comes before the whole body reaches the client, and ends its connection", async () => {
  const { worker } = await startBoth({ "POST /there": echo })
  const client = await worker.connect()
  client.send("POST /there HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\nabc")
  const answer = await client.response()
  expect(answer?.statusCode).toBe(413)
  expect(answer?.headers.get("connection")).toEqual(["close"])
  await client.closed()
})

test("a client that leaves cancels its request in the first process", async () => {
  const begun = Promise.withResolvers<void>()
  const cancelled = Promise.withResolvers<unknown>()
  const { worker } = await startBoth({
    "GET /slow": async (_, { task }) => {
      task?.signal.addEventListener("abort", () => cancelled.resolve(task.cancelled?.name))
      begun.resolve()
      await cancelled.promise
      return { statusCode: 200 }
    },
  })
  const client = await worker.connect()
  client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
  await begun.promise
  client.hangUp()
  expect(await cancelled.promise).toBe("CancelledError")
})

test("requests of HTTP/1.0, of HEAD, and without a body are answered as by one process", async () => {
  const { worker, first } = await startBoth({ "GET /there": echo, "POST /there": echo, "HEAD /there": echo })
  const old = await worker.connect()
  old.send("GET /there HTTP/1.0\r\n\r\n")
  expect(await old.response()).toMatchObject({ statusCode: 201, body: "" })
  await old.closed()
  const client = await worker.connect()
  client.send("HEAD /there HTTP/1.1\r\nHost: a\r\n\r\n")
  expect(await client.response({ toHead: true })).toMatchObject({ statusCode: 201, body: "" })
  client.send("POST /there HTTP/1.1\r\nHost: a\r\n\r\n")
  expect(await client.response()).toMatchObject({ statusCode: 201, body: "" })
  expect(first.events).toHaveLength(3)
})

test("further requests than may be passed on at a time are refused with service-unavailable", async () => {
  const most = 1 + MAX_AT_STORAGE
  const isFull = Promise.withResolvers<void>()
  let passed = 0
  const worker = await startTestGateway({
    answerUnknown: null,
    limits: { ...LIMITS, maxRequestsInFlight: 1 },
    forwardTarget: {
      connect() {
        passed += 1
        if (passed === most) isFull.resolve()
        return duplexPair()[0]
      },
    },
  })
  const [client, other] = [await worker.connect(), await worker.connect()]
  client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n".repeat(most))
  await isFull.promise
  other.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
  expect(await other.response()).toMatchObject({ statusCode: 503 })
  expect(passed).toBe(most)
})

test("unfinished bodies keep no place of requests that may be passed on, and complete ones do", async () => {
  const most = 1 + MAX_AT_STORAGE
  const passed: Duplex[] = []
  const worker = await startTestGateway({
    answerUnknown: null,
    limits: { ...LIMITS, maxRequestsInFlight: 1 },
    forwardTarget: {
      connect() {
        const [near, far] = duplexPair()
        passed.push(far.resume())
        return near
      },
    },
  })
  const clients = await Promise.all(Array.from({ length: most }, worker.connect))
  for (const client of clients) client.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n1")
  await expect.poll(() => passed.length, { timeout: 10_000 }).toBe(most)
  const other = await worker.connect()
  other.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
  await expect.poll(() => passed.length).toBe(most + 1)
  passed.at(-1)?.write("HTTP/1.1 204 No Content\r\n\r\n")
  expect(await other.response()).toMatchObject({ statusCode: 204 })

  const bytes = passed.slice(0, most).map((far) => once(far, "data"))
  for (const client of clients) client.send("2")
  await Promise.all(bytes)
  other.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
  expect(await other.response()).toMatchObject({ statusCode: 503 })
})

test("of requests that the first process drops without an answer, only those that read are to be repeated", async () => {
  const { url } = await startTestGateway({
    answerUnknown: null,
    forwardTarget: {
      connect() {
        const [near, far] = duplexPair()
        far.once("data", () => near.destroy())
        return near
      },
    },
  })
  const statusOf = async (method: string) => (await fetch(`${url}/there`, { method })).status
  expect([await statusOf("GET"), await statusOf("HEAD"), await statusOf("POST")]).toEqual([503, 503, 500])
})

test("a request is refused when the first process cannot be reached, and cut off when its answer is", async () => {
  const startOver = (forwardTarget: ForwardTarget) => startTestGateway({ answerUnknown: null, forwardTarget })
  const gone = await startOver(createForwardTarget({ path: "/nowhere/api", secret: "" }))
  const refused = await fetch(`${gone.url}/there`)
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])

  const breaking = await startOver({
    connect() {
      const [near, far] = duplexPair()
      far.once("data", () => {
        far.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        setImmediate(() => near.destroy())
      })
      return near
    },
  })
  const client = await breaking.connect()
  client.send("GET /there HTTP/1.1\r\nHost: a\r\n\r\n")
  expect(await client.response()).toBeNull()
})
