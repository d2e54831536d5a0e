import { describe, expect, test } from "vitest"
import * as z from "zod"
import { newSlug } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()

const JSON_TYPE = { "content-type": "application/json" }
const ROUTES = [
  {
    path: "/orders/*",
    request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.card.*" }] }],
    response: [{ action: "decrypt", selections: [{ type: "json", selector: "$..*" }] }],
  },
]

const problemSchema = z
  .strictObject({ code: z.string(), title: z.string(), detail: z.string(), status: z.int() })
  .nullable()
const messageSchema = z.strictObject({
  error: problemSchema,
  selections: z.array(
    z.strictObject({
      action: z.string(),
      type: z.string(),
      selector: z.string(),
      matched: z.int(),
      changed: z.int(),
      paths: z.array(z.string()),
    }),
  ),
  leaks: z.array(z.string()),
  path: z.string().nullable(),
  headers: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  body: z.string().nullable(),
  encoding: z.enum(["utf-8", "base64"]),
  bodyChanged: z.boolean(),
})
const trialSchema = z.strictObject({
  error: problemSchema,
  routes: z.array(z.strictObject({ method: z.string().nullable(), path: z.string(), matched: z.boolean() })),
  request: messageSchema.nullable(),
  response: messageSchema.nullable(),
  warnings: z.array(
    z.strictObject({
      code: z.string(),
      direction: z.string(),
      selector: z.string().nullable(),
      detail: z.string(),
    }),
  ),
})

let hosts = 0

async function createRelay(settings: object = {}): Promise<string> {
  const body = { destinationDomain: `tried-${++hosts}.destination.example`, routes: ROUTES, ...settings }
  const answer = await service.post("/relays", body)
  expect(answer.status, answer.text).toBe(201)
  return z.object({ id: z.string() }).parse(answer.json).id
}

async function tryIt(id: string, body: object) {
  const answer = await service.post(`/relays/${id}/test`, body)
  expect(answer.status, answer.text).toBe(200)
  return trialSchema.parse(answer.json)
}

