import { describe, expect, test } from "vitest"
import { createTestHost } from "../testing/test-host.ts"
import { createServiceClient } from "./service-client.ts"

const KEY = "swk_sandbox_secret"
const URL_OF_SERVICE = "https://api.example.com/prod"

interface SentRequest {
  readonly address: string
  readonly method: string | undefined
  readonly headers: Headers
}

/** Creates a client with simulated outcomes, one per call and then the last one forever. */
function clientOf(outcomes: readonly (() => Response | Error)[], app: string | null = "app_1") {
  const sent: SentRequest[] = []
  const host = createTestHost({
    folder: "/",
    fetch: async (address, init) => {
      sent.push({ address: String(address), method: init?.method, headers: new Headers(init?.headers) })
      const outcome = outcomes[Math.min(sent.length, outcomes.length) - 1]?.() ?? new Response()
      if (outcome instanceof Error) throw outcome
      return outcome
    },
  })
  return { client: createServiceClient(host, URL_OF_SERVICE, { app, key: KEY }, 1_000), sent, host }
}

const ok = () => Response.json({ ok: true })
const problem =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ code, title: "Title", detail: "A reason.", status }, { status, headers })
const failed = (code: string) => () => Object.assign(new Error("failed"), { code })

const read = { method: "GET", path: ["apps"] } as const
const write = { method: "POST", path: ["apps"] } as const

describe("a call", () => {
  test("goes to its path below the service's address, with the app's credentials", async () => {
    const { client, sent } = clientOf([ok])
    await client.send({ ...read, path: ["a b", "c/d?e"], query: { limit: "1", after: undefined } })
    expect(sent[0]?.address).toBe(`${URL_OF_SERVICE}/a%20b/c%2Fd%3Fe?limit=1`)
    expect(sent[0]?.headers.get("authorization")).toBe(`Basic ${btoa(`app_1:${KEY}`)}`)
  })

  test("sends only the key when no app is known", async () => {
    const { client, sent } = clientOf([ok], null)
    await client.send(read)
    expect(sent[0]?.headers.get("api-key")).toBe(KEY)
  })

  test.each(["", ".", ".."])(
    "is refused with not-found when a name would lead to another path: %j",
    async (name) => {
      const { client, sent } = clientOf([ok])
      await expect(client.send({ ...read, path: ["apps", name] })).rejects.toMatchObject({
        code: "not-found",
        exitCode: 4,
      })
      expect(sent).toEqual([])
    },
  )
})

describe("a busy service", () => {
  test("is called again after the time that it names", async () => {
    const { client, sent, host } = clientOf([problem(503, "service-unavailable", { "retry-after": "2" }), ok])
    expect((await client.send(read)).status).toBe(200)
    expect(sent.length).toBe(2)
    expect(host.sleptMs).toEqual([2_000])
  })

  test("receives one idempotency key however often a write is retried", async () => {
    const busy = problem(429, "too-many-requests")
    const { client, sent } = clientOf([busy, busy, ok])
    await client.send(write)
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"))
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(keys).size).toBe(1)
    expect(keys.length).toBe(3)
  })

  test("ends the command after four attempts", async () => {
    const { client, sent } = clientOf([problem(503, "service-unavailable")])
    await expect(client.send(read)).rejects.toMatchObject({ code: "service-unavailable", exitCode: 5 })
    expect(sent.length).toBe(4)
  })
})

describe("two writes", () => {
  test("have different idempotency keys", async () => {
    const { client, sent } = clientOf([ok])
    await client.send(write)
    await client.send(write)
    expect(sent[0]?.headers.get("idempotency-key")).not.toBe(sent[1]?.headers.get("idempotency-key"))
  })
})

describe("a refusal", () => {
  test.each([
    [400, "invalid-request", 1],
    [401, "unauthorized", 3],
    [403, "forbidden", 3],
    [403, "decrypt/forbidden", 1],
    [404, "not-found", 4],
    [409, "conflict", 1],
    [500, "internal-server-error", 5],
  ])("%i %s ends with status %i immediately", async (status, code, exitCode) => {
    const { client, sent } = clientOf([problem(status, code)])
    await expect(client.send(write)).rejects.toMatchObject({ code, exitCode, message: "A reason." })
    expect(sent.length).toBe(1)
  })

  test("in a gateway's own format is recognised by its status", async () => {
    const { client } = clientOf([() => new Response("<html>", { status: 502 })])
    await expect(client.send(read)).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringContaining("502"),
    })
  })

  test("by redirect is not followed, which would send the key along", async () => {
    const { client, sent } = clientOf([
      () => new Response(null, { status: 307, headers: { location: "https://evil.example" } }),
    ])
    await expect(client.send(read)).rejects.toMatchObject({ code: "unavailable", exitCode: 5 })
    expect(sent.length).toBe(1)
  })
})

describe("an unreachable service", () => {
  test.each(["ECONNREFUSED", "ENOTFOUND", "CERT_HAS_EXPIRED"])(
    "ends the command immediately: %s",
    async (code) => {
      const { client, sent } = clientOf([failed(code)])
      await expect(client.send(read)).rejects.toMatchObject({ code: "unavailable", exitCode: 5 })
      expect(sent.length).toBe(1)
    },
  )

  test("is tried once more when it closed a kept-alive connection", async () => {
    const { client, sent } = clientOf([failed("ECONNRESET"), ok])
    expect((await client.send(write)).status).toBe(200)
    expect(sent[0]?.headers.get("idempotency-key")).toBe(sent[1]?.headers.get("idempotency-key"))
  })
})

test("refuses a key with characters that no header can contain, without repeating it", () => {
  const host = createTestHost({ folder: "/" })
  const create = () => createServiceClient(host, URL_OF_SERVICE, { app: null, key: "secret\nkey" }, 1_000)
  expect(create).toThrow(
    expect.objectContaining({ code: "credentials", message: expect.not.stringContaining("secret") }),
  )
})
