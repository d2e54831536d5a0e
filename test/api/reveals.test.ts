import { REVEALS, type Reveals } from "@sealway/accounts"
import { serviceEndpoints } from "@sealway/api"
import type { Endpoint } from "@sealway/http"
import { type Receiver, startReceiver } from "@sealway/http/testing"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { createMembers } from "../support/members.ts"
import { PLAINTEXT, sendPlaintext } from "../support/plaintext-world.ts"
import { type Answer, type CallOptions, type Identity, useService } from "../support/service.ts"

const service = useService()

/** The marks of endpoints whose answers may contain what customers have encrypted. */
const SHOWING: ReadonlySet<Reveals> = new Set(["values", "card-facts", "results", "logs"])
const SECRETS = [PLAINTEXT.value, PLAINTEXT.person, ...PLAINTEXT.cards]

/** What is asked for with other ids than those of a list, or answers browsers only. */
const NOT_FOR_KEYS: ReadonlySet<string> = new Set([
  ...[
    "get-frame-script",
    "open-3ds-page",
    "get-3ds-browser-session",
    "open-reveal-frame",
    "open-field-frame",
  ],
  ...["start-oidc-sign-in", "finish-oidc-sign-in", "get-session", "list-sessions"],
  // Only production apps have a connector, and only files that are not complete have parts.
  ...["get-connector", "list-file-parts"],
])

/** What says which card numbers are for tests. */
const DOCUMENTS: ReadonlySet<string> = new Set(["get-openapi", "get-sandbox-values"])

const reading = serviceEndpoints.filter(({ method }) => method === "GET")
const pageSchema = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), name: z.string().nullish() })),
})

interface World extends Identity {
  readonly listener: string
}

let receiver: Receiver
let worlds: readonly World[] = []
let sessions: ReadonlyMap<string, string> = new Map()

