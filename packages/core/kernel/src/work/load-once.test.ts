import { expect, test, vi } from "vitest"
import { loadOnce } from "./load-once.ts"

test("loads once, at the first call, and again only after a load that failed", async () => {
  const load = vi.fn(async () => ({}))
  load.mockRejectedValueOnce(new Error("not loaded"))
  const loaded = loadOnce(load)
  expect(load).not.toHaveBeenCalled()
  await expect(loaded()).rejects.toThrow("not loaded")
  const [first, second] = await Promise.all([loaded(), loaded()])
  expect(first).toBe(second)
  expect(await loaded()).toBe(first)
  expect(load).toHaveBeenCalledTimes(2)
})
