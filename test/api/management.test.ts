import { createTeam, issueApiKey } from "@sealway/management"
import { SYSTEM } from "@sealway/records"
import { beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()
const issuedSchema = z.object({ id: z.string(), key: z.string() })
const pageSchema = z.object({ data: z.array(z.looseObject({ id: z.string() })), hasMore: z.boolean() })

let asTeam: CallOptions
let asOtherTeam: CallOptions

beforeAll(async () => {
  asTeam = { auth: service.team.auth }
  const { platform } = service.service
  const other = await createTeam(platform, "Another team", SYSTEM)
  const { key } = await issueApiKey(
    platform,
    { kind: "team", teamId: other.id, appId: null, name: "Key", scopes: [], expiresAt: null },
    SYSTEM,
  )
  asOtherTeam = { auth: { user: other.id, key } }
})

async function issue(
  body: object = { name: "Backend", scopes: ["api:decrypt"] },
  appId = service.sandbox.app.id,
) {
  const answer = await service.post(`/apps/${appId}/api-keys`, body, asTeam)
  expect(answer.status).toBe(201)
  return { ...issuedSchema.parse(answer.json), json: answer.json }
}

const encryptWith = (key: string) =>
  service.post("/encrypt", '"x"', { auth: null, headers: { "api-key": key } })

describe("a team", () => {
  test("is shown and renamed with its key", async () => {
    expect((await service.get("/team", asTeam)).json).toMatchObject({ id: service.team.id, name: "My team" })
    const renamed = await service.patch("/team", { name: "Payments" }, asTeam)
    expect(renamed.status).toBe(200)
    expect(renamed.json).toMatchObject({ id: service.team.id, name: "Payments" })
  })

  test.each([
    { name: "" },
    { name: "a\nb" },
    { name: "a\u0000" },
    { name: "x".repeat(101) },
    {},
    { other: 1 },
  ])("is not renamed by %j", async (body) => {
    expectProblem(await service.patch("/team", body, asTeam), "invalid-request")
  })
})

describe("apps", () => {
  test("are created with keys of their own, shown, listed and renamed", async () => {
    const made = await service.post("/apps", { name: "Shop", environment: "production" }, asTeam)
    expect(made.status).toBe(201)
    const { id } = z.object({ id: z.string() }).parse(made.json)
    expect(made.json).toEqual({
      id: expect.stringMatching(/^app_[0-9a-z]{26}$/),
      name: "Shop",
      environment: "production",
      status: "enabled",
      allowedOrigins: [],
      cardInsights: false,
      sealing: "public-key",
      custody: "envelope",
      erasureDays: 7,
      limits: { requestsPerSecond: 5_000, valuesPerSecond: 500_000 },
      createdAt: expect.any(Number),
    })
    expect((await service.get(`/apps/${id}`, asTeam)).json).toEqual(made.json)
    const renamed = await service.patch(`/apps/${id}`, { name: "Shop 2" }, asTeam)
    expect(renamed.json).toMatchObject({ id, name: "Shop 2", status: "enabled" })
    expect((await service.get(`/apps/${id}`, asTeam)).json).toEqual(renamed.json)
    const { data } = pageSchema.parse((await service.get("/apps", asTeam)).json)
    expect(data[0]).toEqual(renamed.json)

    const { key } = await issue({ name: "Backend", scopes: ["*"] }, id)
    expect(key).toMatch(/^swk_production_/)
    const sealed = await encryptWith(key)
    expect(sealed.status).toBe(200)
    expectProblem(await service.post("/decrypt", sealed.text), "invalid-request")
  })

  test("are listed page by page, newest first, each once", async () => {
    for (let made = 0; made < 4; made++) {
      await service.post("/apps", { name: `App ${made}`, environment: "sandbox" }, asTeam)
    }
    const all = pageSchema.parse((await service.get("/apps?limit=100", asTeam)).json)
    expect(all.hasMore).toBe(false)
    const ids: string[] = []
    for (let after = "", hasMore = true; hasMore; ) {
      const page = pageSchema.parse((await service.get(`/apps?limit=3${after}`, asTeam)).json)
      expect(page.data.length).toBeLessThanOrEqual(3)
      ids.push(...page.data.map(({ id }) => id))
      after = `&startingAfter=${ids.at(-1)}`
      hasMore = page.hasMore
    }
    expect(ids).toEqual(all.data.map(({ id }) => id))
    expect(ids).toEqual(ids.toSorted().reverse())
  })

  test.each(["limit=0", "limit=101", "limit=x", "limit=1.5", "startingAfter=key_0123456789abcdef", "page=2"])(
    "are not listed by ?%s",
    async (query) => {
      const answer = await service.get(`/apps?${query}`, asTeam)
      expectProblem(answer, "invalid-request")
      expect(answer.json).toMatchObject({ fields: [{ pointer: expect.stringMatching(/^\/query/) }] })
    },
  )

  test("refuse all credentials while they are disabled", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    vi.advanceTimersByTime(1)
    try {
      const { app, auth } = await service.newApp("sandbox")
      const sealed = await service.post("/encrypt", '"x"', { auth })
      await service.patch(`/apps/${app.id}`, { status: "disabled" }, asTeam)
      vi.advanceTimersByTime(10_001)
      expectProblem(await service.post("/decrypt", sealed.text, { auth }), "unauthorized")
      await service.patch(`/apps/${app.id}`, { status: "enabled" }, asTeam)
      vi.advanceTimersByTime(10_001)
      expect((await service.post("/decrypt", sealed.text, { auth })).json).toBe("x")
    } finally {
      vi.useRealTimers()
    }
  })

  test("are not found when they are another team's", async () => {
    const { id } = service.sandbox.app
    expectProblem(await service.get(`/apps/${id}`, asOtherTeam), "not-found")
    expectProblem(await service.patch(`/apps/${id}`, { name: "Mine" }, asOtherTeam), "not-found")
    expectProblem(await service.get(`/apps/${id}/api-keys`, asOtherTeam), "not-found")
    expectProblem(
      await service.post(`/apps/${id}/api-keys`, { name: "x", scopes: ["*"] }, asOtherTeam),
      "not-found",
    )
    expect(pageSchema.parse((await service.get("/apps", asOtherTeam)).json).data).toEqual([])
  })
})

