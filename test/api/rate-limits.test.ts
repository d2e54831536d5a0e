import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { deployFunction } from "../support/functions.ts"
import { createMembers } from "../support/members.ts"
import { expectProblem } from "../support/problem.ts"
import { echo, startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { type CallOptions, type Identity, useService } from "../support/service.ts"

const service = useService()
const asTeam = {
  get auth() {
    return service.team.auth
  },
}
const issuedSchema = z.object({
  id: z.string(),
  key: z.string(),
  limits: z.object({ requestsPerSecond: z.number(), valuesPerSecond: z.number() }),
})
const DEFAULTS = { requestsPerSecond: 2_000, valuesPerSecond: 250_000 }

// Buckets fill only when a test says so.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] })
})
afterEach(() => {
  vi.useRealTimers()
})

interface Limits {
  readonly requestsPerSecond?: number | null
  readonly valuesPerSecond?: number | null
}

/** Issues a key of an app with limits. */
async function issue({ app }: Identity, limits?: Limits, scopes: readonly string[] = ["*"]) {
  const body = { name: "Limited", scopes, ...(limits && { limits }) }
  const answer = await service.post(`/apps/${app.id}/api-keys`, body, asTeam)
  expect(answer.status, answer.text).toBe(201)
  const issued = issuedSchema.parse(answer.json)
  return { ...issued, path: `/apps/${app.id}/api-keys/${issued.id}`, auth: { user: app.id, key: issued.key } }
}

const encrypt = (values: number, options: CallOptions) =>
  service.post("/encrypt", JSON.stringify(Array(values).fill("a")), options)
const tokensIn = (text: string) => z.array(z.string()).parse(JSON.parse(text))

describe("the limits of an API key", () => {
  test("are those chosen when it is issued, others the default, and a rotated key keeps them", async () => {
    expect((await issue(service.sandbox)).limits).toEqual(DEFAULTS)
    const { path, limits } = await issue(service.sandbox, { requestsPerSecond: 7 })
    expect(limits).toEqual({ ...DEFAULTS, requestsPerSecond: 7 })
    const rotated = issuedSchema.parse((await service.post(`${path}/rotate`, {}, asTeam)).json)
    expect(rotated.limits).toEqual(limits)
  })

  test("are changed one by one, back to the default by null, listed and audited", async () => {
    const { id, path } = await issue(service.sandbox)
    const changed = await service.patch(path, { limits: { valuesPerSecond: 9 } }, asTeam)
    expect(changed.json).toMatchObject({ id, scopes: ["*"], limits: { ...DEFAULTS, valuesPerSecond: 9 } })
    const listed = await service.get(`/apps/${service.sandbox.app.id}/api-keys?limit=1`, asTeam)
    expect(listed.json).toMatchObject({ data: [{ id, limits: { ...DEFAULTS, valuesPerSecond: 9 } }] })
    const reset = await service.patch(
      path,
      { limits: { valuesPerSecond: null, requestsPerSecond: 3 } },
      asTeam,
    )
    expect(reset.json).toMatchObject({ limits: { ...DEFAULTS, requestsPerSecond: 3 } })
    const { json } = await service.get("/audit-logs?action=api-key.update&limit=2", asTeam)
    expect(json).toMatchObject({
      data: [
        { target: { id }, details: { valuesPerSecond: null, requestsPerSecond: 3 } },
        { target: { id }, details: { valuesPerSecond: 9 } },
      ],
    })
  })

  test("can be changed with its scopes in one request", async () => {
    const { path } = await issue(service.sandbox)
    const changes = { scopes: ["api:decrypt"], limits: { requestsPerSecond: 1 } }
    const answer = await service.patch(path, changes, asTeam)
    expect(answer.json).toMatchObject({ scopes: ["api:decrypt"], limits: { requestsPerSecond: 1 } })
    const { json } = await service.get("/audit-logs?action=api-key.narrow&limit=1", asTeam)
    expect(json).toMatchObject({ data: [{ details: { scopes: "api:decrypt", requestsPerSecond: 1 } }] })
  })

  test("change once for a repeated request", async () => {
    const { path } = await issue(service.sandbox)
    const options = { ...asTeam, headers: { "idempotency-key": `limits-${path}` } }
    const [first, again] = [
      await service.patch(path, { limits: { requestsPerSecond: 5 } }, options),
      await service.patch(path, { limits: { requestsPerSecond: 5 } }, options),
    ]
    expect(again.text).toBe(first.text)
    expect(again.headers.get("idempotency-replayed")).toBe("true")
  })

  test.each([
    ["zero requests", { requestsPerSecond: 0 }],
    ["less than nothing", { valuesPerSecond: -1 }],
    ["half a request", { requestsPerSecond: 0.5 }],
    ["a text", { requestsPerSecond: "10" }],
    ["more than a million requests", { requestsPerSecond: 1_000_001 }],
    ["more than a billion values", { valuesPerSecond: 1_000_000_001 }],
    ["a limit that does not exist", { bytesPerSecond: 1 }],
    ["no object", 10],
  ])("are refused with invalid-request when they are %s", async (_what, limits) => {
    const { path } = await issue(service.sandbox)
    for (const answer of [
      await service.post(
        `/apps/${service.sandbox.app.id}/api-keys`,
        { name: "x", scopes: [], limits },
        asTeam,
      ),
      await service.patch(path, { limits }, asTeam),
      await service.patch(`/apps/${service.sandbox.app.id}`, { limits }, asTeam),
    ]) {
      expectProblem(answer, "invalid-request")
      expect(answer.json).toMatchObject({ fields: [{ pointer: expect.stringMatching(/^\/limits/) }] })
    }
    expectProblem(await service.patch(path, {}, asTeam), "invalid-request")
  })

  test("can be changed neither by the key itself, nor of another app's key, nor of one that is revoked", async () => {
    const { path, id, auth } = await issue(service.sandbox)
    const changes = { limits: { requestsPerSecond: 1_000 } }
    expectProblem(await service.patch(path, changes, { auth }), "forbidden")
    expectProblem(await service.patch(path, changes, { auth: null }), "unauthorized")
    const elsewhere = `/apps/${service.production.app.id}/api-keys/${id}`
    expectProblem(await service.patch(elsewhere, changes, asTeam), "not-found")
    expect((await service.delete(path, asTeam)).status).toBe(204)
    expectProblem(await service.patch(path, changes, asTeam), "conflict")
  })
})

