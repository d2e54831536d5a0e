import { inspect } from "node:util"
import { describe, expect, test } from "vitest"
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  PermissionError,
  RateLimitError,
  UnavailableError,
} from "../errors/errors.ts"
import { basicAuthorization } from "./authorization.ts"
import { type Attempt, type ConnectionOptions, createTransport } from "./http-transport.ts"
import type { ApiRequest } from "./transport.ts"

const authorization = basicAuthorization(["appId", "app_1"], ["apiKey", "swk_marker"])
const READ: ApiRequest = { method: "GET", path: "/keys", isRepeatable: true }
const WRITE: ApiRequest = {
  method: "POST",
  path: "/data-roles",
  takesIdempotencyKey: true,
  isRepeatable: true,
  body: { contentType: "application/json", content: "{}" },
}
const ONCE: ApiRequest = { method: "POST", path: "/payments/bin-lookups", isRepeatable: false }

type Answer = Response | Error | (() => Promise<Response>)

/** A transport whose network answers in this order, and everything that it sends and waits for. */
function network(answers: readonly Answer[], options: Partial<ConnectionOptions> = {}) {
  const sent: { readonly url: string; readonly headers: Headers; readonly init: RequestInit }[] = []
  const waits: number[] = []
  let nowMs = 0
  const wallClock = () => 1_700_000_000_000 + nowMs
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    nowMs += 5
    sent.push({ url: String(url), headers: new Headers(init.headers), init })
    const answer = answers[sent.length - 1] ?? new Error("Nobody expects this request")
    if (answer instanceof Error) throw answer
    return answer instanceof Response ? answer : answer()
  }
  const transport = createTransport(
    { baseUrl: "https://api.example.com", authorization, fetch, ...options },
    { random: () => 0.5, now: () => nowMs, wallClock, sleep: async (ms) => void waits.push(ms) },
  )
  return { sent, waits, transport }
}
const json = (content: unknown, init: ResponseInit = {}) => Response.json(content, init)
const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  json(
    { code, title: "T", detail: "A detail.", status },
    { status, headers: { "content-type": "application/problem+json", ...headers } },
  )
const refusalOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError || error instanceof ConnectionError))
    throw error ?? new Error("Not refused")
  return error
}

describe("a request", () => {
  test("is repeated after 429, 503, a gateway's failure and a failing network, with the same Idempotency-Key", async () => {
    const answers = [
      problem(429, "too-many-requests"),
      problem(503, "service-unavailable"),
      new Response("Bad gateway", { status: 502 }),
      new TypeError("fetch failed"),
      json({ id: "role_1" }),
    ]
    const { sent, waits, transport } = network(answers, { maxRetries: 4 })
    expect((await transport.send(WRITE)).content).toEqual({ id: "role_1" })
    const keys = new Set(sent.map(({ headers }) => headers.get("idempotency-key")))
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(waits).toEqual([125, 250, 500, 1000])
  })

  test("waits as long as Retry-After says, and up to half as much again", async () => {
    const { waits, transport } = network([
      problem(429, "too-many-requests", { "retry-after": "4" }),
      json({}),
    ])
    await transport.send(READ)
    expect(waits).toEqual([5000])
  })

  test("is not repeated when Retry-After asks for more than a minute", async () => {
    const minute = network([problem(429, "too-many-requests", { "retry-after": "60" }), json({})])
    await minute.transport.send(READ)
    expect(minute.waits).toEqual([75_000])
    const { sent, transport } = network([problem(429, "too-many-requests", { "retry-after": "61" })])
    expect((await refusalOf(transport.send(READ))).code).toBe("too-many-requests")
    expect(sent).toHaveLength(1)
  })

  test("is repeated while an earlier attempt with its Idempotency-Key is under way", async () => {
    const busy = () => problem(409, "conflict", { "retry-after": "1" })
    const { sent, transport } = network([new TypeError("fetch failed"), busy(), json({})])
    await transport.send(WRITE)
    expect(sent).toHaveLength(3)
    expect((await refusalOf(network([busy()]).transport.send(READ))).code).toBe("conflict")
  })

  test.each([
    ["another conflict", problem(409, "conflict")],
    ["a result that nobody knows", problem(409, "idempotency-result-unknown")],
    ["a wrong request", problem(400, "invalid-request")],
    ["a failure in the service", problem(500, "internal-server-error")],
  ])("is not repeated after %s", async (_, answer) => {
    const { sent, transport } = network([answer])
    await refusalOf(transport.send(WRITE))
    expect(sent).toHaveLength(1)
  })

  test.each([problem(503, "service-unavailable"), new TypeError("fetch failed")])(
    "that may change something and takes no Idempotency-Key is sent once",
    async (answer) => {
      const { sent, transport } = network([answer])
      await refusalOf(transport.send(ONCE))
      expect(sent).toHaveLength(1)
    },
  )

  test("is sent once more than maxRetries says, and then fails with the last error", async () => {
    const failing = [1, 2, 3].map(() => new TypeError("fetch failed"))
    const { sent, transport } = network(failing, { maxRetries: 9 })
    expect((await refusalOf(transport.send(READ, { maxRetries: 2 }))).code).toBe("connection-failed")
    expect(sent).toHaveLength(3)
  })

  test("takes the caller's Idempotency-Key, and refuses one where there is none", async () => {
    const { sent, transport } = network([json({})])
    await transport.send(WRITE, { idempotencyKey: "order-7" })
    expect(sent[0]?.headers.get("idempotency-key")).toBe("order-7")
    await expect(transport.send(READ, { idempotencyKey: "order-7" })).rejects.toThrow(TypeError)
    await expect(transport.send(WRITE, { idempotencyKey: "a\r\nb: marker" })).rejects.toThrow(
      "idempotencyKey must be a text of visible ASCII characters.",
    )
    expect(sent).toHaveLength(1)
  })
})

