import type { LookupFunction } from "node:net"
import { Readable } from "node:stream"
import { describe, expect, test } from "vitest"
import { exchange, failureOf, OK, requestTo, settled } from "./server-upstream-world.ts"
import { bytesOf, startDestination, startUpstream } from "./server-world.ts"

describe("a destination", () => {
  test.each([
    ["that is closed", { host: "127.0.0.1", port: 1 }, "service-unavailable"],
    ["that has no address", { host: "nowhere.invalid", port: 80 }, "service-unavailable"],
    ["at the metadata service", { host: "169.254.169.254", port: 80 }, "forbidden"],
    ["at no address", { host: "0.0.0.0", port: 80 }, "forbidden"],
  ])("%s is reported as such", async (_, place, code) => {
    const lookup: LookupFunction = (_hostname, _options, callback) =>
      callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), "")
    const sent = startUpstream({ lookup }).send(requestTo(0, { destination: { scheme: "http", ...place } }))
    expect(await failureOf(sent)).toEqual({ code, stage: "destination" })
  })

  test.each([
    ["an address that is private", "127.0.0.1"],
    ["an IPv6 address that is private", "::1"],
  ])("is refused with forbidden at %s, where these are not allowed", async (_, host) => {
    const destination = await startDestination()
    const sent = startUpstream({ allowPrivate: false }).send(
      requestTo(0, { destination: { scheme: "http", host, port: destination.port } }),
    )
    expect(await failureOf(sent)).toMatchObject({ code: "forbidden" })
    expect(destination.peers).toEqual([])
  })

  test("is refused with forbidden when its name resolves to a private address, this time or the next", async () => {
    const destination = await startDestination()
    const answers = [["192.0.2.1", "127.0.0.1"], ["127.0.0.1"]]
    const lookup: LookupFunction = (_hostname, _options, callback) => {
      const found = answers.shift() ?? []
      callback(
        null,
        found.map((address) => ({ address, family: 4 })),
      )
    }
    const upstream = startUpstream({ allowPrivate: false, lookup })
    const request = requestTo(0, {
      destination: { scheme: "http", host: "rebind.example", port: destination.port },
    })
    for (const _time of [1, 2]) {
      expect(await failureOf(upstream.send(request))).toMatchObject({ code: "forbidden" })
    }
    expect(answers).toEqual([])
    expect(destination.peers).toEqual([])
  })

  test("is request-timeout when it does not answer in time, and is disconnected", async () => {
    const destination = await startDestination()
    const upstream = startUpstream({ limits: { exchangeTimeoutMs: 50 } })
    const sent = upstream.send(requestTo(destination.port))
    expect(await failureOf(sent)).toEqual({ code: "request-timeout", stage: "destination" })
    await (await destination.peer(0)).closed()
  })

  test("is request-timeout when it stops in the middle of its answer", async () => {
    const destination = await startDestination()
    const sent = startUpstream({ limits: { exchangeTimeoutMs: 100 } }).send(requestTo(destination.port))
    const peer = await destination.peer(0)
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nsome")
    const { body } = await sent
    expect(await failureOf(bytesOf(body))).toEqual({ code: "request-timeout", stage: "response" })
  })

  test("is request-timeout when it waits for a connection in vain", async () => {
    const destination = await startDestination()
    const upstream = startUpstream({ limits: { maxConnections: 1, exchangeTimeoutMs: 50 } })
    const sent = [1, 2].map(() => failureOf(upstream.send(requestTo(destination.port))))
    expect(await Promise.all(sent)).toMatchObject([{ code: "request-timeout" }, { code: "request-timeout" }])
  })

  test.each([
    ["answers with a status of no class", "HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n"],
    ["answers with a status below all", "HTTP/1.1 099 Nothing\r\nContent-Length: 0\r\n\r\n"],
    ["closes without a word", ""],
    ["closes within its headers", "HTTP/1.1 200 OK\r\nX-A: "],
    ["does not speak HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["sends two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\naa"],
    [
      "sends length and chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["sends bare line feeds", "HTTP/1.1 200 OK\nX-A: b\nContent-Length: 0\n\n"],
    ["sends a folded header", "HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 0\r\n\r\n"],
    ["changes the protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"],
    ["sends endless headers", `HTTP/1.1 200 OK\r\n${"X-A: b\r\n".repeat(20_000)}`],
    ["closes within a small body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"],
  ])("is proxy-error when it %s", async (_, answer) => {
    const destination = await startDestination()
    const sent = startUpstream().send(requestTo(destination.port, { method: "POST" }))
    const peer = await destination.peer(0)
    await peer.until("\r\n\r\n")
    peer.send(answer).socket.end()
    expect(await failureOf(sent)).toEqual({ code: "proxy-error", stage: "destination" })
  })

  test("cuts a stream off with proxy-error when it closes in the middle", async () => {
    const { reply } = await exchange("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nabc", { end: true })
    expect(await failureOf(bytesOf(reply.body))).toEqual({ code: "proxy-error", stage: "response" })
  })
})

describe("a reused connection that closes", () => {
  async function reuse(method: string, { answersFirst = true, isStream = false } = {}) {
    const destination = await startDestination()
    const upstream = startUpstream()
    if (answersFirst) {
      const first = upstream.send(requestTo(destination.port))
      const peer = await destination.peer(0)
      await peer.until("\r\n\r\n")
      peer.send(OK)
      await first
      await settled()
    }
    const body = isStream ? Readable.from([Buffer.from("x")]) : null
    const sent = failureOf(upstream.send(requestTo(destination.port, { method, body })))
    const peer = await destination.peer(0)
    await peer.until("\r\n\r\n")
    peer.socket.end()
    return { destination, sent }
  }

  test.each(["GET", "OPTIONS", "PUT", "DELETE"])("makes %s go out once more, on another", async (method) => {
    const { destination, sent } = await reuse(method)
    const second = await destination.peer(1)
    await second.until("\r\n\r\n")
    second.send(OK)
    expect(await sent).toEqual({ code: "none" })
  })

  test("sends nothing a third time", async () => {
    const { destination, sent } = await reuse("GET")
    const second = await destination.peer(1)
    await second.until("\r\n\r\n")
    second.socket.end()
    expect(await sent).toMatchObject({ code: "proxy-error" })
    expect(destination.peers).toHaveLength(2)
  })

  test.each([
    ["POST", {}],
    ["PATCH", {}],
    ["PUT with a stream", { isStream: true }],
    ["GET on a connection that answered nothing before", { answersFirst: false }],
  ])("does not make %s go out again", async (title, options) => {
    const { destination, sent } = await reuse(title.split(" ")[0] ?? "", options)
    expect(await sent).toMatchObject({ code: "proxy-error" })
    expect(destination.peers).toHaveLength(1)
  })
})
