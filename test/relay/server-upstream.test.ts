import { Readable } from "node:stream"
import { setImmediate as turn } from "node:timers/promises"
import { RelayError } from "@sealway/relay-engine"
import { describe, expect, test } from "vitest"
import { exchange, failureOf, OK, requestTo, settled } from "./server-upstream-world.ts"
import { bytesOf, startDestination, startUpstream } from "./server-world.ts"

describe("a request", () => {
  test("keeps the order, case and number of its headers, and every byte of them and of its target", async () => {
    const destination = await startDestination()
    const rawHeaders = ["Host", "h", "x-B", "1", "X-a", "\xe9\xff", "COOKIE", "b=2", "x-B", "3"]
    const sent = startUpstream().send(
      requestTo(destination.port, { target: "//a/../%2F?x=%zz&&", rawHeaders }),
    )
    const peer = await destination.peer(0)
    const head = await peer.until("\r\n\r\n")
    expect(head.split("\r\n")[0]).toBe("GET //a/../%2F?x=%zz&& HTTP/1.1")
    expect(head).toContain("\r\nx-B: 1\r\nX-a: \xe9\xff\r\nCOOKIE: b=2\r\nx-B: 3\r\n")
    peer.send(OK)
    expect((await sent).body).toEqual(Buffer.from("ok"))
  })

  test.each([
    ["all there", () => Buffer.from("12345"), null, "content-length: 5\r\n\r\n12345"],
    [
      "a stream of known size",
      () => Readable.from([Buffer.from("123"), Buffer.from("45")]),
      5,
      "content-length: 5\r\n\r\n12345",
    ],
    [
      "a stream",
      () => Readable.from([Buffer.from("123"), Buffer.from("45")]),
      null,
      "transfer-encoding: chunked\r\n\r\n3\r\n123\r\n2\r\n45\r\n0\r\n\r\n",
    ],
    ["null", () => null, null, "content-length: 0\r\n\r\n"],
  ])("is framed according to its body: %s", async (_, body, contentLength, framed) => {
    const destination = await startDestination()
    const sent = startUpstream().send(
      requestTo(destination.port, { method: "POST", body: body(), contentLength }),
    )
    const peer = await destination.peer(0)
    expect(await peer.until(framed)).toContain(framed)
    peer.send(OK)
    expect((await sent).status).toBe(200)
  })

  test("goes out on a connection that answered another", async () => {
    const { peer, destination, upstream } = await exchange(OK)
    await settled()
    const sent = upstream.send(requestTo(destination.port))
    await peer.until("\r\n\r\n")
    peer.send(OK)
    await sent
    expect(destination.peers).toHaveLength(1)
  })

  test("is not sent when its client has gone already", async () => {
    const destination = await startDestination()
    const sent = startUpstream().send(requestTo(destination.port, { signal: AbortSignal.abort() }))
    expect(await failureOf(sent)).toMatchObject({ code: "bad-request" })
    expect(destination.peers).toEqual([])
  })

  test("ends at the destination when its client goes", async () => {
    const destination = await startDestination()
    const aborter = new AbortController()
    const sent = failureOf(startUpstream().send(requestTo(destination.port, { signal: aborter.signal })))
    const peer = await destination.peer(0)
    await peer.until("\r\n\r\n")
    aborter.abort()
    await peer.closed()
    expect(await sent).toMatchObject({ code: "bad-request" })
  })

  test("fails with the error of its body", async () => {
    const destination = await startDestination()
    const body = new Readable({ read: () => undefined })
    const sent = failureOf(startUpstream().send(requestTo(destination.port, { method: "POST", body })))
    body.push("some")
    const peer = await destination.peer(0)
    await peer.until("some")
    body.destroy(new RelayError("payload-too-large", "Too much."))
    expect(await sent).toEqual({ code: "payload-too-large", stage: "request" })
    expect(await peer.closed()).not.toContain("0\r\n\r\n")
  })

  test("uses connections of its own app only", async () => {
    const destination = await startDestination()
    const upstream = startUpstream()
    for (const appId of ["app_1", "app_2", "app_1"]) {
      const sent = upstream.send(requestTo(destination.port, { appId, target: `/${appId}` }))
      const number = appId === "app_1" ? 0 : 1
      const peer = await destination.peer(number)
      await peer.until(`/${appId}`)
      await peer.until("\r\n\r\n")
      peer.send(OK)
      expect((await sent).status).toBe(200)
      await settled()
    }
    expect(destination.peers).toHaveLength(2)
  })

  test("is refused with service-unavailable when too many are in progress", async () => {
    const destination = await startDestination()
    const upstream = startUpstream({ limits: { maxConnections: 1, maxInFlight: 2 } })
    const sent = [1, 2, 3].map(() => failureOf(upstream.send(requestTo(destination.port))))
    expect(await sent[2]).toEqual({ code: "service-unavailable", stage: "destination" })
    const peer = await destination.peer(0)
    for (const one of sent.slice(0, 2)) {
      await peer.until("\r\n\r\n")
      peer.send(OK)
      expect(await one).toEqual({ code: "none" })
    }
  })
})

