import { randomBytes } from "node:crypto"
import { setImmediate as turn } from "node:timers/promises"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  forwardTo,
  type RawPeer,
  refusalOf,
  startDestination,
  startServer,
  startUpstream,
} from "./server-world.ts"

/** Starts a server that forwards to a destination that the test plays. */
async function startWorld(options: Parameters<typeof startUpstream>[0] = {}) {
  const destination = await startDestination()
  const server = await startServer(forwardTo(destination.port, startUpstream(options)))
  return { destination, server, client: await server.connect() }
}

const GET = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

/** Waits until a peer's other side has sent as many bytes, and returns them all. */
async function bytes(peer: RawPeer, count: number): Promise<string> {
  while (peer.received.length < count) await turn()
  return peer.received
}

describe("forwarding", () => {
  test("passes on every byte of a target, of headers and of bodies, in both directions", async () => {
    const { destination, client } = await startWorld()
    const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/).map((name) => `X-${name}`)
    const value = fc.stringMatching(/^[!-~\xa1-\xff]([ -~\xa1-\xff]{0,20}[!-~\xa1-\xff])?$/)
    const headers = fc.array(fc.tuple(token, value), { maxLength: 8 })
    const content = fc.uint8Array({ maxLength: 300 }).map((each) => Buffer.from(each).toString("latin1"))
    const target = fc.stringMatching(/^\/[!-"$-~]{0,40}$/)
    let isFirst = true
    await fc.assert(
      fc.asyncProperty(
        target,
        headers,
        content,
        headers,
        content,
        async (path, sent, body, given, answer) => {
          const lines = (pairs: [string, string][]) =>
            pairs.map(([name, text]) => `${name}: ${text}\r\n`).join("")
          client.send(
            `POST ${path} HTTP/1.1\r\nHost: a\r\n${lines(sent)}Content-Length: ${body.length}\r\n\r\n${body}`,
          )
          const last = destination.peers.at(-1)
          const peer = isFirst ? await destination.peer(0) : last
          isFirst = false
          if (peer === undefined) throw new TypeError("Nobody connected.")
          const head = await peer.until("\r\n\r\n")
          expect(head.startsWith(`POST ${path} HTTP/1.1\r\n`)).toBe(true)
          expect(head).toContain(`\r\n${lines(sent)}Content-Length: ${body.length}\r\nVia: `)
          expect((await bytes(peer, body.length)).length).toBe(body.length)
          if (body !== "") expect(await peer.until(body)).toBe(body)
          peer.send(`HTTP/1.1 200 OK\r\n${lines(given)}Content-Length: ${answer.length}\r\n\r\n${answer}`)
          const got = await client.answer()
          expect(got.headers.slice(0, given.length)).toEqual(given)
          expect(got.body).toBe(answer)
          await turn()
          await turn()
        },
      ),
      { numRuns: 60 },
    )
    expect(destination.peers).toHaveLength(1)
  })

  test("passes on a body of megabytes, as a stream", async () => {
    const { destination, client } = await startWorld()
    const body = randomBytes(4_900_000).toString("latin1")
    client.send(`PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    const peer = await destination.peer(0)
    await peer.until("\r\n\r\n")
    expect((await bytes(peer, body.length)) === body).toBe(true)
    peer.send(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    expect((await client.answer()).body === body).toBe(true)
  })

  test("passes on a chunked body with its trailers, and what the destination sends before it", async () => {
    const { destination, client } = await startWorld()
    client.send(GET)
    const peer = await destination.peer(0)
    await peer.until("\r\n\r\n")
    peer.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
    expect((await client.answer()).status).toBe(103)
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nab\r\n")
    expect(await client.until("\r\n\r\n")).not.toMatch(/^Trailer/im)
    expect(await client.until("2\r\nab\r\n")).toBe("2\r\nab\r\n")
    peer.send("0\r\nX-Sum: 1\r\n\r\n")
    expect(await client.until("\r\n\r\n")).toBe("0\r\nX-Sum: 1\r\n\r\n")
  })
})

describe("when the client closes early", () => {
  test("the destination's connection ends, whatever it was doing", async () => {
    for (const stage of ["waiting", "answering"]) {
      const { destination, server, client } = await startWorld()
      client.send(GET)
      const peer = await destination.peer(0)
      await peer.until("\r\n\r\n")
      if (stage === "answering") {
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nsome")
        await client.until("some")
      }
      client.socket.destroy()
      await peer.closed()
      expect(server.errors).toEqual([])
    }
  })

  test("the destination does not get its body as complete", async () => {
    const { destination, client } = await startWorld()
    client.send("PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n")
    const peer = await destination.peer(0)
    await peer.until("some")
    client.socket.destroy()
    expect(await peer.closed()).not.toContain("0\r\n\r\n")
  })
})

describe("when the destination closes early", () => {
  test.each([
    ["before its answer", "", 502],
    ["within its headers", "HTTP/1.1 200 OK\r\nX-A", 502],
    ["within a small body", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome", 502],
  ])("the client gets proxy-error: %s", async (_, answer, status) => {
    const { destination, client } = await startWorld()
    client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx")
    const peer = await destination.peer(0)
    await peer.until("\r\n\r\nx")
    peer.send(answer).socket.end()
    expect(refusalOf(await client.answer())).toEqual({ status, code: "proxy-error" })
    client.send(GET)
    const next = await destination.peer(1)
    await next.until("\r\n\r\n")
    next.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    expect((await client.answer()).status).toBe(200)
  })

  test("the client's answer is cut off within a large body", async () => {
    const { destination, client } = await startWorld()
    client.send(GET)
    const peer = await destination.peer(0)
    await peer.until("\r\n\r\n")
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n")
    await client.until("some\r\n")
    peer.socket.end()
    expect(await client.closed()).not.toContain("0\r\n\r\n")
  })

  test("an answer that came before reaches the client, though it still sends", async () => {
    const { destination, client } = await startWorld()
    client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\nsome")
    const peer = await destination.peer(0)
    await peer.until("some")
    peer.send("HTTP/1.1 413 Too Much\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno").socket.end()
    expect(await client.answer()).toMatchObject({ status: 413, body: "no" })
    client.send("x".repeat(1_000_000))
    await client.closed()
  })
})

test("answers request-timeout for a destination that answers too late", async () => {
  const { destination, client } = await startWorld({ limits: { exchangeTimeoutMs: 50 } })
  client.send(GET)
  await destination.peer(0)
  expect(refusalOf(await client.answer())).toEqual({ status: 504, code: "request-timeout" })
})

test("answers payload-too-large for a body in chunks that becomes too large, and does not complete it at the destination", async () => {
  const { destination, server, client } = await startWorld()
  client.send("PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
  for (let sent = 0; sent < 8; sent += 1)
    client.send(`${(100_000).toString(16)}\r\n${"x".repeat(100_000)}\r\n`)
  expect(refusalOf(await client.answer())).toEqual({ status: 413, code: "payload-too-large" })
  expect(await (await destination.peer(0)).closed()).not.toContain("\r\n0\r\n\r\n")
  expect(server.requests).toHaveLength(1)
})

test("answers bad-request for malformed chunks, and does not complete them at the destination", async () => {
  const { destination, client } = await startWorld()
  client.send("PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n")
  const peer = await destination.peer(0)
  await peer.until("some")
  client.send("zz\r\n")
  expect(refusalOf(await client.answer())).toEqual({ status: 400, code: "bad-request" })
  expect(await peer.closed()).not.toContain("0\r\n\r\n")
})

test("holds up a large answer at the destination for a client that does not read", async () => {
  const { destination, client } = await startWorld()
  client.socket.pause()
  client.send(GET)
  const peer = await destination.peer(0)
  await peer.until("\r\n\r\n")
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 60000000\r\n\r\n")
  const block = Buffer.alloc(1_000_000)
  for (let sent = 0; sent < 60; sent += 1) {
    peer.send(block)
    await turn()
  }
  expect(peer.socket.writableLength).toBeGreaterThan(30_000_000)
})