describe("a signal", () => {
  const never = () => new Promise<Response>(() => undefined)
  const hanging = (_: unknown, init?: RequestInit) =>
    new Promise<Response>((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))
    })

  test("ends a call with its reason, before it is sent, while it waits for an answer and between attempts", async () => {
    const reason = new Error("The user left")
    const { sent, transport } = network([never])
    await expect(transport.send(READ, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(sent).toHaveLength(0)

    const leaving = new AbortController()
    const waiting = network([], { fetch: hanging }).transport.send(READ, { signal: leaving.signal })
    leaving.abort(reason)
    await expect(waiting).rejects.toBe(reason)

    const later = new AbortController()
    const slow = createTransport({
      baseUrl: "https://api.example.com",
      authorization,
      fetch: async () => problem(429, "too-many-requests", { "retry-after": "50" }),
    })
    const retrying = slow.send(READ, { signal: later.signal })
    setTimeout(() => later.abort(reason), 10)
    await expect(retrying).rejects.toBe(reason)
  })

  test("is not needed for a time-out, which is a connection-timeout", async () => {
    const { transport } = network([], { fetch: hanging, timeoutMs: 5, maxRetries: 0 })
    expect((await refusalOf(transport.send(READ))).code).toBe("connection-timeout")
  })
})

describe("an answer", () => {
  test("that refuses has the code, status, fields, pointer and request id of the service", async () => {
    const fields = [{ pointer: "/card/number", reason: "Wrong." }, { pointer: 7 }]
    const answer = json(
      { code: "invalid-request", detail: "A detail.", status: 400, fields },
      { status: 400, headers: { "apigw-requestid": "abc=" } },
    )
    const error = await refusalOf(network([answer]).transport.send(READ))
    expect(error).toMatchObject({
      code: "invalid-request",
      message: "A detail.",
      status: 400,
      requestId: "abc=",
      pointer: "/card/number",
      fields: [{ pointer: "/card/number", reason: "Wrong." }],
    })
  })

  test.each([
    [403, "forbidden"],
    [404, "not-found"],
    [429, "too-many-requests"],
    [503, "service-unavailable"],
    [418, "unexpected-response"],
  ])("of a gateway with status %d is %s", async (status, code) => {
    const answer = new Response("<h1>marker</h1>", { status })
    const error = await refusalOf(network([answer]).transport.send(READ, { maxRetries: 0 }))
    expect(error.code).toBe(code)
    expect(error.message).not.toContain("marker")
  })

  test.each(["Invalid Code", "", "a".repeat(101), null, "__proto__"])(
    "with the code %j is not the service's",
    async (code) => {
      const answer = json({ code, detail: "marker" }, { status: 418 })
      const error = await refusalOf(network([answer]).transport.send(READ))
      expect(error.code).toBe("unexpected-response")
      expect(inspect(error)).not.toContain("marker")
    },
  )

  test.each([301, 302, 307, 308])(
    "that redirects with %d is refused, and nothing is sent to its Location",
    async (status) => {
      const answer = new Response(null, { status, headers: { location: "https://evil.example/" } })
      const { sent, transport } = network([answer])
      expect((await refusalOf(transport.send(READ))).code).toBe("unexpected-response")
      expect(sent.map(({ init }) => init.redirect)).toEqual(["manual"])
    },
  )

  test("that redirects, as browsers show it, is refused and not asked for again", async () => {
    const redirect = () => Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" })
    const { sent, transport } = network([redirect(), redirect()])
    expect((await refusalOf(transport.send(READ))).code).toBe("unexpected-response")
    expect(sent).toHaveLength(1)
  })

  test("is read up to maxResponseBytes, whatever its Content-Length says", async () => {
    const endless = () => {
      let pulls = 0
      const body = new ReadableStream({
        pull: (controller) => {
          pulls += 1
          controller.enqueue(new Uint8Array(1024))
        },
      })
      return {
        pulls: () => pulls,
        response: new Response(body, { headers: { "content-type": "application/json" } }),
      }
    }
    const bomb = endless()
    const { transport } = network([bomb.response], { maxResponseBytes: 10_000 })
    expect((await refusalOf(transport.send(READ))).code).toBe("response-too-large")
    expect(bomb.pulls()).toBeLessThan(15)
    const exact = new Response(`"${"a".repeat(98)}"`, { headers: { "content-type": "application/json" } })
    expect((await network([exact], { maxResponseBytes: 100 }).transport.send(READ)).content).toHaveLength(98)
  })

  test("of a refusal is bounded too", async () => {
    const answer = new Response("a".repeat(300_000), { status: 400 })
    expect((await refusalOf(network([answer]).transport.send(READ))).code).toBe("response-too-large")
  })

  test.each([
    ["is not JSON", "application/json", '{"card": "marker'],
    ["is a page", "text/html", "<h1>marker</h1>"],
    ["is not UTF-8", "application/json", new Uint8Array([0x22, 0xff, 0x22])],
  ])("that %s is an unexpected-response that repeats nothing of it", async (_, contentType, body) => {
    const answer = new Response(body, { headers: { "content-type": contentType } })
    const error = await refusalOf(network([answer]).transport.send(READ))
    expect(error.code).toBe("unexpected-response")
    expect(inspect(error)).not.toContain("marker")
  })

  test("is its bytes, with every digit, where they are wanted, but never those of a page", async () => {
    const text = '{"result":12345678901234567890.10}'
    const { transport } = network([
      new Response(text, { headers: { "content-type": "application/json" } }),
      new Response("<h1>marker</h1>", { headers: { "content-type": "text/html" } }),
    ])
    const { content } = await transport.send({ ...READ, wantsBytes: true })
    expect(content).toEqual(new TextEncoder().encode(text))
    expect((await refusalOf(transport.send({ ...READ, wantsBytes: true }))).code).toBe("unexpected-response")
  })

  test("may come from anything that does as much of fetch as is needed", async () => {
    const seen: unknown[] = []
    async function* pieces() {
      yield new TextEncoder().encode('{"id":')
      yield new TextEncoder().encode('"role_1"}')
    }
    const transport = createTransport({
      baseUrl: "https://api.example.com",
      authorization,
      async fetch(_url, { headers }) {
        seen.push(Object.getPrototypeOf(headers), headers.authorization)
        const get = (name: string) => (name === "content-type" ? "application/json" : null)
        return { status: 200, headers: { get }, body: pieces() }
      },
    })
    expect((await transport.send(READ)).content).toEqual({ id: "role_1" })
    expect(seen).toEqual([Object.prototype, authorization()])
  })

  test("with fields like __proto__ changes no prototype", async () => {
    const answer = new Response('{"__proto__": {"isAdmin": true}}', {
      headers: { "content-type": "application/json" },
    })
    const { content } = await network([answer]).transport.send(READ)
    expect(Object.getPrototypeOf(content)).toBe(Object.prototype)
    expect("isAdmin" in {}).toBe(false)
  })
})

