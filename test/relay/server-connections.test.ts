import { setImmediate as turn } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { bytesOf, refusalOf, reply, startServer } from "./server-world.ts"

const MULTIPART = "Content-Type: multipart/form-data; boundary=b\r\n"
const sized = (bytes: number, more = "") =>
  `POST /a HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${bytes}\r\n\r\n`

describe("a client that does not wait for its answers", () => {
  test("gets them in order, and one request is served at a time", async () => {
    let running = 0
    let most = 0
    const server = await startServer(async ({ target }) => {
      running += 1
      most = Math.max(most, running)
      await turn()
      running -= 1
      return reply({ body: Buffer.from(target) })
    })
    const peer = await server.connect()
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`)
    peer.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""))
    for (const path of paths) expect((await peer.answer()).body).toBe(path)
    expect(most).toBe(1)
  })

  test("gets those before a malformed request, and then nothing", async () => {
    const server = await startServer(async ({ target }) => {
      await turn()
      return reply({ body: Buffer.from(target) })
    })
    const peer = await server.connect()
    peer.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n")
    expect((await peer.answer()).body).toBe("/1")
    const last = await peer.answer()
    expect(last.body).toBe("/2")
    expect(last.header("connection")).toBe("close")
    expect(await peer.closed()).toBe("")
  })

  test("is dropped with more than 32 requests waiting", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const server = await startServer(async () => {
      await promise
      return reply()
    })
    const peer = await server.connect()
    peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2_000))
    expect(await peer.closed()).toBe("")
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]?.signal.aborted).toBe(true)
    resolve()
    expect(await server.isServing()).toBe(true)
  })
})

describe("an answer that comes before the request's end", () => {
  test("reaches its client, whatever the client still sends, and closes the connection", async () => {
    const server = await startServer(async () => reply({ body: Buffer.from("no thanks") }))
    const peer = await server.connect()
    peer.send(sized(1_000_000)).send("x".repeat(300_000))
    const answer = await peer.answer()
    expect(answer).toMatchObject({ status: 200, body: "no thanks" })
    expect(answer.header("connection")).toBe("close")
    peer.send("x".repeat(700_000))
    expect(await peer.closed()).toBe("")
    expect(server.errors).toEqual([])
  })

  test("buffers no more of the request than a reader has asked for", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const server = await startServer(async () => {
      await promise
      return reply()
    })
    const peer = await server.connect()
    peer.send(sized(30_000_000, MULTIPART))
    const block = Buffer.alloc(1_000_000, "x")
    for (let sent = 0; sent < 30; sent += 1) {
      peer.send(block)
      await turn()
    }
    // The client still has what the system's buffers did not take.
    expect(peer.socket.writableLength).toBeGreaterThan(15_000_000)
    expect(server.requests[0]?.body).toMatchObject({ readableLength: 0 })
    resolve()
    await peer.answer()
  })
})

describe("a client that expects 100-continue", () => {
  const expecting = (bytes: number) => sized(bytes, "Expect: 100-continue\r\n")

  test("is told to continue when the body is wanted", async () => {
    const server = await startServer()
    for (const bytes of [5, 70_000]) {
      const peer = await server.connect()
      peer.send(expecting(bytes))
      expect(await peer.until("\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n")
      peer.send("x".repeat(bytes))
      expect((await peer.answer()).body).toHaveLength(bytes)
    }
  })

  test("is refused without sending it otherwise", async () => {
    const server = await startServer(async () => reply({ status: 403 }))
    const peer = await server.connect()
    peer.send(expecting(70_000))
    expect((await peer.answer()).status).toBe(403)
    const another = await server.connect()
    another.send(expecting(31_457_281))
    expect(refusalOf(await another.answer())).toEqual({ status: 413, code: "payload-too-large" })
  })
})

describe("a client that goes away", () => {
  test("has its request aborted", async () => {
    const { promise: isAborted, resolve: aborted } = Promise.withResolvers<void>()
    const { promise: isThere, resolve: there } = Promise.withResolvers<void>()
    const server = await startServer(async ({ signal }) => {
      signal.addEventListener("abort", () => aborted())
      there()
      await isAborted
      return reply()
    })
    const peer = await server.connect()
    peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    await isThere
    peer.socket.destroy()
    await isAborted
    expect(await server.isServing()).toBe(true)
    expect(server.errors).toEqual([])
  })

  test("has its body cut off", async () => {
    const broken = Promise.withResolvers<string>()
    const server = await startServer(async ({ body }) => {
      await bytesOf(body).catch((error) => broken.resolve(Object(error).code))
      return reply()
    })
    const peer = await server.connect()
    peer.send(`${sized(100_000)}12345`)
    await turn()
    peer.socket.resetAndDestroy()
    expect(await broken.promise).toBe("bad-request")
  })
})

describe("closing", () => {
  test("lets requests in progress finish, announces the end, and accepts no more", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { promise: isThere, resolve: there } = Promise.withResolvers<void>()
    const server = await startServer(async () => {
      there()
      await promise
      return reply({ body: Buffer.from("done") })
    })
    const [busy, idle] = [await server.connect(), await server.connect()]
    busy.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    await isThere
    const closed = server.close()
    expect(await idle.closed()).toBe("")
    resolve()
    const answer = await busy.answer()
    expect(answer.body).toBe("done")
    expect(answer.header("connection")).toBe("close")
    await closed
    await expect(server.connect()).rejects.toThrow("ECONNREFUSED")
  })

  test("drops what is not finished in time", async () => {
    const { promise: isThere, resolve: there } = Promise.withResolvers<void>()
    const server = await startServer(
      () => {
        there()
        return new Promise(() => undefined)
      },
      { limits: { drainTimeoutMs: 50 } },
    )
    const peer = await server.connect()
    peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    await isThere
    await server.close()
    expect(await peer.closed()).toBe("")
  })
})