describe("how the values of an app are sealed", () => {
  const path = () => `/apps/${service.production.app.id}`

  test("is to the public key, until it is set, and is audited", async () => {
    expect((await service.get(path(), asTeam)).json).toMatchObject({ sealing: "public-key" })
    for (const sealing of ["symmetric", "public-key"]) {
      const answer = await service.patch(path(), { sealing }, asTeam)
      expect([answer.status, answer.json]).toMatchObject([200, { sealing }])
      expect((await service.get(path(), asTeam)).json).toMatchObject({ sealing })
    }
    const { json } = await service.get("/audit-logs?action=app.update&limit=2", asTeam)
    const sealings = z.object({ data: z.array(z.object({ details: z.unknown() })) }).parse(json).data
    expect(sealings.map(({ details }) => details)).toEqual(
      expect.arrayContaining([{ sealing: "symmetric" }, { sealing: "public-key" }]),
    )
  })

  test.each(["", "asymmetric", null, true])(
    "is refused with invalid-request when it is %j",
    async (sealing) => {
      expectProblem(await service.patch(path(), { sealing }, asTeam), "invalid-request")
    },
  )
})

describe("the allowed origins of an app", () => {
  const path = (environment: "sandbox" | "production") => `/apps/${service[environment].app.id}`

  test("are set, replaced and audited", async () => {
    const both = ["https://shop.example.com", "https://xn--bcher-kva.example:8443"]
    const addresses = ["https://192.0.2.1", "https://[2001:db8::1]:8443", "https://xn--bcher-kva.example"]
    for (const allowedOrigins of [addresses, both, both.slice(1), []]) {
      const answer = await service.patch(path("production"), { allowedOrigins }, asTeam)
      expect([answer.status, answer.json]).toMatchObject([200, { allowedOrigins }])
      expect((await service.get(path("production"), asTeam)).json).toMatchObject({ allowedOrigins })
    }
    const { json } = await service.get("/audit-logs?action=app.update&limit=3", asTeam)
    expect(json).toMatchObject({ data: [{}, {}, { details: { allowedOrigins: both.join(" ") } }] })
  })

  test("stay unchanged when something else is changed", async () => {
    const allowedOrigins = ["https://shop.example.com"]
    await service.patch(path("production"), { allowedOrigins }, asTeam)
    const renamed = await service.patch(path("production"), { name: "Shop" }, asTeam)
    expect(renamed.json).toMatchObject({ name: "Shop", allowedOrigins })
  })

  test("may be this machine's for a sandbox app only", async () => {
    for (const origin of ["http://localhost:5173", "http://127.0.0.1:8080"]) {
      const changes = { allowedOrigins: ["https://a.example", origin] }
      expect((await service.patch(path("sandbox"), changes, asTeam)).json).toMatchObject(changes)
      const refused = await service.patch(path("production"), changes, asTeam)
      expectProblem(refused, "invalid-request")
      expect(refused.json).toMatchObject({ fields: [{ pointer: "/allowedOrigins/1" }] })
    }
  })

  test.each([
    ["*"],
    ["null"],
    ["https://*.example.com"],
    ["https://marker-7f3a.example/"],
    ["https://marker-7f3a.example:443"],
    ["https://Marker-7f3a.example"],
    ["https://user@marker-7f3a.example"],
    ["https://marker-7f3a.example?a"],
    ["http://marker-7f3a.example"],
    ["http://localhost"],
    ["https://bücher.example"],
    ["ftp://marker-7f3a.example"],
    [""],
    ["https://"],
    ["https://-"],
    ["https://xn--"],
    ["https://a..marker-7f3a.example"],
    ["https://marker-7f3a.example."],
    ["https://marker-7f3a-.example:8443"],
    ["https://marker_7f3a.example"],
  ])("are refused with invalid-request, and not repeated: %s", async (origin) => {
    const answer = await service.patch(path("sandbox"), { allowedOrigins: [origin] }, asTeam)
    expectProblem(answer, "invalid-request")
    expect(answer.text.toLowerCase()).not.toContain("marker-7f3a")
  })

  test("are 50 at most, without duplicates", async () => {
    const origins = Array.from({ length: 51 }, (_, index) => `https://shop-${index}.example`)
    const patch = (allowedOrigins: readonly string[]) =>
      service.patch(path("sandbox"), { allowedOrigins }, asTeam)
    expectProblem(await patch(origins), "invalid-request")
    expect((await patch(origins.slice(1))).status).toBe(200)
    expectProblem(await patch(["https://a.example", "https://a.example"]), "invalid-request")
  })
})

