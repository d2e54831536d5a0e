import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { CONTAINER_LIMITS } from "./limits.ts"
import { startTestGateway } from "./testing/test-gateway.ts"

/** Starts a gateway in front of a storage. */
async function startStorage(store: RequestListener, stallTimeoutMs = CONTAINER_LIMITS.stallTimeoutMs) {
  const storage = createServer(store)
  storage.on("checkContinue", store)
  await once(storage.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => {
    storage.closeAllConnections()
    storage.close()
  })
  const { port } = storage.address() as { port: number }
  return startTestGateway({
    storage: { path: "/storage", endpoint: `http://127.0.0.1:${port}` },
    limits: { ...CONTAINER_LIMITS, stallTimeoutMs, drainTimeoutMs: 100 },
  })
}

/** Sends the start of a part of 10 bytes through a gateway that waits for 50 ms. */
async function sendStart(start: string, store: RequestListener) {
  const { connect } = await startStorage(store, 50)
  const client = await connect()
  client.send(`PUT /storage/b/k?X-Amz-Signature=0 HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n${start}`)
  const answer = await client.response()
  return { status: answer?.statusCode, body: answer?.body ?? "" }
}

test("answers request-timeout when the sender of a part stops", async () => {
  const { status, body } = await sendStart("12345", (request, response) => {
    response.writeContinue()
    request.resume()
  })
  expect(status).toBe(408)
  expect(body).toContain("request-timeout")
})

test("answers service-unavailable when the storage does not answer", async () => {
  const { status, body } = await sendStart("1234567890", (request, response) => {
    response.writeContinue()
    request.resume()
  })
  expect(status).toBe(503)
  expect(body).toContain("service-unavailable")
})

test("answers internal-server-error when the storage closes the connection", async () => {
  const { status } = await sendStart("12345", (request) => request.destroy())
  expect(status).toBe(500)
})

const PLACES = 128

test("cuts a transfer of the app that takes every place for one of another app, which the storage permits", async () => {
  const { url } = await startStorage((request, response) => {
    const isForged = request.url?.endsWith("forged")
    response.writeHead(isForged ? 403 : 200, { "content-length": 2 })
    if (isForged) response.end("no")
    else response.write("a")
  })
  const transfer = (appId: string, signature = "1") =>
    fetch(`${url}/storage/files/${appId}/file_1?X-Amz-Signature=${signature}`)
  const greedy = await Promise.all(Array.from({ length: PLACES }, () => transfer("app_a")))
  expect(new Set(greedy.map(({ status }) => status))).toEqual(new Set([200]))
  const cut: unknown[] = []
  for (const answer of greedy) answer.text().catch((error: unknown) => cut.push(error))

  const refused = await transfer("app_a")
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
  expect((await transfer("app_b", "forged")).status).toBe(403)
  expect(cut).toHaveLength(0)
  expect((await transfer("app_b")).status).toBe(200)
  await expect.poll(() => cut.length).toBe(1)
})
