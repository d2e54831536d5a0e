import { createServer, globalAgent, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { askStorage } from "./node.ts"

let answer: (response: ServerResponse) => void
let url: string
const server = createServer((_, response) => answer(response))
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => void server.close())

test("a storage that refuses a part and hangs up while it is sent ends nothing but the request", async () => {
  answer = (response) => {
    response.writeHead(403, { connection: "close" }).end()
    response.once("finish", () => setImmediate(() => response.socket?.resetAndDestroy()))
  }
  const uncaught = vi.fn()
  process.on("uncaughtExceptionMonitor", uncaught)
  const refused = await askStorage(url, { method: "PUT", body: new Uint8Array(32 * 1024 * 1024) })
  expect(refused.status).toBe(403)
  await refused.discard()
  await vi.waitFor(() => expect(Object.keys(globalAgent.sockets).join()).not.toContain(new URL(url).port))
  process.off("uncaughtExceptionMonitor", uncaught)
  expect(uncaught).not.toHaveBeenCalled()
})

test("a download that is aborted ends with the reason", async () => {
  answer = (response) => void response.writeHead(206, { "content-length": 9 }).write("a")
  const stop = new AbortController()
  const reason = new Error("The reader has gone.")
  const { body } = await askStorage(url, { method: "GET", signal: stop.signal })
  const pieces = body[Symbol.asyncIterator]()
  await pieces.next()
  stop.abort(reason)
  await expect(pieces.next()).rejects.toBe(reason)
})
