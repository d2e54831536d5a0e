import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { createIdempotency } from "@sealway/http"
import { MB } from "@sealway/kernel"
import { createMemoryTable } from "@sealway/ports/testing"
import { expect, test } from "vitest"
import { proxyEvent } from "../support/proxy-event.ts"

const REQUESTS = 8

/** What is still in use, in bytes. */
function memoryBytes(): number {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test("requests with an Idempotency-Key keep no texts of their bodies while they are worked on", async () => {
  const idempotency = createIdempotency(createMemoryTable({ wallClock: Date.now }), Date.now)
  const bodyBytes = Buffer.from(`"Zoë${"x".repeat(MB)}"`)
  const begun = Array.from({ length: REQUESTS }, () => Promise.withResolvers<void>())
  const ended = Promise.withResolvers<void>()
  const before = memoryBytes()
  const answers = begun.map(({ resolve }, index) => {
    const event = proxyEvent({ method: "POST", path: "/", headers: { "idempotency-key": `${index}` } })
    return idempotency.run({ ...event, bodyBytes }, "secret", async () => {
      resolve()
      await ended.promise
      return { statusCode: 204 }
    })
  })
  await Promise.all(begun.map(({ promise }) => promise))
  expect(memoryBytes() - before).toBeLessThan((REQUESTS / 2) * bodyBytes.length)
  ended.resolve()
  await Promise.all(answers)
})