describe("a request beyond a limit", () => {
  test("is refused with too-many-requests before its body is read, and says when to come back", async () => {
    const { auth } = await issue(service.sandbox, { requestsPerSecond: 1 })
    for (let each = 0; each < 10; each++) expect((await encrypt(1, { auth })).status).toBe(200)
    const refused = await encrypt(1, { auth })
    expectProblem(refused, "too-many-requests")
    expect(refused.headers.get("retry-after")).toBe("1")
    expect(refused.headers.get("ratelimit")).toBe('"requests";r=0;t=10, "values";r=2499990;t=1')
    expectProblem(await service.post("/encrypt", "{", { auth }), "too-many-requests")
    vi.advanceTimersByTime(1_000)
    expect((await encrypt(1, { auth })).status).toBe(200)
    expectProblem(await encrypt(1, { auth }), "too-many-requests")
  })

  test("counts whatever becomes of it, once its sender is known", async () => {
    const { auth } = await issue(service.sandbox, { requestsPerSecond: 1 }, [])
    for (let each = 0; each < 3; each++) {
      expectProblem(await service.post("/encrypt", "{", { auth }), "invalid-request")
      expectProblem(await service.post("/decrypt", '"a"', { auth }), "forbidden")
      expectProblem(
        await service.post("/encrypt", "x", { auth, contentType: "text/html" }),
        "unsupported-media-type",
      )
    }
    // A content type is refused before anybody is identified.
    for (let each = 0; each < 4; each++) expect((await encrypt(1, { auth })).status).toBe(200)
    expectProblem(await encrypt(1, { auth }), "too-many-requests")
  })

  test("leaves other keys of the app, and the team that revokes the key, alone", async () => {
    const { auth, path } = await issue(service.sandbox, { valuesPerSecond: 1 })
    expect((await encrypt(1_000, { auth })).status).toBe(200)
    expectProblem(await encrypt(1, { auth }), "too-many-requests")
    expect((await encrypt(1, {})).status).toBe(200)
    expect((await service.delete(path, asTeam)).status).toBe(204)
  })
})