describe("API keys", () => {
  test("are shown once, and left out of lists", async () => {
    const { id, key, json } = await issue({ name: "Backend", scopes: ["api:decrypt", "api:inspect"] })
    expect(json).toMatchObject({ name: "Backend", scopes: ["api:decrypt", "api:inspect"], expiresAt: null })
    const listed = await service.get(`/apps/${service.sandbox.app.id}/api-keys?limit=100`, asTeam)
    expect(listed.text).not.toContain(key)
    expect(pageSchema.parse(listed.json).data[0]).toEqual({
      id,
      name: "Backend",
      scopes: ["api:decrypt", "api:inspect"],
      limits: { requestsPerSecond: 2_000, valuesPerSecond: 250_000 },
      createdAt: expect.any(Number),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    })
  })

  test("may do what their scopes grant, and show when they were last used", async () => {
    const { id, key } = await issue({ name: "Decrypts only", scopes: ["api:decrypt"] })
    const before = Date.now()
    const sealed = await encryptWith(key)
    const headers = { "api-key": key }
    const token = sealed.json
    expect((await service.post("/decrypt", sealed.text, { auth: null, headers })).json).toBe("x")
    expectProblem(await service.post("/fingerprint", { token }, { auth: null, headers }), "forbidden")
    const listed = await service.get(`/apps/${service.sandbox.app.id}/api-keys?limit=100`, asTeam)
    const found = pageSchema.parse(listed.json).data.find((each) => each.id === id)
    expect(found?.lastUsedAt).toBeGreaterThanOrEqual(before)
  })

  test.each([
    [{ name: "x", scopes: ["api:everything"] }, "/scopes/0"],
    [{ name: "x", scopes: ["api:decrypt", "api:decrypt"] }, "/scopes"],
    [{ name: "x" }, "/scopes"],
    [{ name: "", scopes: [] }, "/name"],
    [{ name: "x", scopes: [], expiresAt: 1 }, "/expiresAt"],
    [{ name: "x", scopes: [], expiresAt: "tomorrow" }, "/expiresAt"],
  ])("are not issued for %j", async (body, pointer) => {
    const answer = await service.post(`/apps/${service.sandbox.app.id}/api-keys`, body, asTeam)
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer }] })
  })

  test("are refused for good within ten seconds of being revoked", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    vi.advanceTimersByTime(1)
    try {
      const { id, key } = await issue()
      expect((await encryptWith(key)).status).toBe(200)
      const path = `/apps/${service.sandbox.app.id}/api-keys/${id}`
      const revoked = await service.delete(path, asTeam)
      expect([revoked.status, revoked.text]).toEqual([204, ""])
      vi.advanceTimersByTime(10_001)
      expectProblem(await encryptWith(key), "unauthorized")
      expect((await service.delete(path, asTeam)).status).toBe(204)
      expectProblem(await service.post(`${path}/rotate`, {}, asTeam), "conflict")
    } finally {
      vi.useRealTimers()
    }
  })

  test("are replaced by a rotation: both work during the overlap, and only the new one after it", async () => {
    vi.useFakeTimers({ toFake: ["performance", "Date"] })
    try {
      const { id, key } = await issue()
      const path = `/apps/${service.sandbox.app.id}/api-keys/${id}/rotate`
      const rotated = await service.post(path, { overlapSeconds: 60 }, asTeam)
      expect(rotated.status).toBe(201)
      expect(rotated.json).toMatchObject({ name: "Backend", scopes: ["api:decrypt"] })
      const next = issuedSchema.parse(rotated.json)
      expect(next.id).not.toBe(id)
      vi.advanceTimersByTime(59_000)
      expect((await encryptWith(key)).status).toBe(200)
      vi.advanceTimersByTime(1_000)
      expectProblem(await encryptWith(key), "unauthorized")
      expect((await encryptWith(next.key)).status).toBe(200)
    } finally {
      vi.useRealTimers()
    }
  })

  test("expire at their time", async () => {
    vi.useFakeTimers({ toFake: ["performance", "Date"] })
    try {
      const { key } = await issue({ name: "Contractor", scopes: [], expiresAt: Date.now() + 60_000 })
      vi.advanceTimersByTime(59_999)
      expect((await encryptWith(key)).status).toBe(200)
      vi.advanceTimersByTime(1)
      expectProblem(await encryptWith(key), "unauthorized")
    } finally {
      vi.useRealTimers()
    }
  })

  test.each(["key_0123456789abcdefghjkmnpqrs", "key_short", "..", "%2e%2e%2fapps"])(
    "with the id %s are not found",
    async (id) => {
      const answer = await service.delete(`/apps/${service.sandbox.app.id}/api-keys/${id}`, asTeam)
      expect(answer.status).toBe(404)
    },
  )

  test("are not revoked by the path of another app", async () => {
    const { id, key } = await issue()
    const other = await service.newApp("sandbox")
    expectProblem(await service.delete(`/apps/${other.app.id}/api-keys/${id}`, asTeam), "not-found")
    expectProblem(await service.delete(`/team-keys/${id}`, asTeam), "not-found")
    expect((await encryptWith(key)).status).toBe(200)
  })
})