describe("POST /relays/{relay_id}/test", () => {
  test("shows what the saved routes do to a request and its response, and decrypts nothing", async () => {
    const id = await createRelay()
    const { json: token } = await service.post("/encrypt", JSON.stringify("marker-7f3a"))
    const request = { path: "/orders/1", headers: JSON_TYPE, body: JSON.stringify({ card: { number: "1" } }) }
    const response = { headers: JSON_TYPE, body: JSON.stringify({ card: token }) }
    const trial = await tryIt(id, { request, response })
    expect(trial).toMatchObject({
      error: null,
      routes: [{ method: null, path: "/orders/*", matched: true }],
      warnings: [],
    })
    expect(trial.request).toMatchObject({
      error: null,
      selections: [{ selector: "$.card.*", matched: 1, changed: 1, paths: ["$['card']['number']"] }],
      bodyChanged: true,
    })
    const passed: unknown = JSON.parse(trial.request?.body ?? "")
    expect((await service.post("/decrypt", passed)).json).toEqual({ card: { number: "1" } })
    expect(trial.response).toMatchObject({
      selections: [{ action: "decrypt", selector: "$..*", matched: 1, changed: 1 }],
      body: '{"card":"(decrypted)"}',
    })
    expect(JSON.stringify(trial)).not.toContain("marker-7f3a")
  })

  test("tries routes that are not saved, and leaves the saved ones unchanged", async () => {
    const id = await createRelay()
    const routes = [
      { path: "/**", request: [{ action: "encrypt", selections: [{ type: "header", selector: "X-A" }] }] },
    ]
    const trial = await tryIt(id, { routes, request: { headers: { "X-A": "1" } } })
    expect(trial.request?.headers).toEqual([{ name: "X-A", value: expect.stringMatching(/^ev:/) }])
    expect(await tryIt(id, { request: {} })).toMatchObject({
      routes: [{ path: "/orders/*", matched: false }],
      warnings: [{ code: "no-route-matches" }],
      response: null,
    })
  })

  test("shows the target as it would be sent, an error without its body, and prefixes that are evaded", async () => {
    const id = await createRelay({ unencryptableErrors: "drop-body" })
    const encrypts = (type: string, selector: string) => [
      { action: "encrypt", selections: [{ type, selector }] },
    ]
    const routes = [
      { path: "/**", request: encrypts("query", "card"), response: encrypts("xml", "$['a:n']") },
    ]
    const trial = await tryIt(id, {
      routes,
      request: { path: "/a?b=1&card=4242" },
      response: { status: 502, headers: { "content-type": "text/html" }, body: "<html>" },
    })
    expect(trial.request).toMatchObject({
      error: null,
      path: expect.stringMatching(/^\/a\?b=1&card=ev%3A[A-Za-z0-9%._-]+$/),
      selections: [{ type: "query", matched: 1, changed: 1 }],
    })
    expect(trial.response).toMatchObject({ error: null, path: null, body: "", bodyChanged: true })
    expect(trial.warnings).toMatchObject([
      { code: "matched-nothing", direction: "response" },
      { code: "prefix-without-namespace", direction: "response", selector: "$['a:n']" },
    ])
  })

  test("reports what the relay would refuse the request for", async () => {
    const id = await createRelay()
    const { json: token } = await service.post("/encrypt", "1")
    const body = JSON.stringify({ card: {}, other: token })
    const { request } = await tryIt(id, { request: { path: "/orders/1", headers: JSON_TYPE, body } })
    expect(request).toMatchObject({
      error: { code: "encrypt/pre-encrypted-data", status: 400 },
      headers: [],
      body: null,
      bodyChanged: false,
    })
    const { error } = await tryIt(id, { request: { path: "/orders/1/../2" } })
    expect(error).toMatchObject({ code: "bad-request", status: 400 })
  })

  test("encrypts with the role of a selection, and refuses one that the app does not have", async () => {
    const slug = newSlug()
    await service.newRole(service.sandbox.app, slug)
    const id = await createRelay()
    const sample = { path: "/a", headers: JSON_TYPE, body: '{"a":1}' }
    const routesWith = (role: string) => [
      { path: "/a", request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.a", role }] }] },
    ]
    const { request } = await tryIt(id, { routes: routesWith(slug), request: sample })
    expectProblem(await service.post("/decrypt", JSON.parse(request?.body ?? "")), "decrypt/forbidden")
    const { request: refused } = await tryIt(id, { routes: routesWith("gone"), request: sample })
    expect(refused).toMatchObject({ error: { code: "internal-server-error" }, body: null })
  })

  test.each([
    ["no request", {}],
    [
      "a selector that is none",
      {
        request: {},
        routes: [
          {
            path: "/",
            request: [{ action: "encrypt", selections: [{ type: "json", selector: "marker-7f3a(" }] }],
          },
        ],
      },
    ],
    ["a header with a line end", { request: { headers: { a: "marker-7f3a\r\nb: c" } } }],
    ["a header's name that is none", { request: { headers: { "marker 7f3a": "b" } } }],
    ["a path with white space", { request: { path: "/marker 7f3a" } }],
    ["an unknown encoding", { request: { body: "marker-7f3a", encoding: "hex" } }],
    ["what is not base64", { request: { body: "marker-7f3a!", encoding: "base64" } }],
    ["too large a body", { request: { body: "a".repeat(256 * 1024 + 1) } }],
    ["an unknown member", { request: {}, "marker-7f3a": 1 }],
  ])("refuses with invalid-request %s", async (_, body) => {
    const answer = await service.post(`/relays/${await createRelay()}/test`, body)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toContain("marker-7f3a")
  })

  test("is not found for another app's relay, and requires the scope relay:read", async () => {
    const id = await createRelay()
    const { auth } = await service.newApp("sandbox")
    expectProblem(await service.post(`/relays/${id}/test`, { request: {} }, { auth }), "not-found")
    const writer = { auth: await service.newKey(service.sandbox.app, ["relay:write"]) }
    expectProblem(await service.post(`/relays/${id}/test`, { request: {} }, writer), "forbidden")
    expectProblem(await service.post(`/relays/${id}/test`, { request: {} }, { auth: null }), "unauthorized")
    const reader = { auth: await service.newKey(service.sandbox.app, ["relay:read"]) }
    expect((await service.post(`/relays/${id}/test`, { request: {} }, reader)).status).toBe(200)
  })
})
