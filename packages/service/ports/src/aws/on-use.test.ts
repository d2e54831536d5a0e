import { expect, test, vi } from "vitest"
import { queuesOnUse } from "./on-use.ts"

test("what is used is loaded once, by the first call, and again only after a load that failed", async () => {
  const send = vi.fn(async () => undefined)
  const load = vi.fn(async () => ({ send }))
  load.mockRejectedValueOnce(new Error("not loaded"))
  const queues = queuesOnUse(load)
  expect(load).not.toHaveBeenCalled()
  const sent = () => queues.send("events", {})
  await expect(sent()).rejects.toThrow("not loaded")
  await Promise.all([sent(), sent()])
  expect([load.mock.calls.length, send.mock.calls.length]).toEqual([2, 2])
})