describe("an answer", () => {
  test("keeps the order, case and number of its headers, and its reason phrase", async () => {
    const head =
      "HTTP/1.1 203 Made Up\r\nx-B: 1\r\nX-a: \xe9\r\nset-COOKIE: a\r\nSet-Cookie: b\r\nContent-Length: 1\r\n\r\n"
    const { reply } = await exchange(`${head}x`)
    expect(reply).toMatchObject({ status: 203, statusMessage: "Made Up", body: Buffer.from("x") })
    expect(reply.rawHeaders).toEqual([
      "x-B",
      "1",
      "X-a",
      "\xe9",
      "set-COOKIE",
      "a",
      "Set-Cookie",
      "b",
      "Content-Length",
      "1",
    ])
  })

  test.each([
    ["to HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HEAD"],
    ["204", "HTTP/1.1 204 No Content\r\n\r\n", "GET"],
    ["304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "GET"],
  ])("has no body: %s", async (_, answer, method) => {
    const { reply } = await exchange(answer, { method })
    expect(reply.body).toBeNull()
  })

  test.each([
    ["a length of 0", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""],
    ["chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", "abc"],
    ["chunks and no length after all", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ""],
  ])("is passed on whole when it has arrived: %s", async (_, answer, body) => {
    const { reply } = await exchange(answer)
    expect(reply.body).toEqual(Buffer.from(body))
  })

  test("is passed on as it arrives bit by bit, with its trailers at the end", async () => {
    const { reply, peer } = await exchange("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
    expect(reply.body).toBeInstanceOf(Readable)
    expect(reply.trailers()).toEqual([])
    peer.send("1\r\nc\r\n0\r\nX-Sum: 1\r\nx-sum: 2\r\n\r\n")
    expect((await bytesOf(reply.body)).toString()).toBe("abc")
    expect(reply.trailers()).toEqual(["X-Sum", "1", "x-sum", "2"])
  })

  test("ends with its connection when it has no length", async () => {
    const { reply } = await exchange("HTTP/1.1 200 OK\r\n\r\nabc", { end: true })
    expect((await bytesOf(reply.body)).toString()).toBe("abc")
  })

  test("is announced before it comes", async () => {
    const told: unknown[] = []
    const { reply } = await exchange(
      `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${OK}`,
      { onInformation: (status, rawHeaders) => told.push([status, rawHeaders]) },
    )
    expect(told).toEqual([
      [103, ["Link", "</a>"]],
      [102, []],
    ])
    expect(reply.status).toBe(200)
  })

  test("fails with proxy-error after one that says that the connection ends, as llhttp requires", async () => {
    const told: number[] = []
    const failed = exchange(`HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n${OK}`, {
      onInformation: (status) => told.push(status),
    })
    expect(await failureOf(failed)).toMatchObject({ code: "proxy-error" })
    expect(told).toEqual([103])
  })

  test("fails with proxy-error when it changes the protocol unasked, and is shown to nobody", async () => {
    const told: number[] = []
    const failed = exchange(`HTTP/1.1 101 Switching Protocols\r\n\r\n${OK}`, {
      onInformation: (status) => told.push(status),
    })
    expect(await failureOf(failed)).toEqual({ code: "proxy-error", stage: "destination" })
    expect(told).toEqual([])
  })

  test("comes no faster than it is read, and ends at the destination when nobody continues reading", async () => {
    const { reply, peer } = await exchange("HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n")
    const block = Buffer.alloc(1_000_000)
    for (let sent = 0; sent < 50; sent += 1) {
      peer.send(block)
      await turn()
    }
    expect(peer.socket.writableLength).toBeGreaterThan(30_000_000)
    if (reply.body instanceof Readable) reply.body.destroy()
    await peer.closed()
  })

  test("reaches its client before the end of the request", async () => {
    const destination = await startDestination()
    const body = new Readable({ read: () => undefined })
    const sent = startUpstream().send(requestTo(destination.port, { method: "POST", body }))
    body.push("some")
    const peer = await destination.peer(0)
    await peer.until("some")
    peer.send("HTTP/1.1 413 Too Much\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    expect((await sent).status).toBe(413)
    body.destroy()
  })
})
