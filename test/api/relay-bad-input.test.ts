import { createService } from "@sealway/api"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { startDnsServer } from "../support/dns-server.ts"
import { idOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { type Answer, type CallOptions, type Identity, useService } from "../support/service.ts"

const dns = await startDnsServer()
afterAll(() => dns.close())
const service = useService("container", { dnsServers: [dns.address] })

const MARKER = "marker-7f3a"
const UNKNOWN = "00000000000000000000000000"
/** The parameters of paths, and how such ids begin. */
const ID_PREFIXES = [
  ["relay_id", "relay"],
  ["alert_id", "relay_alert"],
  ["custom_domain_id", "custom_domain"],
  ["activity_id", "relay_activity"],
] as const
type IdName = (typeof ID_PREFIXES)[number][0]
type Ids = Record<IdName, string>

interface Attempt {
  /** The endpoint's id. */
  readonly id: string
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly scope: "relay:read" | "relay:write" | null
  /** Creates a valid body. Default: the endpoint takes none. */
  readonly body?: () => object
}

let made = 0
const newRelay = () => ({ destinationDomain: `bad-input-${++made}.example` })
const ALERT = { type: "webhook", url: "http://127.0.0.1:9/" }
const DOMAIN = "/relays/{relay_id}/custom-domains/{custom_domain_id}"
const ALERTS = "/relays/{relay_id}/alerts"
const ONE_ALERT = `${ALERTS}/{alert_id}`

const reads = (id: string, path: string): Attempt => ({ id, method: "GET", path, scope: "relay:read" })
const ATTEMPTS: readonly Attempt[] = [
  reads("list-relays", "/relays"),
  reads("get-relay", "/relays/{relay_id}"),
  reads("list-relay-custom-domains", "/relays/{relay_id}/custom-domains"),
  reads("get-relay-custom-domain", DOMAIN),
  reads("list-relay-alerts", ALERTS),
  reads("get-relay-alert", ONE_ALERT),
  reads("list-relay-activity", "/relays/{relay_id}/activity"),
  reads("get-relay-activity", "/relays/{relay_id}/activity/{activity_id}"),
  { id: "get-relay-outbound", method: "GET", path: "/v2/relay-outbound", scope: null },
  {
    id: "test-relay",
    method: "POST",
    path: "/relays/{relay_id}/test",
    scope: "relay:read",
    body: () => ({ request: {} }),
  },
  { id: "create-relay", method: "POST", path: "/relays", scope: "relay:write", body: newRelay },
  {
    id: "update-relay",
    method: "PATCH",
    path: "/relays/{relay_id}",
    scope: "relay:write",
    body: () => ({ leakWatch: "off" }),
  },
  {
    id: "create-relay-custom-domain",
    method: "POST",
    scope: "relay:write",
    path: "/relays/{relay_id}/custom-domains",
    body: () => ({ domain: `pay-${++made}.example` }),
  },
  { id: "verify-relay-custom-domain", method: "POST", path: `${DOMAIN}/verify`, scope: "relay:write" },
  { id: "create-relay-alert", method: "POST", path: ALERTS, scope: "relay:write", body: () => ALERT },
  { id: "update-relay-alert", method: "PATCH", path: ONE_ALERT, scope: "relay:write", body: () => ALERT },
  { id: "test-relay-alert", method: "POST", path: `${ONE_ALERT}/test`, scope: "relay:write" },
  { id: "delete-relay-alert", method: "DELETE", path: ONE_ALERT, scope: "relay:write" },
  { id: "delete-relay-custom-domain", method: "DELETE", path: DOMAIN, scope: "relay:write" },
  { id: "delete-relay", method: "DELETE", path: "/relays/{relay_id}", scope: "relay:write" },
]
const WITH_BODY = ATTEMPTS.flatMap(({ body, ...attempt }) => (body === undefined ? [] : { ...attempt, body }))
const WITH_ID = ATTEMPTS.filter(({ path }) => path.includes("{"))
const SCOPED = ATTEMPTS.filter(({ scope }) => scope !== null)
const READS = ATTEMPTS.filter(({ scope }) => scope === "relay:read")
const WRITES = ATTEMPTS.filter(({ scope }) => scope === "relay:write")

let ids: Ids
/** Keys of the relays' app: without a scope, and with one. */
let keys: Record<"none" | "relay:read" | "relay:write", Identity["auth"]>

/** Creates a relay with everything that belongs to one, except activity. */
async function newIds(): Promise<Ids> {
  const relay = idOf((await service.post("/relays", newRelay())).json)
  const alert = idOf((await service.post(`/relays/${relay}/alerts`, ALERT)).json)
  const domain = await service.post(`/relays/${relay}/custom-domains`, { domain: `pay-${++made}.example` })
  return {
    relay_id: relay,
    alert_id: alert,
    custom_domain_id: idOf(domain.json),
    activity_id: `relay_activity_${UNKNOWN}`,
  }
}

beforeAll(async () => {
  ids = await newIds()
  const { app } = service.sandbox
  keys = {
    none: await service.newKey(app, []),
    "relay:read": await service.newKey(app, ["relay:read", "api:decrypt"]),
    "relay:write": await service.newKey(app, ["relay:write", "api:decrypt"]),
  }
})

function call(
  { method, path }: Pick<Attempt, "method" | "path">,
  given: Ids,
  body: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: IdName) => given[name])
  if (method === "GET") return service.get(filled, options)
  if (method === "DELETE") return service.delete(filled, options)
  return method === "POST" ? service.post(filled, body, options) : service.patch(filled, body, options)
}