describe("the options", () => {
  const create = (options: object) =>
    createTransport({ baseUrl: "https://api.example.com", authorization, ...options })

  test.each([
    "http://api.example.com",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
    "ftp://api.example.com",
    "https://user:marker@api.example.com",
    "https://api.example.com?x=marker",
    "https://api.example.com#marker",
    "//api.example.com",
    "",
    7,
  ])("refuse the base URL %j, without repeating it", (baseUrl) => {
    expect(() => create({ baseUrl })).toThrow(TypeError)
    expect(() => create({ baseUrl })).not.toThrow(/marker/)
  })

  test.each([
    ["https://api.example.com/", "https://api.example.com/keys"],
    ["https://example.com/sealway//", "https://example.com/sealway/keys"],
    ["http://localhost:8787", "http://localhost:8787/keys"],
    ["http://[::1]:8787", "http://[::1]:8787/keys"],
  ])("append paths to %s", async (baseUrl, url) => {
    const { sent, transport } = network([json({})], { baseUrl })
    await transport.send(READ)
    expect(sent[0]?.url).toBe(url)
  })

  test("allow http elsewhere only when asked to", () => {
    expect(() => create({ baseUrl: "http://sealway:8787", allowHttp: true })).not.toThrow()
  })

  test.each([
    { timeoutMs: -1 },
    { timeoutMs: 2 ** 31 },
    { maxRetries: 1.5 },
    { maxRetries: 101 },
    { maxResponseBytes: Number.NaN },
  ])("refuse %j", (wrong) => {
    expect(() => create(wrong)).toThrow(TypeError)
  })
})

