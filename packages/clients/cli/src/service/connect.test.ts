import { createDataRole, getApp, listApps } from "@sealway/sdk/api"
import { describe, expect, test } from "vitest"
import { failureOf } from "../terminal/failure-of.ts"
import { createTestHost } from "../testing/test-host.ts"
import { connect } from "./connect.ts"

const KEY = "swk_sandbox_secret"
const URL_OF_SERVICE = "https://api.example.com/prod"

interface SentRequest {
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
}

/** Connects to a service with simulated outcomes, one per attempt and then the last one forever. */
function connectTo(outcomes: readonly (() => Response | Error)[], app: string | null = "app_1") {
  const sent: SentRequest[] = []
  const host = createTestHost({
    folder: "/",
    fetch: async (address, { headers }) => {
      sent.push({ address, headers })
      const outcome = outcomes[Math.min(sent.length, outcomes.length) - 1]?.() ?? new Response()
      if (outcome instanceof Error) throw outcome
      return outcome
    },
  })
  return { service: connect(host, URL_OF_SERVICE, { app, key: KEY }, 1_000), sent, host }
}

/** What a call that fails means for the command. */
async function failing(call: PromiseLike<unknown>) {
  const error = await Promise.resolve(call).catch((reason: unknown) => reason)
  return failureOf(error)
}

const ok = () => Response.json({ ok: true })
const problem =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ code, title: "Title", detail: "A reason.", status }, { status, headers })
const failed = (code: string) => () => Object.assign(new Error("failed"), { code })
const ROLE = { body: { slug: "pci", name: "Cards" } }

describe("a call", () => {
  test("goes to its path below the service's address, with the app's credentials", async () => {
    const { service, sent } = connectTo([ok])
    await getApp(service, { appId: "c/d?e" })
    expect(sent[0]?.address).toBe(`${URL_OF_SERVICE}/apps/c%2Fd%3Fe`)
    expect(sent[0]?.headers).toMatchObject({
      authorization: `Basic ${btoa(`app_1:${KEY}`)}`,
      "user-agent": "sealway-cli",
    })
  })

  test("sends only the key when no app is known", async () => {
    const { service, sent } = connectTo([ok], null)
    await getApp(service, { appId: "app_1" })
    expect(sent[0]?.headers.authorization).toBe(`Basic ${btoa(`:${KEY}`)}`)
  })

  test.each(["", ".", ".."])(
    "is refused with not-found when a name would lead to another path: %j",
    async (appId) => {
      const { service, sent } = connectTo([ok])
      expect(await failing(getApp(service, { appId }))).toMatchObject({ code: "not-found", exitCode: 4 })
      expect(sent).toEqual([])
    },
  )

  test("that writes has one idempotency key however often it is sent to a busy service", async () => {
    const busy = problem(429, "too-many-requests", { "retry-after": "2" })
    const { service, sent, host } = connectTo([busy, failed("ECONNRESET"), ok])
    await createDataRole(service, ROLE)
    const keys = new Set(sent.map(({ headers }) => headers["idempotency-key"]))
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(sent.length).toBe(3)
    expect(host.sleptMs.length).toBe(2)
    expect(host.sleptMs[0]).toBeGreaterThanOrEqual(2_000)
  })

  test("ends after four attempts", async () => {
    const { service, sent } = connectTo([problem(503, "service-unavailable")])
    expect(await failing(listApps(service).first())).toMatchObject({
      code: "service-unavailable",
      exitCode: 5,
    })
    expect(sent.length).toBe(4)
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
    const { service, sent } = connectTo([problem(status, code)])
    const failure = await failing(createDataRole(service, ROLE))
    expect(failure).toMatchObject({ code, exitCode, message: "A reason." })
    expect(sent.length).toBe(1)
  })

  test("in a gateway's own format is recognised by its status", async () => {
    const { service } = connectTo([() => new Response("<html>", { status: 502 })])
    const message = expect.stringContaining("502")
    expect(await failing(createDataRole(service, ROLE))).toMatchObject({ exitCode: 5, message })
  })

  test("by redirect is not followed, which would send the key along", async () => {
    const headers = { location: "https://evil.example" }
    const { service, sent } = connectTo([() => new Response(null, { status: 307, headers })])
    expect(await failing(createDataRole(service, ROLE))).toMatchObject({ code: "unavailable", exitCode: 5 })
    expect(sent.length).toBe(1)
  })
})

test.each([
  ["ECONNREFUSED", "refused the connection"],
  ["ENOTFOUND", "was not found"],
  ["CERT_HAS_EXPIRED", "not trusted (CERT_HAS_EXPIRED)"],
  ["EHOSTUNREACH", "cannot be reached (EHOSTUNREACH)"],
])("an unreachable service ends the command with status 5 and says why: %s", async (code, text) => {
  const { service } = connectTo([failed(code)])
  const message = expect.stringContaining(text)
  expect(await failing(createDataRole(service, ROLE))).toMatchObject({
    code: "unavailable",
    exitCode: 5,
    message,
  })
})

test("refuses a key with characters that no header can contain, without repeating it", () => {
  const host = createTestHost({ folder: "/" })
  const create = () => connect(host, URL_OF_SERVICE, { app: null, key: "secret\nkey" }, 1_000)
  expect(create).toThrow(
    expect.objectContaining({ code: "credentials", message: expect.not.stringContaining("secret") }),
  )
})
