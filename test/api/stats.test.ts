import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { createMembers } from "../support/members.ts"
import { newAppWithRole, policyOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()

const latencySchema = z
  .strictObject({ count: z.int(), p50Ms: z.number(), p95Ms: z.number(), p99Ms: z.number() })
  .nullable()
const figuresSchema = z.strictObject({
  requests: z.int(),
  encrypted: z.int(),
  decrypted: z.int(),
  masked: z.int(),
  refusals: z.int(),
  errors: z.int(),
  relayRequests: z.int(),
  functionRuns: z.int(),
  failedRuns: z.int(),
  latency: z.strictObject({
    api: latencySchema,
    relay: latencySchema,
    destination: latencySchema,
    function: latencySchema,
  }),
})
const pointsSchema = z.array(figuresSchema.extend({ at: z.int() }))
const statsSchema = z.strictObject({
  interval: z.enum(["minute", "hour", "day"]),
  from: z.int(),
  to: z.int(),
  by: z.string().nullable(),
  total: figuresSchema,
  data: pointsSchema,
  groups: z.array(z.strictObject({ key: z.string(), total: figuresSchema, data: pointsSchema })),
  isComplete: z.boolean(),
})

async function read(auth: Identity["auth"], query = "") {
  await service.service.platform.stats.flush()
  const answer = await service.get(`/stats${query}`, { auth })
  expect(answer.status, answer.text).toBe(200)
  return statsSchema.parse(answer.json)
}

/** Returns the totals of each group, by its key. */
async function groupsOf(auth: Identity["auth"], by: string) {
  const { groups } = await read(auth, `?by=${by}`)
  return Object.fromEntries(groups.map(({ key, total }) => [key, total]))
}

describe("figures of the API", () => {
  test("tell values, requests and refusals, all together and by role, endpoint and code", async () => {
    const { auth, role, token } = await newAppWithRole(service)
    expect((await service.post("/decrypt", `[${token}]`, { auth })).status).toBe(403)
    expect((await service.post("/data-policies", policyOf(role), { auth })).status).toBe(201)
    const plain = await service.post(
      "/encrypt",
      { a: "x", b: [1, true], c: null, d: JSON.parse(token) },
      { auth },
    )
    const octets = { auth, contentType: "application/octet-stream" }
    expect((await service.post("/encrypt", Buffer.from("x"), octets)).status).toBe(200)
    const { a } = z.object({ a: z.string() }).parse(plain.json)
    expect((await service.post("/decrypt", `[${token},${token},"${a}"]`, { auth })).status).toBe(200)
    expect((await service.post("/decrypt", "{", { auth })).status).toBe(400)

    const { total, data } = await read(auth)
    // One value sealed by `newAppWithRole`, three of the document, and a file.
    expect(total).toMatchObject({ encrypted: 5, decrypted: 3, refusals: 2, errors: 0, relayRequests: 0 })
    expect(total.latency.api?.count).toBe(total.requests)
    expect(total.latency.relay).toBeNull()
    expect(data.at(-1)).toMatchObject({ decrypted: 3 })
    expect(await groupsOf(auth, "role")).toMatchObject({
      [role]: { encrypted: 1, decrypted: 2, refusals: 1 },
      "": { encrypted: 4, decrypted: 1, refusals: 0 },
    })
    expect(await groupsOf(auth, "endpoint")).toMatchObject({
      decrypt: { requests: 3, refusals: 2, latency: { api: { count: 3 } } },
    })
    expect(await groupsOf(auth, "code")).toMatchObject({
      "decrypt/forbidden": { refusals: 1 },
      "invalid-request": { refusals: 1 },
    })
  })

  test("have an entry for each interval, oldest first, and zeros where nothing happened", async () => {
    const { auth } = await service.newApp("sandbox")
    await service.post("/encrypt", '"x"', { auth })
    for (const [interval, lengthMs, points] of [
      ["minute", 60_000, 60],
      ["hour", 3_600_000, 24],
      ["day", 86_400_000, 30],
    ] as const) {
      const { from, to, data, total } = await read(auth, `?interval=${interval}`)
      expect(data.map(({ at }) => at)).toEqual(
        Array.from({ length: points }, (_, index) => from + index * lengthMs),
      )
      expect(to - from).toBe(points * lengthMs)
      expect(data[0]).toMatchObject({ encrypted: 0, latency: { api: null } })
      expect(total.encrypted).toBe(1)
    }
  })

  test("list the 10 largest groups, and say that there are more", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const { stats } = service.service.platform
    for (let index = 1; index <= 11; index++)
      stats.count(app.id, { functionRuns: index }, { function: `f${index}` })
    const { groups, isComplete } = await read(auth, "?by=function")
    expect(groups.map(({ key, total }) => [key, total.functionRuns])).toEqual(
      Array.from({ length: 10 }, (_, index) => [`f${11 - index}`, 11 - index]),
    )
    expect(isComplete).toBe(false)
    expect((await read(auth)).isComplete).toBe(true)
  })
})