test("names the reason of a failed connection by its code, and keeps nothing else of it", async () => {
  const parserError = Object.assign(new Error("marker"), { code: "HPE_INVALID_CONSTANT", data: "marker" })
  for (const [cause, message, reason] of [
    [parserError, "The service could not be reached (HPE_INVALID_CONSTANT).", "HPE_INVALID_CONSTANT"],
    [Object.assign(new Error("marker"), { code: "marker: a b" }), "The service could not be reached.", null],
    ["marker", "The service could not be reached.", null],
  ]) {
    const failed = new TypeError("fetch failed", { cause })
    const error = await refusalOf(network([failed]).transport.send(READ, { maxRetries: 0 }))
    expect(error).toMatchObject({ message, reason })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("marker")
  }
})

test("refuses an authorization that would begin another header, without repeating it", async () => {
  const sent = network([], { authorization: () => "Bearer marker\r\nx: y" } as object).transport.send(READ)
  await expect(sent).rejects.toThrow("The authorization must be visible ASCII.")
})

test.each([
  ["app_1", "swk_marker\n"],
  ["app_1", "swk_marker€"],
  ["app_1", ""],
  ["app:1", "swk_marker"],
  ["app 1", "swk_marker"],
])("refuses credentials that cannot be sent (%j), without repeating them", (appId, apiKey) => {
  const create = () => basicAuthorization(["appId", appId], ["apiKey", apiKey])
  expect(create).toThrow(TypeError)
  expect(create).not.toThrow(/marker/)
})

test("shows no credentials when a transport or its errors are printed", async () => {
  const { transport } = network([new TypeError("fetch failed"), problem(401, "unauthorized")], {
    maxRetries: 0,
  })
  const errors = [await refusalOf(transport.send(READ)), await refusalOf(transport.send(READ))]
  for (const each of [transport, ...errors]) {
    const shown = `${inspect(each, { depth: 9, showHidden: true })}${JSON.stringify(each)}${each}`
    expect(shown).not.toContain("swk_marker")
    expect(shown).not.toContain(btoa("app_1:swk_marker"))
  }
})

describe("a refusal", () => {
  test.each([
    [400, "invalid-request", ApiError],
    [401, "unauthorized", AuthenticationError],
    [403, "decrypt/forbidden", PermissionError],
    [404, "not-found", ApiError],
    [409, "conflict", ConflictError],
    [422, "data-subject/erased", ApiError],
    [429, "too-many-requests", RateLimitError],
    [500, "internal-server-error", UnavailableError],
    [503, "service-unavailable", UnavailableError],
  ])("with status %d is an error of the class that says what to do", async (status, code, kind) => {
    const error = await refusalOf(network([problem(status, code)]).transport.send(ONCE))
    expect(error.constructor).toBe(kind)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ name: kind.name, code, status, retryAfterMs: null })
  })

  test.each([
    ["7", 7000],
    ["Fri, 27 Nov 2026 00:00:00 GMT", null],
  ])("has the time that Retry-After: %s asks for", async (header, retryAfterMs) => {
    const { transport } = network([problem(429, "too-many-requests", { "retry-after": header })])
    expect(await refusalOf(transport.send(ONCE))).toMatchObject({ retryAfterMs })
  })
})

describe("what a program is told about attempts", () => {
  async function attemptsOf(answers: readonly Answer[], request: Partial<ApiRequest> = {}) {
    const attempts: Attempt[] = []
    const { transport } = network(answers, { onAttempt: (attempt) => attempts.push(attempt) })
    await transport.send({ ...READ, ...request }).catch(() => undefined)
    return attempts
  }

  test("is each of them, with its status, code and request id", async () => {
    const headers = { "apigw-requestid": "request-1" }
    const attempts = await attemptsOf([
      problem(503, "service-unavailable", headers),
      new TypeError("fetch failed"),
      json({}, { headers: { "apigw-requestid": "request-2" } }),
    ])
    const common = (number: number) => {
      const startedAt = new Date(1_700_000_000_000 + 5 * (number - 1))
      return { method: "GET", route: "/keys", number, startedAt, tookMs: 5 }
    }
    expect(attempts).toEqual([
      { ...common(1), status: 503, code: "service-unavailable", requestId: "request-1" },
      { ...common(2), status: null, code: "connection-failed", requestId: null },
      { ...common(3), status: 200, code: null, requestId: "request-2" },
    ])
  })

  test("names no id, value or credential", async () => {
    const attempts = await attemptsOf([problem(404, "not-found")], {
      path: "/data-subjects/ada-marker",
      route: "/data-subjects/{data_subject_id}",
      query: { q: "marker" },
      headers: { "x-service-data-role": "marker" },
    })
    expect(attempts).toHaveLength(1)
    expect(JSON.stringify(attempts)).not.toContain("marker")
  })
})
