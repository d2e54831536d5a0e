import { accessBlocksOf, createAccessBlock } from "@sealway/records"
import { beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { newAppWithRole, newSlug, policyOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()
const octets = { contentType: "application/octet-stream" }

const recordSchema = z.strictObject({
  id: z.string(),
  at: z.number(),
  teamId: z.string(),
  appId: z.string(),
  source: z.string(),
  actor: z.strictObject({ type: z.string(), id: z.string() }),
  apiKeyId: z.string().nullable(),
  relayId: z.string().nullable(),
  functionName: z.string().nullable(),
  enclave: z.null(),
  ip: z.string().nullable(),
  requestId: z.string().nullable(),
  roles: z.record(z.string(), z.number()),
  withoutRole: z.number(),
  total: z.number(),
  reason: z.null(),
  masked: z.null(),
})
const pageSchema = z.strictObject({
  data: z.array(recordSchema),
  hasMore: z.boolean(),
  continueAfter: z.string().nullable(),
})
const auditSchema = z.object({
  data: z.array(z.object({ action: z.string(), details: z.record(z.string(), z.unknown()) })),
})

type Auth = Identity["auth"]

async function list(auth: Auth, query = "") {
  await service.service.platform.accessLog.flush()
  const answer = await service.get(`/access-logs${query}`, { auth })
  expect(answer.status, answer.text).toBe(200)
  return pageSchema.parse(answer.json)
}
const records = async (auth: Auth, query = "?limit=100") => (await list(auth, query)).data

/** Creates an app with a role whose values may be decrypted. */
async function newPermittingApp(accessLog: "standard" | "strict" = "standard") {
  const made = await newAppWithRole(service)
  const { auth, role } = made
  expect((await service.patch(`/data-roles/${role}`, { accessLog }, { auth })).status).toBe(200)
  expect((await service.post("/data-policies", policyOf(role), { auth })).status).toBe(201)
  return made
}

async function auditRecords(appId: string, action: string) {
  const answer = await service.get(`/audit-logs?limit=100&appId=${appId}&action=${action}`, {
    auth: service.team.auth,
  })
  return auditSchema.parse(answer.json).data
}

describe("a successful decryption", () => {
  test("leaves one access record of who, when, from where, and how many values of which roles", async () => {
    const { app, auth, role, token } = await newPermittingApp()
    const plain = (await service.post("/encrypt", '"x"', { auth })).text
    const body = `[${token},${token},${plain},{"a":${token}},"other"]`
    expect((await service.post("/decrypt", body, { auth })).status).toBe(200)
    const found = await records(auth)
    expect(found).toEqual([
      {
        id: expect.stringMatching(/^access_[0-9a-z]{26}$/),
        at: expect.any(Number),
        teamId: service.team.id,
        appId: app.app.id,
        source: "api",
        actor: { type: "api-key", id: expect.stringMatching(/^key_/) },
        apiKeyId: found[0]?.actor.id,
        relayId: null,
        functionName: null,
        enclave: null,
        ip: "127.0.0.1",
        requestId: expect.any(String),
        roles: { [role]: 3 },
        withoutRole: 1,
        total: 4,
        reason: null,
        masked: null,
      },
    ])
    expect(Math.abs((found[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000)
  })

  test("counts as one value without a role when it is of a file", async () => {
    const { auth } = await service.newApp("sandbox")
    const file = (await service.post("/encrypt", Buffer.from("x"), { auth, ...octets })).bytes
    expect((await service.post("/decrypt", file, { auth, ...octets })).status).toBe(200)
    expect(await records(auth)).toMatchObject([{ roles: {}, withoutRole: 1, total: 1 }])
  })

  test("names the client-side token it was made with, and the key that issued that", async () => {
    const { auth, role, token } = await newPermittingApp()
    const payload = JSON.parse(`{"card":${token}}`)
    const issued = await service.post("/client-side-tokens", { action: "api:decrypt", payload }, { auth })
    const { id, token: jwt } = z.object({ id: z.string(), token: z.string() }).parse(issued.json)
    const headers = { authorization: `Token ${jwt}` }
    expect((await service.post("/decrypt", payload, { auth: null, headers })).status).toBe(200)
    const [record] = await records(auth)
    expect(record).toMatchObject({
      source: "client-token",
      actor: { type: "client-side-token", id },
      apiKeyId: expect.stringMatching(/^key_/),
      roles: { [role]: 1 },
    })
    expect(await records(auth, `?keyId=${id}`)).toHaveLength(1)
    expect(await records(auth, `?keyId=${record?.apiKeyId}`)).toHaveLength(1)
    expect(await records(auth, "?keyId=key_other")).toEqual([])
  })

  test("leaves no record when nothing was opened, when it was refused, or by fingerprint, inspect and rewrap", async () => {
    const { auth, token, role } = await newAppWithRole(service)
    expect((await service.post("/decrypt", { a: "x" }, { auth })).status).toBe(200)
    expectProblem(await service.post("/decrypt", token, { auth }), "decrypt/forbidden")
    const plain = JSON.parse((await service.post("/encrypt", '"x"', { auth })).text)
    expectProblem(await service.post("/decrypt", `[${token},"${plain}"]`, { auth }), "decrypt/forbidden")
    expectProblem(await service.post("/decrypt", [plain, "ev:Tk9D:AA:AA:AA:$"], { auth }), "invalid-request")
    for (const path of ["/fingerprint", "/inspect"]) {
      expect((await service.post(path, { token: JSON.parse(token) }, { auth })).status).toBe(200)
    }
    expect((await service.post("/rewrap", [plain], { auth })).status).toBe(200)
    expect(await records(auth)).toEqual([])
    expect(role).not.toBe("")
  })
})

describe("a request through a relay", () => {
  const routes = (role: string) => [
    {
      path: "/both",
      request: [{ action: "decrypt", selections: [{ type: "json", selector: "$.sent" }] }],
      response: [{ action: "decrypt", selections: [{ type: "json", selector: "$.kept" }] }],
    },
    {
      path: "/seal",
      request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.sent", role }] }],
    },
    { path: "/file", request: [{ action: "decrypt", selections: [{ type: "file", selector: "file" }] }] },
  ]

  async function newRelay(auth: Auth, role: string, destinationDomain: string) {
    const made = await service.post("/relays", { destinationDomain, routes: routes(role) }, { auth })
    expect(made.status, made.text).toBe(201)
    return z.object({ id: z.string(), relayDomain: z.string() }).parse(made.json)
  }

  test("leaves one record of all that it decrypted in both directions, and none when it decrypted nothing", async () => {
    await using destination = await startRelayDestination()
    const { auth, role, token } = await newPermittingApp()
    const { id, relayDomain } = await newRelay(auth, role, destination.destinationDomain)
    const plain = (await service.post("/encrypt", '"x"', { auth })).text
    const headers = { "content-type": "application/json", "x-service-api-key": auth.key }
    const body = `{"sent":[${token},${plain}],"kept":${token}}`
    const send = (path: string, content: string) =>
      sendToRelay(service.service.relayUrl, { relayDomain, path, headers, body: content })
    const answer = await send("/both", `{"sent":${token},"kept":${token}}`)
    expect([answer.status, answer.body.toString()]).toEqual([
      200,
      '{"sent":"secret-value","kept":"secret-value"}',
    ])
    expect((await send("/seal", '{"sent":"x"}')).status).toBe(200)
    expect((await send("/nothing", body)).status).toBe(200)
    const found = await vi.waitFor(async () => {
      const listed = await records(auth)
      expect(listed).toHaveLength(1)
      return listed
    })
    expect(found).toMatchObject([
      {
        source: "relay",
        relayId: id,
        actor: { type: "api-key" },
        apiKeyId: expect.stringMatching(/^key_/),
        ip: "127.0.0.1",
        requestId: expect.any(String),
        roles: { [role]: 2 },
        withoutRole: 0,
        total: 2,
      },
    ])
  })

  test("is recorded under the relay itself when it has no key, as in the audit log", async () => {
    await using destination = await startRelayDestination()
    const { auth, role, token } = await newPermittingApp()
    const { id, relayDomain } = await newRelay(auth, role, destination.destinationDomain)
    const headers = { "content-type": "application/json" }
    const body = `{"sent":${token}}`
    await sendToRelay(service.service.relayUrl, { relayDomain, path: "/both", headers, body })
    await vi.waitFor(async () => {
      expect(await records(auth)).toMatchObject([
        { relayId: id, actor: { type: "system", id }, apiKeyId: null, total: 1 },
      ])
    })
  })

  test("is in the audit log before a strict role's value reaches the destination, and is not sent if that fails", async () => {
    const seen: string[] = []
    const { app, auth, role, token } = await newPermittingApp("strict")
    await using destination = await startRelayDestination(async (_, response) => {
      seen.push(...(await auditRecords(app.app.id, "decryption.performed")).map(({ action }) => action))
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
    const { id, relayDomain } = await newRelay(auth, role, destination.destinationDomain)
    const headers = { "content-type": "application/json" }
    const send = () =>
      sendToRelay(service.service.relayUrl, {
        relayDomain,
        path: "/both",
        headers,
        body: `{"sent":${token}}`,
      })
    expect((await send()).status).toBe(200)
    expect(seen).toEqual(["decryption.performed"])
    const [audited] = await auditRecords(app.app.id, "decryption.performed")
    const [record] = await vi.waitFor(async () => {
      const listed = await records(auth)
      expect(listed).toHaveLength(1)
      return listed
    })
    expect(audited?.details).toMatchObject({ access: record?.id, relay: id, roles: `${role}=1`, total: 1 })

    vi.spyOn(service.service.platform.audit, "record").mockRejectedValue(new Error("The table is down"))
    try {
      const answer = await send()
      expect([answer.status, answer.headers["x-service-error-code"]]).toEqual([503, "service-unavailable"])
      expect(destination.arrived).toHaveLength(1)
    } finally {
      vi.restoreAllMocks()
    }
  })
})

describe("a run of a function", () => {
  test("leaves one record that names the function", async () => {
    const { auth, role, token } = await newPermittingApp()
    const { strToU8, zipSync } = await import("fflate")
    const code = Buffer.from(zipSync({ "index.mjs": strToU8("export const handler = () => 1") })).toString(
      "base64",
    )
    const deployment = { name: "charge", language: "node@24", handler: "index.mjs", code }
    expect((await service.post("/functions", deployment, { auth })).status).toBe(202)
    await vi.waitFor(
      async () =>
        expect((await service.get("/functions/charge", { auth })).json).toMatchObject({ status: "ready" }),
      { timeout: 20_000, interval: 100 },
    )
    const payload = JSON.parse(`{"card":${token}}`)
    const run = (body: object, headers = {}) =>
      service.post("/functions/charge/runs", body, { auth, headers })
    const key = { "idempotency-key": "once" }
    expect((await run({ payload }, key)).status).toBe(200)
    // Answered from what was kept: nothing is decrypted again.
    expect((await run({ payload }, key)).headers.get("idempotency-replayed")).toBe("true")
    expect((await run({ payload: { card: 1 } })).status).toBe(200)
    const expected = { source: "function", functionName: "charge", roles: { [role]: 1 }, total: 1 }
    const [record, ...others] = await records(auth)
    expect(record).toMatchObject({ ...expected, actor: { type: "api-key" }, ip: "127.0.0.1" })
    expect(others).toEqual([])
    expect((await run({ payload, async: true })).status).toBe(202)
    await vi.waitFor(async () => expect(await records(auth)).toMatchObject([expected, expected]), {
      timeout: 20_000,
      interval: 100,
    })
  })
})

describe("a role that is strict", () => {
  test("has its decryptions in the audit log before the values are returned, and webhook endpoints get no event", async () => {
    const { app, auth, role, token } = await newPermittingApp("strict")
    const receiver = { url: "http://127.0.0.1:9/", events: ["audit-log.event"] }
    expect((await service.post("/webhook-endpoints", receiver, { auth })).status).toBe(201)
    const events = async () =>
      z
        .object({ data: z.array(z.unknown()) })
        .parse((await service.get("/webhook-events?limit=100", { auth })).json).data
    const before = (await events()).length
    expect((await service.post("/decrypt", `[${token},${token}]`, { auth })).status).toBe(200)
    const audited = await auditRecords(app.app.id, "decryption.performed")
    const [record] = await records(auth)
    expect(audited).toEqual([
      {
        action: "decryption.performed",
        details: {
          access: record?.id,
          source: "api",
          apiKey: record?.apiKeyId,
          roles: `${role}=2`,
          withoutRole: 0,
          total: 2,
        },
      },
    ])
    expect((await events()).length).toBe(before)
  })

  test("answers service-unavailable without values while the record cannot be written", async () => {
    const { auth, token } = await newPermittingApp("strict")
    const { platform } = service.service
    vi.spyOn(platform.audit, "record").mockRejectedValue(new Error("The table is down"))
    let answer: Awaited<ReturnType<typeof service.post>>
    try {
      answer = await service.post("/decrypt", token, { auth })
    } finally {
      vi.restoreAllMocks()
    }
    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect(answer.text).not.toContain("secret-value")
    expect(await records(auth)).toEqual([])
  })

  test("is set and shown by the API, is standard by default, and is audited when it changes", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const slug = newSlug()
    const made = await service.post("/data-roles", { slug, name: "x" }, { auth })
    expect(made.json).toMatchObject({ accessLog: "standard" })
    const changed = await service.patch(`/data-roles/${slug}`, { accessLog: "strict" }, { auth })
    expect(changed.json).toMatchObject({ accessLog: "strict" })
    expect((await service.patch(`/data-roles/${slug}`, { name: "y" }, { auth })).json).toMatchObject({
      accessLog: "strict",
    })
    const [, updated] = await auditRecords(app.id, "data-role.update")
    expect(updated?.details).toMatchObject({ slug, accessLog: "strict" })
    const strict = { slug: newSlug(), name: "x", accessLog: "strict" }
    expect((await service.post("/data-roles", strict, { auth })).json).toMatchObject(strict)
    expectProblem(
      await service.patch(`/data-roles/${slug}`, { accessLog: "loud" }, { auth }),
      "invalid-request",
    )
  })
})

describe("GET /access-logs", () => {
  const START_MS = 1_700_000_000_000
  let auth: Auth

  beforeAll(async () => {
    const made = await service.newApp("sandbox")
    auth = made.auth
    const { app } = made
    const written = Array.from({ length: 250 }, (_, index) => {
      const at = START_MS + index * 1_000
      const id = `access_${encodeTime(at)}${String(index).padStart(16, "0")}`
      return {
        id,
        at,
        teamId: app.teamId,
        appId: app.id,
        source: "api" as const,
        actor: { type: "api-key" as const, id: `key_${index % 2}` },
        apiKeyId: `key_${index % 2}`,
        relayId: null,
        functionName: null,
        enclave: null,
        ip: null,
        requestId: null,
        roles: index % 5 === 0 ? { rare: 1, constructor: 1 } : {},
        withoutRole: 1,
        total: 1,
        masked: null,
        reason: null,
      }
    })
    for (const block of accessBlocksOf(written)) {
      await createAccessBlock(service.service.platform.eventsTable, block, null)
    }
  })

  test("lists 10 by default, newest first, and continues after the last one to the end", async () => {
    const first = await list(auth)
    expect(first.data).toHaveLength(10)
    expect(first.data[0]?.at).toBe(START_MS + 249_000)
    const all: number[] = []
    for (let query = "?limit=100", hasMore = true; hasMore; ) {
      const page = await list(auth, query)
      all.push(...page.data.map(({ at }) => at))
      hasMore = page.hasMore
      query = `?limit=100&startingAfter=${page.continueAfter}`
    }
    expect(all).toEqual(Array.from({ length: 250 }, (_, index) => START_MS + (249 - index) * 1_000))
  })

  test("filters by role, key and time, alone or combined", async () => {
    expect(await records(auth, "?limit=100&role=rare")).toHaveLength(50)
    expect(await records(auth, "?limit=100&role=constructor")).toHaveLength(50)
    expect(await records(auth, "?role=toString")).toEqual([])
    const [from, to] = [START_MS + 100_000, START_MS + 120_000]
    expect((await records(auth, `?limit=100&from=${from}&to=${to}`)).map(({ at }) => at)).toEqual(
      Array.from({ length: 20 }, (_, index) => to - 1_000 - index * 1_000),
    )
    const combined = await records(auth, `?limit=100&from=${from}&to=${to}&keyId=key_0&role=rare`)
    expect(combined.map(({ at }) => (at - START_MS) / 1_000)).toEqual([110, 100])
    expect(await records(auth, `?from=${to}&to=${from}`)).toEqual([])
    const [newest] = await records(auth, "?limit=1")
    const beyond = await list(auth, `?limit=2&to=${from}&startingAfter=${newest?.id}`)
    expect(beyond.data.map(({ at }) => at)).toEqual([from - 1_000, from - 2_000])
  })

  test("shows an app only its own records, and only to keys with the scope accessLog:read", async () => {
    const { app, auth: others, token } = await newPermittingApp()
    expect((await service.post("/decrypt", token, { auth: others })).status).toBe(200)
    expect((await records(others)).map(({ appId }) => appId)).toEqual([app.app.id])
    expect((await records(auth)).every(({ appId }) => appId !== app.app.id)).toBe(true)
    const reader = await service.newKey(app.app, ["accessLog:read"])
    expect(await records(reader)).toHaveLength(1)
    const decrypter = await service.newKey(app.app, ["api:decrypt"])
    expectProblem(await service.get("/access-logs", { auth: decrypter }), "forbidden")
    expectProblem(await service.get("/access-logs", { auth: service.team.auth }), "forbidden")
    expectProblem(await service.get("/access-logs", { auth: null }), "unauthorized")
  })

  test.each([
    "limit=0",
    "limit=101",
    "startingAfter=audit_000000000001",
    "startingAfter=access_1",
    "from=yesterday",
    "to=-1",
    "role=x&unknown=1",
    `role=${"x".repeat(21)}`,
  ])("refuses ?%s", async (query) => {
    expectProblem(await service.get(`/access-logs?${query}`, { auth }), "invalid-request")
  })
})

function encodeTime(timeMs: number): string {
  return timeMs
    .toString(32)
    .replace(/[a-v]/g, (digit) => "abcdefghjkmnpqrstvwxyz".charAt(digit.charCodeAt(0) - 97))
    .padStart(10, "0")
}
