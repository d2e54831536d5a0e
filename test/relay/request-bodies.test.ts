import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { Readable } from "node:stream"
import { queryObjects } from "node:v8"
import { memoryBudgetOf } from "@sealway/http/ingress"
import type { OutboundReply } from "@sealway/relay-proxy/testing"
import { collectBody, createHandlerWorld, HeldBody, HOST } from "@sealway/relay-proxy/testing"
import { describe, expect, test, vi } from "vitest"
import { failureOf, OK, requestTo, settled } from "./server-upstream-world.ts"
import { bytesOf, startDestination, startUpstream } from "./server-world.ts"

/** What bytes are in, so that it can be counted how many are still reachable: every view of a body leads to it. */
class Counted extends ArrayBuffer {}

const reachable = () => queryObjects(Counted, { format: "count" })

function countedBytes(text: string): Buffer {
  return Buffer.from(new Counted(text.length)).fill(text)
}

/** Larger than what is passed on as it is, and no multiple of what is written at a time. */
const LARGE = `{"b":"${"x".repeat(300_000)}"}`
const TRICKLE = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"
const REST = "1\r\nb\r\n0\r\n\r\n"

const ENCRYPTS = {
  method: null,
  path: "/**",
  request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.a", role: null }] }],
  response: [],
} as const

/** The handler between a client and a destination that the test plays both. */
async function startRelay() {
  const destination = await startDestination()
  const memory = memoryBudgetOf(100_000_000)
  const { handler } = await createHandlerWorld({
    destination: { scheme: "http", host: "127.0.0.1", port: destination.port },
    routes: [ENCRYPTS],
    memory,
    upstream: startUpstream(),
  })
  const send = (body: Buffer | Readable, contentLength: number) =>
    handler({
      id: "r",
      mode: "reverse",
      method: "POST",
      target: "/",
      scheme: "https",
      host: HOST,
      port: null,
      rawHeaders: ["Host", HOST, "Content-Type", "application/json"],
      body,
      contentLength,
      refusal: null,
      ip: "192.0.2.1",
      trailers: () => [],
      signal: new AbortController().signal,
      credentials: null,
    })
  return { destination, memory, send }
}

/** A body as it arrives, which is gone once it is read. */
function arriving(): Readable {
  return new Readable({
    read() {
      this.push(countedBytes(LARGE))
      this.push(null)
    },
  })
}

describe("a large request body", () => {
  test("is neither in memory nor counted once the destination has it, however slowly that answers", async () => {
    const { destination, memory, send } = await startRelay()
    const answer = send(arriving(), LARGE.length)
    const peer = await destination.peer(0)
    expect(await peer.until(LARGE)).toContain(`content-length: ${LARGE.length}\r\n\r\n${LARGE}`)
    await expect.poll(() => memory.bytes).toBe(0)

    peer.send(TRICKLE)
    const { body } = await answer
    expect([memory.bytes, reachable()]).toEqual([0, 0])
    peer.send(REST)
    expect(String(await bytesOf(body))).toBe("ab")
  })

  test("is kept while the destination has not taken all of it, though that answers, and no longer than the answer", async () => {
    const destination = await startDestination()
    // More than connections hold.
    const body = new HeldBody(Buffer.alloc(33_554_432), vi.fn())
    const sent = startUpstream().send(requestTo(destination.port, { method: "POST", body }))
    const peer = await destination.peer(0)
    peer.socket.pause()
    peer.send(TRICKLE)
    const reply = await sent
    expect(body.isThere).toBe(true)
    if (reply.body instanceof Readable) reply.body.destroy()
    await expect.poll(() => body.isThere).toBe(false)
  })

  test("of a method that may be sent twice is kept until an answer begins, and no longer", async () => {
    const destination = await startDestination()
    const upstream = startUpstream()
    const first = upstream.send(requestTo(destination.port))
    const stale = await destination.peer(0)
    await stale.until("\r\n\r\n")
    stale.send(OK)
    await first
    await settled()

    const onGone = vi.fn()
    const onReleased = vi.fn()
    const body = new HeldBody(Buffer.from(LARGE), onGone)
    const again = upstream.send(requestTo(destination.port, { method: "PUT", body, onReleased }))
    await stale.until(LARGE)
    expect(onGone).not.toHaveBeenCalled()
    stale.socket.destroy()
    const peer = await destination.peer(1)
    expect(await peer.until(LARGE)).toContain(`content-length: ${LARGE.length}\r\n\r\n${LARGE}`)
    expect(onReleased).not.toHaveBeenCalled()
    peer.send(TRICKLE)
    const reply = await again
    expect(onGone).toHaveBeenCalledOnce()
    expect(onReleased).not.toHaveBeenCalled()
    peer.send(REST)
    await bytesOf(reply.body)
    expect(onReleased).toHaveBeenCalledOnce()
  })

  test("is gone when its client leaves, though its request waits for a connection", async () => {
    const destination = await startDestination()
    const upstream = startUpstream({ limits: { maxConnections: 1 } })
    const first = upstream.send(requestTo(destination.port))
    const leaving = new AbortController()
    const onReleased = vi.fn()
    const body = new HeldBody(Buffer.from(LARGE), vi.fn())
    const { signal } = leaving
    const second = failureOf(
      upstream.send(requestTo(destination.port, { method: "POST", body, onReleased, signal })),
    )
    const peer = await destination.peer(0)
    await peer.until("\r\n\r\n")
    leaving.abort()
    expect(await second).toMatchObject({ code: "bad-request" })
    expect(body.isThere).toBe(false)
    expect(onReleased).not.toHaveBeenCalled()

    peer.send(OK)
    await first
    await expect.poll(() => onReleased.mock.calls.length).toBe(1)
  })

  test.each([
    ["more than a piece", 65_537],
    ["two pieces", 131_072],
  ])("is sent in whole: %s", async (_, bytes) => {
    const body = new HeldBody(Buffer.alloc(bytes, "x"), vi.fn())
    expect((await bytesOf(body.read())).equals(Buffer.alloc(bytes, "x"))).toBe(true)
  })
})

describe("a small request body", () => {
  const received = 1_000
  const small = () => countedBytes(`{"a":1,"b":"${"x".repeat(received - 14)}"}`)

  test("counts until the destination has ended its answer, and is gone while the client reads that", async () => {
    const { destination, memory, send } = await startRelay()
    // It lasts as long as the answer.
    const message = new IncomingMessage(new Socket())
    const answer = new Promise<OutboundReply>((resolve) =>
      collectBody(message, (body) => resolve(send(body, received))),
    )
    message.push(small())
    message.push(null)
    const peer = await destination.peer(0)
    const sent = Number(/content-length: (\d+)/.exec(await peer.until("\r\n\r\n"))?.[1])
    expect(sent).toBeGreaterThan(received)
    peer.send(TRICKLE)
    const reply = await answer
    expect(memory.bytes).toBe(received + sent)

    peer.send(REST)
    await expect.poll(() => memory.bytes).toBe(0)
    expect(reachable()).toBe(0)
    expect(message.readableEnded).toBe(true)
    expect(String(await bytesOf(reply.body))).toBe("ab")
  })

  test("is released when the request cannot be sent", async () => {
    const onReleased = vi.fn()
    const signal = AbortSignal.abort()
    const sent = startUpstream().send(requestTo(1, { body: Buffer.from("x"), onReleased, signal }))
    expect(await failureOf(sent)).toMatchObject({ code: "bad-request" })
    expect(onReleased).toHaveBeenCalledOnce()
  })
})