describe("team keys", () => {
  test("are issued, listed, and revoked by one another but not by themselves", async () => {
    const made = await service.post("/team-keys", { name: "Deploy" }, asTeam)
    expect(made.status).toBe(201)
    const { id, key } = issuedSchema.parse(made.json)
    expect(key).toMatch(/^swk_team_/)
    const asNew = { auth: { user: service.team.id, key } }
    expect((await service.get("/team", asNew)).status).toBe(200)
    const { data } = pageSchema.parse((await service.get("/team-keys", asTeam)).json)
    expect(data[0]).toMatchObject({ id, name: "Deploy", revokedAt: null })
    expectProblem(await service.delete(`/team-keys/${id}`, asNew), "conflict")
    expect((await service.delete(`/team-keys/${id}`, asTeam)).status).toBe(204)
  })
})

describe("every endpoint that manages apps", () => {
  const appPath = () => `/apps/${service.sandbox.app.id}`
  const requests: [string, () => string, object | undefined][] = [
    ["GET", () => "/team", undefined],
    ["PATCH", () => "/team", { name: "x" }],
    ["GET", () => "/team-keys", undefined],
    ["POST", () => "/team-keys", { name: "x" }],
    ["GET", () => "/apps", undefined],
    ["POST", () => "/apps", { name: "x", environment: "sandbox" }],
    ["GET", appPath, undefined],
    ["PATCH", appPath, { name: "x" }],
    ["GET", () => `${appPath()}/api-keys`, undefined],
    ["POST", () => `${appPath()}/api-keys`, { name: "x", scopes: [] }],
    ["GET", () => "/audit-logs", undefined],
  ]
  const call = (method: string, path: string, body: object | undefined, options: CallOptions) => {
    if (method === "GET") return service.get(path, options)
    return method === "POST" ? service.post(path, body, options) : service.patch(path, body, options)
  }

  test.each(requests)("refuses %s without credentials, and with an app's key", async (method, path, body) => {
    expectProblem(await call(method, path(), body, { auth: null }), "unauthorized")
    expectProblem(await call(method, path(), body, {}), "forbidden")
  })

  test.each(requests.filter(([method]) => method !== "GET"))(
    "refuses %s with too large a body, anything but JSON, and another type",
    async (method, path, body) => {
      const large = { ...body, name: "x".repeat(20_000) }
      expectProblem(await call(method, path(), large, asTeam), "payload-too-large")
      const text = Buffer.from("{")
      expectProblem(await call(method, path(), text, asTeam), "invalid-request")
      const asText = { ...asTeam, contentType: "text/plain" }
      expectProblem(await call(method, path(), body, asText), "unsupported-media-type")
    },
  )
})
