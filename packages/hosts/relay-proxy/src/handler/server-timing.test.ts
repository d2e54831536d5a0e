import { describe, expect, test } from "vitest"
import { actionOn, routeWith } from "./testing/routes.ts"
import { createHandlerWorld, HOST } from "./testing/world.ts"

const ROUTES = [routeWith({ request: [actionOn("encrypt", "$.name")] })]
const JSON_TYPE = ["Content-Type", "application/json"]
const OWN = "db;dur=5"

/** Returns the values of `Server-Timing` in the relay's answer. */
async function timings(serverTiming: boolean, isAuthenticated: boolean, body = '{"name":"a"}') {
  const world = await createHandlerWorld({ serverTiming, routes: ROUTES }, () => ({
    headers: ["Server-Timing", OWN, ...JSON_TYPE],
    body: "{}",
  }))
  const credentials = isAuthenticated ? ["X-Service-Api-Key", world.addKey()] : []
  const { rawHeaders, status } = await world.send({
    rawHeaders: ["Host", HOST, ...JSON_TYPE, ...credentials],
    body,
  })
  const values = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === "server-timing")
  return { status, values }
}

describe("Server-Timing of a relay", () => {
  test("stands beside the destination's own when the relay has it switched on, for requests with a key", async () => {
    const { values } = await timings(true, true)
    expect(values).toEqual([OWN, expect.stringMatching(/^total;dur=[0-9.]+, /)])
    const phases = values[1]?.split(", ").map((each) => each.split(";")[0])
    expect(phases).toEqual(["total", "authentication", "keys", "crypto", "upstream"])
  })

  test("is not sent by default, nor without a key, nor with a refusal", async () => {
    expect((await timings(false, true)).values).toEqual([OWN])
    expect((await timings(true, false)).values).toEqual([OWN])
    expect(await timings(true, true, "{")).toEqual({ status: 400, values: [] })
  })
})
