import { describe, expect, test } from "vitest"
import { ApiError, ConnectionError } from "../errors/errors.ts"
import { createSubjectKeyCache } from "./subject-key-cache.ts"

const idOf = (count: number) => `data_subject_${String(count).padStart(32, "0")}`

/** A cache over a service whose answers, and a clock whose time, tests set. */
function cacheWith(isShared = true) {
  const state = { nowMs: 0, asked: [] as string[], error: null as Error | null, content: null as unknown }
  const get = createSubjectKeyCache({
    appId: "app_1",
    isShared,
    now: () => state.nowMs,
    async fetchKey(dataSubject) {
      const count = state.asked.push(dataSubject)
      await Promise.resolve()
      if (state.error !== null) throw state.error
      const content = state.content ?? { id: idOf(count), app: "app_1", publicKey: "key", isSandbox: true }
      return { status: 200, headers: new Headers(), content }
    },
  })
  return { state, get, id: async (dataSubject: string) => (await get(dataSubject)).id }
}

describe("the public key of a data subject", () => {
  test.each([true, false])(
    "is used for 5 seconds from when it was asked for, and is of that data subject only: shared %s",
    async (isShared) => {
      const { state, id } = cacheWith(isShared)
      expect([await id("a"), await id("b")]).toEqual([idOf(1), idOf(2)])
      state.nowMs = 4_999
      expect([await id("a"), await id("b")]).toEqual([idOf(1), idOf(2)])
      state.nowMs = 5_000
      expect(await id("a")).toBe(idOf(3))
      expect(state.asked).toEqual(["a", "b", "a"])
    },
  )

  test("is fetched again when the clock goes backwards", async () => {
    const { state, id } = cacheWith()
    state.nowMs = 1_000
    await id("a")
    state.nowMs = 999
    expect(await id("a")).toBe(idOf(2))
  })

  test("is fetched once for several callers, if they may share a request", async () => {
    const shared = cacheWith()
    await Promise.all([shared.id("a"), shared.id("a"), shared.id("a")])
    expect(shared.state.asked).toEqual(["a"])
    const own = cacheWith(false)
    await Promise.all([own.id("a"), own.id("a")])
    expect(own.state.asked).toEqual(["a", "a"])
  })

  test.each([
    new ConnectionError("connection-failed", "Failed."),
    new ApiError({
      code: "conflict",
      detail: "Erased.",
      status: 409,
      fields: [],
      requestId: null,
      retryAfterMs: null,
    }),
  ])("is never an old one when the service does not give it: $code", async (error) => {
    const { state, id } = cacheWith()
    await id("a")
    state.nowMs = 5_000
    state.error = error
    await expect(id("a")).rejects.toBe(error)
    state.error = null
    expect(await id("a")).toBe(idOf(3))
  })

  test("is kept for the 1,000 data subjects that were asked for last", async () => {
    const { state, id } = cacheWith()
    for (let count = 0; count <= 1_000; count++) await id(`${count}`)
    await id("1")
    expect(state.asked).toHaveLength(1_001)
    await id("0")
    expect(state.asked).toHaveLength(1_002)
  })

  test.each([
    null,
    [],
    "key",
    {},
    { id: idOf(1), app: "app_2", publicKey: "key", isSandbox: true },
    { id: "data_subject_1", app: "app_1", publicKey: "key", isSandbox: true },
    { id: `${idOf(1)}0`, app: "app_1", publicKey: "key", isSandbox: true },
    { id: idOf(1), app: "app_1", publicKey: 7, isSandbox: true },
    { id: idOf(1), app: "app_1", publicKey: "key", isSandbox: "true" },
  ])("is not taken from %j", async (content) => {
    const { state, get } = cacheWith()
    state.content = content ?? []
    await expect(get("a")).rejects.toMatchObject({ code: "unexpected-response" })
  })
})
