import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
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
  await expect.poll(() => gateway.load.bytes, { timeout: 15_000 }).toBe(CHUNKS)
  expect(memoryBytes() - before).toBeLessThan(20 * CHUNKS)
  client.send("2\r\nbc\r\n0\r\n\r\n")
  expect((await client.response())?.statusCode).toBe(200)
  expect(events[0]?.body).toBe(`${"a".repeat(CHUNKS)}bc`)
})

/** Measures the memory of the process. */
function memoryBytes(): number {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
