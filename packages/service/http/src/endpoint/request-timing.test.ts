import { describe, expect, test } from "vitest"
import { RequestTiming } from "./request-timing.ts"

function start() {
  const clock = { ms: 1_000 }
  const pass = (durationMs: number) => {
    clock.ms += durationMs
  }
  return { pass, timing: new RequestTiming(() => clock.ms) }
}
const KEY = { actor: { type: "api-key", id: "key_1" } } as const

describe("the times of a request", () => {
  test("do not count a phase within another one twice", async () => {
    const { pass, timing } = start()
    pass(1)
    timing.measure("authentication", () => pass(2))
    await timing.measure("crypto", async () => {
      pass(4)
      await timing.measure("policy", async () => pass(8))
      pass(16)
    })
    timing.measure("crypto", () => pass(32))
    expect(timing.headerFor(KEY)).toBe("total;dur=63, authentication;dur=2, policy;dur=8, crypto;dur=52")
  })

  test("are rounded up to a tenth of a millisecond", () => {
    const { pass, timing } = start()
    timing.measure("keys", () => pass(0.001))
    pass(0.15)
    expect(timing.headerFor(KEY)).toBe("total;dur=0.2, keys;dur=0.1")
  })

  test("are shown to keys and members, and not to holders of tokens or unknown senders", () => {
    const { timing } = start()
    const shown = (type: "team-key" | "member" | "client-side-token" | "run-token") =>
      timing.headerFor({ actor: { type, id: "id" } })
    expect([shown("team-key"), shown("member")]).toEqual(["total;dur=0", "total;dur=0"])
    expect([shown("client-side-token"), shown("run-token"), timing.headerFor(null)]).toEqual([
      null,
      null,
      null,
    ])
  })
})