beforeAll(async () => {
  receiver = await startReceiver((request, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(request.body),
  )
  const members = createMembers(service)
  const signedIn = new Map<string, string>()
  // The other roles get no more than the one and no less than the other.
  for (const role of ["owner", "auditor"] as const) signedIn.set(role, await members.signIn(role))
  sessions = signedIn
  await service.post("/invitations", { email: "a@b.example", role: "auditor" }, { auth: service.team.auth })
  await service.post("/payments/bin-tables", { name: "Ranges" }, { auth: service.team.auth })
  const made: World[] = []
  for (const identity of [service.sandbox, service.production]) {
    made.push({ ...identity, ...(await sendPlaintext(service, identity, receiver)) })
  }
  worlds = made
  await service.service.platform.accessLog.flush()
  await service.service.platform.stats.flush()
  for (const { auth } of worlds) {
    await vi.waitFor(
      async () => expect((await service.get("/access-logs", { auth })).text).toContain('"access_'),
      { timeout: 10_000, interval: 100 },
    )
    const { id } = pageSchema.parse((await service.get("/relays", { auth })).json).data[0] ?? { id: "" }
    await vi.waitFor(
      async () =>
        expect((await service.get(`/relays/${id}/activity`, { auth })).text).toContain("relay_activity_"),
      { timeout: 15_000, interval: 100 },
    )
  }
}, 60_000)
afterAll(() => receiver[Symbol.asyncDispose]())

const isOfTeam = ({ auth }: Endpoint<never>) => auth.some(({ name }) => name === "team-key")
const keyFor = (endpoint: Endpoint<never>, { auth }: World): CallOptions => ({
  auth: isOfTeam(endpoint) ? service.team.auth : auth,
})

/** Fills in the ids of a path: each is the first of the list at the path before it. */
async function pathOf({ path }: Endpoint<never>, world: World): Promise<string> {
  let filled = ""
  for (const part of path.slice(1).split("/")) {
    filled += `/${part.startsWith("{") ? await idFor(part.slice(1, -1), filled, world) : part}`
  }
  return filled
}

/** Returns an id that nobody has when there is no list, or nothing in it. */
async function idFor(name: string, parent: string, world: World): Promise<string> {
  if (name === "team_id") return service.team.id
  if (name === "app_id") return world.app.id
  const list = reading.find(({ path }) => pattern(path).test(parent))
  if (list === undefined) return "x"
  const page = pageSchema.safeParse((await service.get(parent, keyFor(list, world))).json)
  const found = page.data?.data[0]
  return (name === "function_name" ? found?.name : found?.id) ?? "x"
}

const pattern = (path: string) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`)

/** Everybody who may ask, by what they are called here. */
function* callers(
  { app, auth }: World,
  without: CallOptions["auth"],
): Generator<readonly [string, CallOptions]> {
  yield ["API key", { auth }]
  yield ["API key without scopes", { auth: without ?? null }]
  yield ["team key", { auth: service.team.auth }]
  yield ["nobody", { auth: null }]
  for (const [role, cookie] of sessions) {
    yield [role, { auth: null, headers: { cookie, origin: service.url, "x-service-app-id": app.id } }]
  }
}

const secretsIn = ({ text, headers }: Answer) => {
  const shown = text + JSON.stringify([...headers])
  return SECRETS.filter((secret) => shown.includes(secret))
}

describe("what customers have encrypted, after it was sent in by every way", () => {
  test("is in no answer of an endpoint that reads and is not marked as revealing it, whoever asks", async () => {
    const found: object[] = []
    for (const world of worlds) {
      const without = await service.newKey(world.app, [])
      for (const endpoint of reading) {
        const { id, reveals } = endpoint
        const path = await pathOf(endpoint, world)
        for (const [caller, options] of callers(world, without)) {
          const answer = await service.get(path, options)
          if (answer.status >= 500) found.push({ id, caller, status: answer.status })
          const secrets = secretsIn(answer)
          if (secrets.length > 0 && !SHOWING.has(reveals) && !DOCUMENTS.has(id))
            found.push({ id, caller, secrets })
        }
      }
    }
    expect(found).toEqual([])
  }, 60_000)

  test("was read: each of these endpoints answers a key, and each list has entries", async () => {
    const [sandbox] = worlds
    if (sandbox === undefined) throw new Error("Nothing was sent")
    const unread: object[] = []
    for (const endpoint of reading.filter(({ id }) => !NOT_FOR_KEYS.has(id))) {
      const path = await pathOf(endpoint, sandbox)
      const { status, json } = await service.get(path, keyFor(endpoint, sandbox))
      const page = z.looseObject({ data: z.array(z.unknown()) }).safeParse(json)
      const isEmpty = page.success && page.data.data.length === 0
      if (status !== 200 || isEmpty) unread.push({ id: endpoint.id, path, status, isEmpty })
    }
    expect(unread).toEqual([])
  }, 30_000)

  test("is in the results and logs of functions, for an API key, and no cache may store them", async () => {
    for (const { auth } of worlds) {
      const runs = pageSchema.parse((await service.get("/functions/echo/runs", { auth })).json).data
      expect(runs).toHaveLength(3)
      for (const path of [
        ...runs.map(({ id }) => `/functions/echo/runs/${id}`),
        "/functions/echo/logs?limit=1000",
      ]) {
        const answer = await service.get(path, { auth })
        expect(secretsIn(answer)).toContain(PLAINTEXT.value)
        expect(answer.headers.get("cache-control")).toBe("no-store")
      }
    }
  })

  test("is in no event, wherever events are read", async () => {
    for (const { auth, listener } of worlds) {
      const fetched = await service.post(`/webhook-listeners/${listener}/fetch`, {}, { auth })
      expect(fetched.text).toContain("function.run.completed")
      expect(secretsIn(fetched)).toEqual([])
    }
    const types = /"type":"(?:function|relay|payments|audit-log)\./
    const events = receiver.received.filter(
      ({ headers, body }) => headers["webhook-id"] !== undefined && types.test(body),
    )
    expect(events.length).toBeGreaterThan(10)
    expect(events.filter(({ body }) => SECRETS.some((secret) => body.includes(secret)))).toEqual([])
  })

  test("is for no session where the mark says so, whatever the role", async () => {
    for (const world of worlds) {
      for (const endpoint of serviceEndpoints) {
        const { id, method, reveals, auth } = endpoint
        const rule = REVEALS[reveals].sessions
        const isRefused = rule === "never" || (rule === "sandbox" && world.app.environment === "production")
        if (!isRefused || !auth.some(({ forMember }) => forMember !== undefined)) continue
        const path = endpoint.path.replaceAll(/\{[^}]+\}/g, "x")
        for (const [role, cookie] of sessions) {
          const headers = {
            cookie,
            origin: service.url,
            "x-requested-with": "sealway",
            "x-service-app-id": world.app.id,
          }
          const body = method === "GET" ? undefined : "{}"
          const { status, text } = await service.call(method, path, body, { auth: null, headers })
          expect({ id, role, status, text }).toMatchObject({
            id,
            role,
            status: 403,
            text: expect.stringContaining("API key"),
          })
        }
      }
    }
  })
})

test("an answer that may have a cryptogram is marked as one with a credential, or as what follows from a card", () => {
  const unmarked = serviceEndpoints.filter(({ reply, reveals }) => {
    if (reply.kind !== "object" || reveals !== "nothing") return false
    return JSON.stringify(z.toJSONSchema(reply.schema, { io: "output" })).includes('"cryptogram"')
  })
  expect(unmarked.map(({ id }) => id)).toEqual([])
})

test("the cryptogram of a 3-D Secure session is for API keys, and not for the session of a member", async () => {
  const { app, auth } = service.sandbox
  const { id } = pageSchema.parse((await service.get("/payments/3ds-sessions", { auth })).json).data[0] ?? {
    id: "",
  }
  const path = `/payments/3ds-sessions/${id}`
  const answer = await service.get(path, { auth })
  expect(answer.json).toMatchObject({ status: "success", cryptogram: expect.any(String) })
  expect(answer.headers.get("cache-control")).toBe("no-store")
  const headers = { cookie: sessions.get("owner") ?? "", "x-service-app-id": app.id }
  const { json } = await service.get(path, { auth: null, headers })
  expect(json).toMatchObject({ status: "success" })
  expect(json).not.toHaveProperty("cryptogram")
})

test("the logs of functions are for sessions in sandbox apps only, and a refused page is told why", async () => {
  const [sandbox, production] = worlds
  for (const [, cookie] of sessions) {
    const ask = (world: World | undefined) =>
      service.get("/functions/echo/logs", {
        auth: null,
        headers: { cookie, "x-service-app-id": world?.app.id ?? "" },
      })
    expect((await ask(sandbox)).status).toBe(200)
    const refused = await ask(production)
    expect([refused.status, refused.json]).toMatchObject([
      403,
      { code: "forbidden", detail: expect.stringContaining("sandbox apps only") },
    ])
    const { json } = await service.get("/session", { auth: null, headers: { cookie } })
    expect(json).toMatchObject({
      scopes: {
        sandbox: expect.arrayContaining(["functionLog:list"]),
        production: expect.not.arrayContaining(["functionLog:list"]),
      },
    })
  }
})