describe("the values of a request", () => {
  test.each([
    ["encrypted", "/encrypt", (tokens: readonly string[]) => tokens.map(() => "a")],
    ["decrypted", "/decrypt", (tokens: readonly string[]) => tokens],
    [
      "decrypted, with their slashes escaped",
      "/decrypt",
      (tokens: readonly string[]) => JSON.stringify(tokens).replaceAll("/", "\\/"),
    ],
    [
      "decrypted, with their beginnings escaped",
      "/decrypt",
      (tokens: readonly string[]) => JSON.stringify(tokens).replaceAll('"ev:', '"\\u0065\\u0076\\u003A'),
    ],
    ["rewrapped", "/rewrap", (tokens: readonly string[]) => tokens],
  ])(
    "count when they are %s: a request of more than is left is refused, and does nothing",
    async (_how, path, bodyOf) => {
      const tokens = tokensIn((await encrypt(30, {})).text)
      const { auth } = await issue(service.sandbox, { valuesPerSecond: 5 })
      expect((await service.post(path, bodyOf(tokens), { auth })).status).toBe(200)
      const refused = await service.post(path, bodyOf(tokens), { auth })
      expectProblem(refused, "too-many-requests")
      expect(refused.headers.get("retry-after")).toBe("2")
      expect((await service.post(path, bodyOf(tokens.slice(0, 15)), { auth })).status).toBe(200)
    },
  )

  test("may be more than a limit holds, once it is full, and then wait as long as they take", async () => {
    const { auth } = await issue(service.sandbox, { valuesPerSecond: 10 })
    expect((await encrypt(1_100, { auth })).status).toBe(200)
    const refused = await encrypt(1, { auth })
    expectProblem(refused, "too-many-requests")
    expect(refused.headers.get("retry-after")).toBe("101")
    // What needs no values is not refused.
    expect((await service.post("/encrypt", "[null]", { auth })).status).toBe(200)
    expect((await service.post("/decrypt", '["ev is data"]', { auth })).status).toBe(200)
  })

  test("count for tokens in any spelling, and not for data that looks like one", async () => {
    const { auth } = await issue(service.sandbox, { valuesPerSecond: 1 })
    const left = async () =>
      Number(
        /"values";r=(\d+)/.exec((await service.get("/keys", { auth })).headers.get("ratelimit") ?? "")?.[1],
      )
    const [token = ""] = tokensIn((await encrypt(1, {})).text)
    expect(await left()).toBe(10)
    await service.post("/decrypt", `["\\u0065${token.slice(1)}"]`, { auth })
    expect(await left()).toBe(9)
    await service.post("/decrypt", '["ev:data","ev:data"]', { auth })
    expect(await left()).toBe(9)
  })

  test("count for fingerprints", async () => {
    const [token = ""] = tokensIn((await encrypt(1, {})).text)
    const { auth } = await issue(service.sandbox, { valuesPerSecond: 1 })
    const statuses = []
    for (let each = 0; each < 12; each++)
      statuses.push((await service.post("/fingerprint", { token }, { auth })).status)
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200))
    expect(statuses).toContain(429)
  })
})

