import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { CONTAINER_LIMITS } from "./limits.ts"
import { startTestGateway } from "./testing/test-gateway.ts"

/** Sends the start of a part of 10 bytes through a gateway that waits for 50 ms. */
async function sendStart(start: string, store: RequestListener) {
  const storage = createServer(store)
  storage.on("checkContinue", store)
  await once(storage.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => {
    storage.closeAllConnections()
    storage.close()
  })
  const { port } = storage.address() as { port: number }
  const { connect } = await startTestGateway({
    storage: { path: "/storage", endpoint: `http://127.0.0.1:${port}` },
    limits: { ...CONTAINER_LIMITS, stallTimeoutMs: 50 },
  })
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
