import type { ChildProcess } from "node:child_process"
import { connect } from "node:net"
import { expect, test } from "vitest"
import { startReady, withFolder } from "../support/start.ts"
import { processTree, socketsOf, type TcpSocket, tcpSockets } from "../support/worker-processes.ts"

/** `st` of a socket that listens, in /proc/net/tcp. */
const LISTENING = "0A"
const LOOPBACK = "0100007F"
const REBOUND = "evil.test"

/** Requests without credentials: what a page in a browser could send whose name has been rebound to 127.0.0.1. */
const ATTEMPTS = [
  "GET / HTTP/1.1",
  "GET /keys HTTP/1.1",
  "GET /openapi.json HTTP/1.1",
  "POST /encrypt HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 2",
  "OPTIONS /encrypt HTTP/1.1\r\nOrigin: http://evil.test\r\nAccess-Control-Request-Method: POST",
  "GET /2015-03-31/functions HTTP/1.1",
  "POST / HTTP/1.1\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Type: text/plain\r\nContent-Length: 2",
  "CONNECT 127.0.0.1:22 HTTP/1.1",
]

test.skipIf(process.platform !== "linux")(
  "listens with every port of a started service on loopback, and refuses what has no credentials",
  () =>
    withFolder(async (folder) => {
      const { ready, child, stop } = await startReady(folder)
      const portOf = (url: string) => Number(new URL(url).port)
      const urls = [ready.url, ready.relayUrl, ready.proxyUrl, ready.strictProxyUrl]
      const [api, relays, ...proxies] = urls.map(portOf)
      const listening = listenersOf(child)
      expect(listening.filter(({ address }) => address !== LOOPBACK)).toEqual([])
      const ports = listening.map(({ port }) => port)
      expect(ports).toEqual(expect.arrayContaining([api, relays, ...proxies]))
      // And signed URLs of objects.
      expect(ports).toHaveLength(5)

      for (const port of ports) {
        for (const attempt of ATTEMPTS) {
          const answer = await ask(port, attempt)
          expect(answer, `${attempt} to ${port}`).not.toMatch(/access-control-allow/i)
          if (port === api && !attempt.startsWith("CONNECT")) expect(answer).toMatch(/^HTTP\/1\.1 421 /)
          else if (port === relays || proxies.includes(port)) expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
          else expect(answer, `${attempt} to ${port}`).toMatch(/^HTTP\/1\.1 40[03] |^$/)
          if (![api, relays, ...proxies].includes(port) && answer !== "")
            expect(answer).toMatch(/SignatureDoesNotMatch|HTTP\/1\.1 400 Bad Request/)
        }
      }
      await stop()
    }),
)

test.skipIf(process.platform !== "linux")(
  "serves the embedded cloud on loopback only, also with --host",
  () =>
    withFolder(async (folder) => {
      const { ready, child, stop } = await startReady(folder, ["--host", "0.0.0.0"])
      const urls = [ready.url, ready.relayUrl, ready.proxyUrl, ready.strictProxyUrl]
      const listening = listenersOf(child)
      expect(listening).toHaveLength(5)
      const beyond = listening.filter(({ address }) => address !== LOOPBACK)
      expect(beyond.map(({ port }) => port).sort()).toEqual(
        urls.map((url) => Number(new URL(url).port)).sort(),
      )
      await stop()
    }),
)

/** Returns the answer to a request for the page's own name; empty when the connection was closed instead. */
function ask(port: number, attempt: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: false })
  let text = ""
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk
  })
  socket.on("error", () => socket.destroy())
  socket.on("close", () => resolve(text))
  const body = attempt.includes("Content-Length") ? "{}" : ""
  socket.write(`${attempt}\r\nHost: ${REBOUND}:${port}\r\nConnection: close\r\n\r\n${body}`)
  return promise
}

/** Returns what a process and its descendants listen on. */
function listenersOf({ pid = 0 }: ChildProcess): TcpSocket[] {
  const inodes = new Set(processTree(pid).flatMap(socketsOf))
  return tcpSockets().filter(({ state, inode }) => state === LISTENING && inodes.has(inode))
}