describe("what a relay seals", () => {
  const seal = (selector: string, subject?: string) => ({
    action: "encrypt",
    selections: [{ type: "json", selector }],
    ...(subject && { dataSubject: { type: "json", selector: subject } }),
  })

  async function createRelay(destinationDomain: string, auth: Identity["auth"], request: readonly object[]) {
    const routes = [{ path: "/**", request }]
    const made = await service.post("/relays", { destinationDomain, routes }, { auth })
    expect(made.status, made.text).toBe(201)
    return z.object({ id: z.string(), relayDomain: z.string() }).parse(made.json)
  }

  async function valuesLeft(auth: Identity["auth"]) {
    const { headers } = await service.get("/keys", { auth })
    return Number(/"values";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1])
  }

  test("counts in a trial too, whose answer shows the tokens", async () => {
    const { auth } = await issue(service.sandbox, { valuesPerSecond: 2 })
    const { id } = await createRelay("shop.example", auth, [seal("$[*]")])
    const body = JSON.stringify(Array(20).fill("a"))
    const sample = { request: { headers: { "content-type": "application/json" }, body } }
    const tried = await service.post(`/relays/${id}/test`, sample, { auth })
    expect(tried.json).toMatchObject({ error: null, request: { error: null, bodyChanged: true } })
    expectProblem(await service.post(`/relays/${id}/test`, sample, { auth }), "too-many-requests")
    expectProblem(await encrypt(1, { auth }), "too-many-requests")
  })

  test("counts each value once, whoever the others are about", async () => {
    await using destination = await startRelayDestination(echo)
    const { app, auth } = await service.newApp("sandbox")
    const { auth: limited } = await issue({ app, auth }, { valuesPerSecond: 1 })
    const { relayDomain } = await createRelay(destination.destinationDomain, auth, [
      seal("$.one.name", "$.one.id"),
      seal("$.two.name", "$.two.id"),
      seal("$.note"),
    ])
    const { status, body } = await sendToRelay(service.service.relayUrl, {
      relayDomain,
      headers: { "content-type": "application/json", "x-service-api-key": limited.key },
      body: '{"one":{"id":"1","name":"a"},"two":{"id":"2","name":"b"},"note":"c"}',
    })
    expect([status, body.toString()]).toEqual([200, expect.stringMatching(/"ev:.*"ev:.*"ev:/)])
    expect(await valuesLeft(limited)).toBe(7)
  })

  test("counts the fields and files of a multipart body that is passed on as it arrives, and refuses it only before", async () => {
    let received = 0
    await using destination = await startRelayDestination((request, response) => {
      received += 1
      echo(request, response)
    })
    const { app, auth } = await service.newApp("sandbox")
    const { auth: limited } = await issue({ app, auth }, { valuesPerSecond: 1 })
    const selections = [
      { type: "form", selector: "name" },
      { type: "file", selector: "scan" },
    ]
    const { relayDomain } = await createRelay(destination.destinationDomain, auth, [
      { action: "encrypt", selections },
    ])
    // One that no encrypted file contains by chance.
    const boundary = "b".repeat(20)
    const part = (name: string, content: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name=${name}\r\n\r\n${content}\r\n`
    // Larger than what is kept.
    const scan = part('"scan"; filename="scan.png"', "a".repeat(6 * 1_048_576))
    const send = async (names: number) => {
      const headers = {
        "content-type": `multipart/form-data; boundary=${boundary}`,
        "x-service-api-key": limited.key,
      }
      const body = `${part('"name"', "Ada").repeat(names)}${scan}--${boundary}--\r\n`
      return (await sendToRelay(service.service.relayUrl, { relayDomain, headers, body })).status
    }
    expect([await send(2), await valuesLeft(limited)]).toEqual([200, 7])
    expect([await send(9), await valuesLeft(limited), received]).toEqual([200, 0, 2])
    expect([await send(0), received]).toEqual([429, 2])
  })
})

describe("RateLimit and RateLimit-Policy", () => {
  test("tell holders of a key what it has left, and pages may read them", async () => {
    const { auth } = await issue(service.sandbox, { requestsPerSecond: 100, valuesPerSecond: 1_000 })
    const { headers } = await encrypt(10, { auth, headers: { origin: "https://shop.example" } })
    expect(headers.get("ratelimit-policy")).toBe('"requests";q=1000;w=10, "values";q=10000;w=10;qu="values"')
    expect(headers.get("ratelimit")).toMatch(
      /^"requests";r=(999|1000);t=[01], "values";r=(999\d|10000);t=[01]$/,
    )
    expect(headers.get("access-control-expose-headers")).toContain("ratelimit,ratelimit-policy")
  })

  test("tell those nothing who have a client-side token", async () => {
    const payload = { card: tokensIn((await encrypt(1, {})).text)[0] }
    const { json } = await service.post("/client-side-tokens", { action: "api:decrypt", payload })
    const { token } = z.object({ token: z.string() }).parse(json)
    const answer = await service.post("/decrypt", payload, {
      auth: null,
      headers: { authorization: `Token ${token}` },
    })
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([200, null])
  })
})

describe("the limits of an app", () => {
  test("are changed in its settings and audited, and hold for its keys and its client-side tokens together", async () => {
    const identity = await service.newApp("sandbox")
    const { app, auth } = identity
    const path = `/apps/${app.id}`
    const changed = await service.patch(path, { limits: { valuesPerSecond: 5 } }, asTeam)
    expect(changed.json).toMatchObject({ limits: { requestsPerSecond: 5_000, valuesPerSecond: 5 } })
    const { json: audited } = await service.get("/audit-logs?action=app.update&limit=1", asTeam)
    expect(audited).toMatchObject({ data: [{ details: { valuesPerSecond: 5 } }] })

    const payload = { tokens: tokensIn((await encrypt(40, { auth })).text) }
    const { json } = await service.post("/client-side-tokens", { action: "api:decrypt", payload }, { auth })
    const { token } = z.object({ token: z.string() }).parse(json)
    const refused = await service.post("/decrypt", payload, {
      auth: null,
      headers: { authorization: `Token ${token}` },
    })
    expectProblem(refused, "too-many-requests")
    expect(refused.json).toMatchObject({
      detail: expect.stringMatching(/^The app has reached its limit of 5 values/),
    })
    const other = await issue(identity)
    expectProblem(await encrypt(40, { auth: other.auth }), "too-many-requests")
    expect((await encrypt(1, {})).status).toBe(200)
  })

  test("leave members alone, who revoke the key that uses everything up", async () => {
    const identity = await service.newApp("sandbox")
    await service.patch(`/apps/${identity.app.id}`, { limits: { requestsPerSecond: 1 } }, asTeam)
    const { path, auth } = await issue(identity, { requestsPerSecond: 1_000 })
    for (let each = 0; each < 10; each++) expect((await encrypt(1, { auth })).status).toBe(200)
    expectProblem(await encrypt(1, { auth }), "too-many-requests")
    const members = createMembers(service)
    const owner = members.by(await members.signIn("owner"), identity.app.id)
    for (let each = 0; each < 12; each++) {
      const { status, headers } = await service.get("/data-roles", owner)
      expect([status, headers.get("ratelimit")]).toEqual([200, null])
    }
    expect((await service.delete(path, owner)).status).toBe(204)
  })

  test("count what its relays seal and open, with a key for the key too", async () => {
    await using destination = await startRelayDestination(echo)
    const action = { selections: [{ type: "json", selector: "$[*]" }] }
    const routes = [
      { path: "/seal", request: [{ action: "encrypt", ...action }] },
      { path: "/answer", response: [{ action: "encrypt", ...action }] },
    ]
    const { app, auth } = await service.newApp("sandbox")
    const { destinationDomain } = destination
    const made = await service.post("/relays", { destinationDomain, routes }, { auth })
    expect(made.status, made.text).toBe(201)
    const { relayDomain } = z.object({ relayDomain: z.string() }).parse(made.json)
    const { auth: limited } = await issue({ app, auth }, { valuesPerSecond: 2 })
    const send = (path: string, values: number, key?: string) =>
      sendToRelay(service.service.relayUrl, {
        relayDomain,
        path,
        headers: { "content-type": "application/json", ...(key && { "x-service-api-key": key }) },
        body: JSON.stringify(Array(values).fill("a")),
      })
    expect((await send("/seal", 100, limited.key)).status).toBe(200)
    const refused = await send("/seal", 1, limited.key)
    expect([refused.status, refused.headers["x-service-error-code"]]).toEqual([429, "too-many-requests"])
    expect(refused.headers["retry-after"]).toBe("41")
    // An answer would be changed: it is refused before the destination is asked.
    expect((await send("/answer", 1, limited.key)).status).toBe(429)
    expect((await send("/seal", 1)).status).toBe(200)
    const { auth: answering } = await issue({ app, auth }, { valuesPerSecond: 2 })
    expect((await send("/answer", 100, answering.key)).status).toBe(200)
    expect((await send("/seal", 1, answering.key)).status).toBe(429)
  })
})

test("an asynchronous run counts for all values of its payload when it is requested", async () => {
  const source = "export const handler = async ({ values }) => values.length\n"
  await deployFunction(service, "later", "index.mjs", source)
  const { auth } = await issue(service.sandbox, { valuesPerSecond: 1 })
  const values = tokensIn((await encrypt(20, {})).text)
  const request = () => service.post("/functions/later/runs", { payload: { values }, async: true }, { auth })
  expect((await request()).status).toBe(202)
  expectProblem(await request(), "too-many-requests")
})
