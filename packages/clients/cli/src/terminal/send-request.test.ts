import { createServer, type RequestListener } from "node:http"
import { afterEach, expect, test } from "vitest"
import { readBounded } from "./read-bounded.ts"
import { discardBody, type HttpRequest, sendRequest } from "./send-request.ts"

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  open.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("No port")
  return `http://127.0.0.1:${address.port}/`
}

const request = (changes: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "PUT",
  headers: { "content-type": "text/plain" },
  body: "sent",
  signal: new AbortController().signal,
  ...changes,
})

test("sends method, headers and body, and resolves to status, headers and body", async () => {
  const url = await serve(async (received, answer) => {
    const { method, headers } = received
    const body = await readBounded(received, 100)
    answer.writeHead(202, { "retry-after": "7" })
    answer.end(`${method} ${headers["content-type"]} ${headers["content-length"]} ${body}`)
  })
  const answer = await sendRequest(url, request())
  expect(answer.status).toBe(202)
  expect([answer.headers.get("retry-after"), answer.headers.get("location")]).toEqual(["7", null])
  expect((await readBounded(answer.body, 100))?.toString()).toBe("PUT text/plain 4 sent")
})

test("follows no redirect", async () => {
  const url = await serve((_, answer) => answer.writeHead(307, { location: "https://evil.example/" }).end())
  expect((await sendRequest(url, request())).status).toBe(307)
})

test("uses a connection again after an answer whose body was discarded", async () => {
  const ports = new Set<number | undefined>()
  const url = await serve(({ socket }, answer) => {
    ports.add(socket.remotePort)
    answer.end("x".repeat(100_000))
  })
  for (let count = 0; count < 3; count++) await discardBody(await sendRequest(url, request()))
  expect(ports.size).toBe(1)
})

test("rejects with the reason of the signal when it aborts before the answer", async () => {
  const url = await serve(() => {})
  const signal = AbortSignal.timeout(20)
  await expect(sendRequest(url, request({ signal }))).rejects.toMatchObject({ name: "TimeoutError" })
})

test("rejects with the code of Node.js when nothing listens", async () => {
  const url = await serve(() => {})
  await open.pop()?.()
  await expect(sendRequest(url, request())).rejects.toMatchObject({ code: "ECONNREFUSED" })
})

test("breaks off a body that does not arrive whole", async () => {
  const url = await serve((_, answer) => {
    answer.writeHead(200, { "content-length": "10" })
    answer.write("half", () => answer.destroy())
  })
  const { body } = await sendRequest(url, request())
  await expect(readBounded(body, 100)).rejects.toMatchObject({ code: "ECONNRESET" })
})
