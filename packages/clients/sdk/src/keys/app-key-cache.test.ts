import { describe, expect, test } from "vitest"
import { ApiError, ConnectionError } from "../errors/errors.ts"
import { createAppKeyCache } from "./app-key-cache.ts"

const refusal = (status: number) =>
  new ApiError({
    code: "refused",
    detail: "Refused.",
    status,
    fields: [],
    requestId: null,
    retryAfterMs: null,
  })

/** A cache over a service whose answers, and a clock whose time, tests set. */
function cacheWith(
  headers: Record<string, string> = { "cache-control": "private, max-age=300" },
  isShared = false,
) {
  const state = {
    nowMs: 0,
    calls: 0,
    headers: { "x-service-debug-mode": "true", ...headers },
    error: null as Error | null,
    content: null as unknown,
    wait: Promise.resolve(),
  }
  const get = createAppKeyCache({
    appId: "app_1",
    isShared,
    now: () => state.nowMs,
    fetchKey: async () => {
      const count = ++state.calls
      await state.wait
      if (state.error !== null) throw state.error
      const content = state.content ?? { appUuid: "app_1", ecdhP256KeyUncompressed: `key ${count}` }
      return { status: 200, headers: new Headers(state.headers), content }
    },
  })
  return { state, key: async () => (await get()).ecdhP256KeyUncompressed, get }
}

describe("the public key of an app", () => {
  test.each([
    [{ "cache-control": "private, max-age=300" }, 300],
    [{ "cache-control": "MAX-AGE=10" }, 10],
    [{ "cache-control": "max-age=300", age: "200" }, 100],
    [{ "cache-control": "max-age=999999999" }, 3600],
    [{ "cache-control": "no-store" }, 60],
    [{ "cache-control": "s-maxage=5" }, 60],
    [{}, 60],
  ])("is kept as long as %j allows", async (headers, seconds) => {
    const { state, key } = cacheWith(headers)
    await key()
    state.nowMs = seconds * 1000 - 1
    expect(await key()).toBe("key 1")
    state.nowMs = seconds * 1000
    expect(await key()).toBe("key 2")
  })

  test("is fetched for each of several callers at first, or once if they may share a request", async () => {
    const own = cacheWith()
    await Promise.all([own.key(), own.key(), own.key()])
    expect(own.state.calls).toBe(3)
    const shared = cacheWith(undefined, true)
    await Promise.all([shared.key(), shared.key(), shared.key()])
    expect(shared.state.calls).toBe(1)
  })

  test("is fetched again after a shared request has failed", async () => {
    const { state, key } = cacheWith(undefined, true)
    state.error = refusal(401)
    await Promise.all([0, 1].map(() => expect(key()).rejects.toBe(state.error)))
    state.error = null
    expect(await key()).toBe("key 2")
  })

  test("is renewed by one caller while the others use the old one", async () => {
    const { state, key } = cacheWith()
    await key()
    state.nowMs = 300_000
    const answered = Promise.withResolvers<void>()
    state.wait = answered.promise
    const renewing = key()
    expect(await Promise.all([key(), key()])).toEqual(["key 1", "key 1"])
    answered.resolve()
    expect(await renewing).toBe("key 2")
    expect(state.calls).toBe(2)
  })

  test.each([new ConnectionError("connection-failed", "Failed."), refusal(503), refusal(429)])(
    "is used for an hour more while the service cannot be asked: $code",
    async (error) => {
      const { state, key } = cacheWith()
      await key()
      state.error = error
      state.nowMs = 300_000 + 3_600_000 - 1
      expect(await key()).toBe("key 1")
      state.nowMs += 1
      await expect(key()).rejects.toBe(error)
    },
  )

  test("is asked for again ten seconds after it could not be had, and not before", async () => {
    const { state, key } = cacheWith()
    await key()
    state.error = new ConnectionError("connection-failed", "Failed.")
    state.nowMs = 300_000
    expect(await key()).toBe("key 1")
    state.error = null
    state.nowMs += 9_999
    expect(await key()).toBe("key 1")
    expect(state.calls).toBe(2)
    state.nowMs += 1
    expect(await key()).toBe("key 3")
  })

  test.each([401, 403, 404])("is not used any more when the service refuses with %d", async (status) => {
    const { state, key } = cacheWith()
    await key()
    state.nowMs = 300_000
    state.error = refusal(status)
    await expect(key()).rejects.toBe(state.error)
  })

  test("is fetched again when the clock goes backwards", async () => {
    const { state, key } = cacheWith()
    state.nowMs = 1000
    await key()
    state.nowMs = 999
    expect(await key()).toBe("key 2")
  })

  test.each([
    [{ appUuid: "app_1", ecdhP256KeyUncompressed: 7 }, "true"],
    [{ appUuid: "app_1" }, "true"],
    [{}, "true"],
    [[], "true"],
    ["key", "true"],
    [{ appUuid: "app_1", ecdhP256KeyUncompressed: "key" }, "yes"],
    [{ appUuid: "app_1", ecdhP256KeyUncompressed: "key" }, ""],
    [{ appUuid: "app_2", ecdhP256KeyUncompressed: "key" }, "true"],
    [{ ecdhP256KeyUncompressed: "key" }, "true"],
  ])("is not taken from %j with debug mode %j", async (content, debug) => {
    const { state, get } = cacheWith()
    state.content = content
    state.headers["x-service-debug-mode"] = debug
    await expect(get()).rejects.toMatchObject({ code: "unexpected-response" })
  })
})
