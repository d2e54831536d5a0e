import { describe, expect, test } from "vitest"
import { createHandlerWorld, HOST, headerIn } from "./testing/world.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`
const STATE = ["Tracestate", "a=1", "tracestate", "b=2"]

async function forward(headers: readonly string[]) {
  const world = await createHandlerWorld()
  await world.send({ rawHeaders: ["Host", HOST, ...headers], method: "GET" })
  return world.sent[0]?.rawHeaders
}

describe("the trace of a request", () => {
  test("goes on to the destination with a new parent, and with its state unchanged", async () => {
    const sent = await forward(["TraceParent", TRACEPARENT, ...STATE])
    const traceparent = headerIn(sent, "traceparent")
    expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
    expect(traceparent).not.toBe(TRACEPARENT)
    expect(sent).toEqual(expect.arrayContaining(STATE))
  })

  test("is not started by a relay", async () => {
    expect(headerIn(await forward([]), "traceparent")).toBeUndefined()
  })

  test.each([
    ["malformed", ["traceparent", "00-1-2-3"]],
    ["sent twice", ["traceparent", TRACEPARENT, "traceparent", TRACEPARENT]],
  ])("passes unchanged when it is %s", async (_, headers) => {
    const sent = await forward(headers)
    expect(sent?.filter((_, index) => sent[index - 1] === "traceparent")).toEqual(
      headers.filter((_, index) => index % 2 === 1),
    )
  })

  test("is named in the log line of a refusal, and only if it is well-formed", async () => {
    const world = await createHandlerWorld({ authentication: "api-key" })
    for (const traceparent of [TRACEPARENT, "card 4242424242424242"]) {
      await world.send({ rawHeaders: ["Host", HOST, "traceparent", traceparent] })
    }
    expect(world.refused).toMatchObject([{ traceId: TRACE }, { requestId: "request_1" }])
    expect(world.refused[1]).not.toHaveProperty("traceId")
  })
})