test("figures of a relay tell its requests, values, refusals and latencies", async () => {
  await using destination = await startRelayDestination()
  const { app, auth, role, token } = await newAppWithRole(service)
  const { destinationDomain } = destination
  const json = (selector: string, given: string | null) => [{ type: "json", selector, role: given }]
  const routes = [
    { path: "/encrypt", request: [{ action: "encrypt", selections: json("$.*", role) }] },
    { path: "/decrypt", request: [{ action: "decrypt", selections: json("$.*", null) }] },
  ]
  const made = await service.post("/relays", { destinationDomain, routes }, { auth })
  const { id, relayDomain } = z.object({ id: z.string(), relayDomain: z.string() }).parse(made.json)
  const headers = {
    "content-type": "application/json",
    "x-service-api-key": auth.key,
    "x-service-app-id": app.app.id,
  }
  const send = (path: string, body: string) =>
    sendToRelay(service.service.relayUrl, { relayDomain, path, headers, body })
  expect((await send("/encrypt", '{"a":"1","b":"2"}')).status).toBe(200)
  expect((await send("/decrypt", `{"a":${token}}`)).status).toBe(403)
  expect((await service.post("/data-policies", policyOf(role), { auth })).status).toBe(201)
  expect((await send("/decrypt", `{"a":${token}}`)).status).toBe(200)

  const { [id]: figures } = await groupsOf(auth, "relay")
  expect(figures).toMatchObject({ relayRequests: 3, encrypted: 2, decrypted: 1, refusals: 1, requests: 0 })
  expect(figures?.latency).toMatchObject({ relay: { count: 3 }, destination: { count: 2 }, api: null })
  // One more was sealed by `newAppWithRole`.
  expect(await groupsOf(auth, "role")).toMatchObject({ [role]: { encrypted: 3, decrypted: 1, refusals: 1 } })
})

describe("GET /stats", () => {
  let auth: Identity["auth"]
  let app: Identity
  beforeAll(async () => {
    ;({ app, auth } = await newAppWithRole(service))
  })

  test("shows an app only its own figures, to keys with the scope stats:read and to members of every role", async () => {
    const { auth: others } = await service.newApp("sandbox")
    expect((await read(others)).total).toMatchObject({ encrypted: 0 })
    const reader = await service.newKey(app.app, ["stats:read"])
    expect((await read(reader)).total.encrypted).toBe(1)
    const decrypter = await service.newKey(app.app, ["api:decrypt"])
    expectProblem(await service.get("/stats", { auth: decrypter }), "forbidden")
    expectProblem(await service.get("/stats", { auth: service.team.auth }), "forbidden")
    expectProblem(await service.get("/stats", { auth: null }), "unauthorized")
    const members = createMembers(service)
    const cookie = await members.signIn("auditor")
    expect((await service.get("/stats", members.by(cookie, app.app.id))).status).toBe(200)
    const foreign = members.by(cookie, await members.foreignApp())
    expectProblem(await service.get("/stats", foreign), "not-found")
  })

  test.each([
    "interval=week",
    "by=key",
    "from=yesterday",
    "to=-1",
    "from=2&to=1",
    "from=99999999999999",
    "interval=minute&from=0&to=21660000",
    "interval=hour&from=0",
    "unknown=1",
  ])("refuses ?%s", async (query) => {
    expectProblem(await service.get(`/stats?${query}`, { auth }), "invalid-request")
  })

  test("reads a range in which nothing is kept any more", async () => {
    const { total, data, isComplete } = await read(auth, "?interval=day&from=0&to=1")
    expect([total.requests, data.length, isComplete]).toEqual([0, 1, true])
  })
})

test("GET /metrics tells what the process has counted of all apps and of unknown senders, and names no app", async () => {
  const { app, auth } = await service.newApp("sandbox")
  const read = async (metric: string) => {
    const { status, text } = await service.get("/metrics", { auth: null })
    expect(status).toBe(200)
    expect(text).not.toContain(app.id)
    return Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${metric} `))
        ?.split(" ")[1] ?? 0,
    )
  }
  const metrics = ["sealway_values_encrypted_total", 'sealway_refusals_total{code="unauthorized"}']
  const [encrypted = 0, refused = 0] = await Promise.all(metrics.map(read))
  expect((await service.post("/encrypt", '["x","y"]', { auth })).status).toBe(200)
  expectProblem(await service.post("/encrypt", '"x"', { auth: null }), "unauthorized")
  expect(await Promise.all(metrics.map(read))).toEqual([encrypted + 2, refused + 1])
  const origin = { origin: "https://evil.example" }
  expect((await service.get("/metrics", { auth: null, headers: origin })).status).toBe(401)
})