test("tries every endpoint of relays with the scope that it requires", () => {
  const { endpoints } = createService(service.service.platform)
  const ofRelays = endpoints.filter(({ endpoint: { path } }) => /^\/(relays|v2\/relay)/.test(path))
  const declared = ofRelays.map(({ endpoint: { id, method, path } }) => ({ id, method, path }))
  const tried = ATTEMPTS.map(({ id, method, path }) => ({ id, method, path }))
  const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id)
  expect(tried.sort(byId)).toEqual(declared.sort(byId))
  const writing = ofRelays.filter(({ endpoint: { writes } }) => writes).map(({ endpoint: { id } }) => id)
  expect(writing.sort()).toEqual(WRITES.map(({ id }) => id).sort())
})

describe("a request to the endpoints of relays", () => {
  test.each(ATTEMPTS)("is refused with unauthorized without a valid key: $id", async (attempt) => {
    for (const auth of [null, { user: service.sandbox.app.id, key: MARKER }]) {
      const answer = await call(attempt, ids, attempt.body?.(), { auth })
      expectProblem(answer, "unauthorized")
      expect(answer.text).not.toContain(MARKER)
    }
  })

  test.each(ATTEMPTS)("is refused with forbidden for a team's key: $id", async (attempt) => {
    expectProblem(await call(attempt, ids, attempt.body?.(), { auth: service.team.auth }), "forbidden")
  })

  test.each(SCOPED)("is refused with forbidden for keys without $scope: $id", async (attempt) => {
    const other = attempt.scope === "relay:read" ? "relay:write" : "relay:read"
    for (const auth of [keys.none, keys[other]]) {
      expectProblem(await call(attempt, ids, attempt.body?.(), { auth }), "forbidden")
    }
  })

  test.each(READS)("is answered to a key with relay:read: $id", async (attempt) => {
    const { status } = await call(attempt, ids, attempt.body?.(), { auth: keys["relay:read"] })
    expect(status).toBe(attempt.id === "get-relay-activity" ? 404 : 200)
  })

  test.each(WITH_ID)("is refused with not-found for another app: $id", async (attempt) => {
    expectProblem(await call(attempt, ids, attempt.body?.(), { auth: service.production.auth }), "not-found")
    expect((await service.get(`/relays/${ids.relay_id}`)).status).toBe(200)
  })

  test.each(WITH_ID)("is refused when an id in its path is malformed: $id", async (attempt) => {
    for (const [name, prefix] of ID_PREFIXES) {
      if (!attempt.path.includes(name)) continue
      for (const id of [`${prefix}_${UNKNOWN}`, MARKER, "__proto__", "..%2f..", `${ids[name]}%00`]) {
        const answer = await call(attempt, { ...ids, [name]: id }, attempt.body?.())
        expect([400, 404], id).toContain(answer.status)
        expect(answer.text).not.toContain(MARKER)
      }
      const long = await call(attempt, { ...ids, [name]: "a".repeat(65) }, attempt.body?.())
      expectProblem(long, "invalid-request")
    }
  })
})

describe("a body", () => {
  test.each(WITH_BODY)("is refused with invalid-request when it is malformed: $id", async (attempt) => {
    const good = attempt.body()
    for (const body of [
      "",
      " ",
      `{"${MARKER}"`,
      "[]",
      "null",
      `"${MARKER}"`,
      "{}{}",
      "\ufeff{}",
      `${"[".repeat(101)}${"]".repeat(101)}`,
      Buffer.from([0x22, 0xff, 0x22]),
      { ...good, [MARKER]: MARKER },
      `{"__proto__":{"${MARKER}":1}}`,
      Object.fromEntries(Object.keys(good).map((name) => [name, { [MARKER]: MARKER }])),
      Object.fromEntries(Object.keys(good).map((name) => [name, -17])),
    ]) {
      const answer = await call(attempt, ids, body)
      expectProblem(answer, "invalid-request")
      expect(answer.text).not.toContain(MARKER)
    }
  })

  test.each(WITH_BODY)("is refused with unsupported-media-type in other formats: $id", async (attempt) => {
    const body = JSON.stringify(attempt.body())
    for (const contentType of [null, "text/plain", "application/xml", `text/${MARKER}`]) {
      const answer = await call(attempt, ids, Buffer.from(body), { contentType })
      expectProblem(answer, "unsupported-media-type")
      expect(answer.text).not.toContain(MARKER)
    }
    const packed = { headers: { "content-encoding": "gzip" } }
    expectProblem(await call(attempt, ids, body, packed), "unsupported-media-type")
  })

  test.each(WITH_BODY)(
    "is refused with payload-too-large when it is one byte too long: $id",
    async (attempt) => {
      const { endpoints } = createService(service.service.platform)
      const declared = endpoints.find(({ endpoint: { id } }) => id === attempt.id)?.endpoint.request.body
      const { maxBytes } = z.object({ maxBytes: z.int() }).parse(declared)
      const longest = JSON.stringify(attempt.body()).padEnd(maxBytes)
      expect((await call(attempt, ids, longest)).status).toBeLessThan(300)
      expectProblem(await call(attempt, ids, `${longest} `), "payload-too-large")
    },
  )
})

test.each(WRITES)("executes a write once that is repeated with its Idempotency-Key: $id", async (attempt) => {
  const options = { auth: keys["relay:write"], headers: { "idempotency-key": `relays-${attempt.id}` } }
  const [given, body] = [await newIds(), attempt.body?.()]
  const first = await call(attempt, given, body, options)
  const again = await call(attempt, given, body, options)
  expect(first.status, first.text).toBeLessThan(300)
  expect([again.status, again.text]).toEqual([first.status, first.text])
  expect([first, again].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"])
  const other = await call({ method: "POST", path: "/relays" }, given, newRelay(), options)
  expectProblem(other, "idempotency-key-reused")
})
