import { randomBytes } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
import { CONTAINER_LIMITS } from "./limits.ts"
import { startTestGateway } from "./testing/test-gateway.ts"

const CHUNKS = 200_000

it("uses memory for a body's bytes, however small its chunks are", async () => {
  const { connect, gateway, events } = await startTestGateway()
  const client = await connect()
  const before = memoryBytes()
  client.send(
    "POST /encrypt HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n",
  )
  client.send("1\r\na\r\n".repeat(CHUNKS))
  await expect.poll(() => gateway.memory.bytes, { timeout: 15_000 }).toBe(2 * 3 * CHUNKS)
  expect(memoryBytes() - before).toBeLessThan(20 * CHUNKS)
  client.send("2\r\nbc\r\n0\r\n\r\n")
  expect((await client.response())?.statusCode).toBe(200)
  expect(events[0]?.body).toBe(`${"a".repeat(CHUNKS)}bc`)
})

it("passes on a large body of a stated length unchanged, in whatever pieces it arrives", async () => {
  const { connect, events } = await startTestGateway({ limits: CONTAINER_LIMITS })
  const client = await connect()
  const body = randomBytes(300_000)
  client.send(`POST /encrypt HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`)
  for (let at = 0; at < body.length; at += 70_001) client.send(body.subarray(at, at + 70_001))
  expect((await client.response())?.statusCode).toBe(200)
  expect(events[0]).toMatchObject({ bodyBytes: body })
})

it("allocates little for a large body of which little has arrived", async () => {
  const { connect, gateway } = await startTestGateway({ limits: CONTAINER_LIMITS })
  const stated = CONTAINER_LIMITS.maxRequestBytes
  const before = memoryBytes()
  for (let count = 0; count < 10; count++) {
    const client = await connect()
    client.send(`POST /encrypt HTTP/1.1\r\nHost: a\r\nContent-Length: ${stated}\r\n\r\na`)
  }
  await expect.poll(() => gateway.memory.bytes).toBe(10)
  expect(memoryBytes() - before).toBeLessThan(stated)
})

it("holds no body of an answered request, although its connection stays open", async () => {
  const { connect, events } = await startTestGateway({ limits: CONTAINER_LIMITS })
  const body = Buffer.alloc(2_000_000)
  const bodies: WeakRef<ArrayBufferLike>[] = []
  for (let count = 0; count < 3; count++) {
    const client = await connect()
    client.send(`POST /encrypt HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`)
    client.send(body)
    expect((await client.response())?.statusCode).toBe(200)
    bodies.push(...events.splice(0).map(bodyOf))
  }
  expect(bodies).toHaveLength(3)
  await expect
    .poll(() => {
      collectGarbage()
      return bodies.filter((each) => each.deref() !== undefined)
    })
    .toEqual([])
})

it.each([
  ["of a stated length", (body: Buffer) => [`Content-Length: ${body.length}\r\n\r\n`, body]],
  [
    "in chunks",
    (body: Buffer) => [
      `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`,
      body,
      "\r\n0\r\n\r\n",
    ],
  ],
])("gives back at once the memory of bodies %s whose senders left before their turn", async (_, framed) => {
  const { promise: answer, resolve } = Promise.withResolvers<{ statusCode: number }>()
  const { connect, gateway, events } = await startTestGateway({
    limits: CONTAINER_LIMITS,
    routes: { "POST /encrypt": () => answer },
  })
  const body = Buffer.alloc(3_000_000)
  for (let count = 1; count <= 12; count++) {
    const client = await connect()
    client.send("POST /encrypt HTTP/1.1\r\nHost: a\r\n")
    for (const bytes of framed(body)) client.send(bytes)
    await expect.poll(() => gateway.load.requests).toBe(count)
    // The first one is the only one whose turn has come: the others wait for its end.
    client.hangUp()
  }
  collectGarbage()
  const held = process.memoryUsage().arrayBuffers
  resolve({ statusCode: 200 })
  await expect.poll(() => gateway.load.requests).toBe(0)
  expect(events).toHaveLength(1)
  // In whole bodies: sockets and logs take and give back some kilobytes meanwhile.
  const bodies = Math.round((held - process.memoryUsage().arrayBuffers) / body.length)
  expect(bodies).toBeGreaterThanOrEqual(11)
})

/** Measures the memory of the process. */
function memoryBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Apart, so that no variable of a test keeps it. */
function bodyOf(event: object): WeakRef<ArrayBufferLike> {
  if (!("bodyBytes" in event && event.bodyBytes instanceof Uint8Array)) throw new Error("There is no body")
  return new WeakRef(event.bodyBytes.buffer)
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}
