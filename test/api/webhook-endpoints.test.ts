import { describe, expect, test } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()

/** Nothing listens there, and nothing resolves its host. */
const URL_A = "http://127.0.0.1:9/hooks?x=1"
const URL_B = "http://127.0.0.1:9/other"
const UNKNOWN_EVENT = "webhook_event_00000000000000000000000000"

const endpointSchema = z.strictObject({
  id: z.string().regex(/^webhook_endpoint_[0-9a-hjkmnp-tv-z]{26}$/),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string().nullable(),
  status: z.enum(["enabled", "disabled"]),
  createdAt: z.int(),
  updatedAt: z.int(),
})
const withSecretSchema = endpointSchema.extend({ secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/) })
const listSchema = z.strictObject({ data: z.array(endpointSchema), hasMore: z.boolean() })

async function create(settings: object = {}, options: CallOptions = {}) {
  const answer = await service.post("/webhook-endpoints", { url: URL_A, events: ["*"], ...settings }, options)
  expect(answer.status).toBe(201)
  return withSecretSchema.parse(answer.json)
}

const show = async (id: string, options: CallOptions = {}) =>
  endpointSchema.parse((await service.get(`/webhook-endpoints/${id}`, options)).json)

describe("POST /webhook-endpoints", () => {
  test("creates an enabled endpoint and shows its secret once", async () => {
    const created = await create({ description: "Orders" })
    const { secret, ...endpoint } = created
    expect(endpoint).toMatchObject({ url: URL_A, events: ["*"], description: "Orders", status: "enabled" })
    expect(endpoint.updatedAt).toBe(endpoint.createdAt)
    const shown = await service.get(`/webhook-endpoints/${endpoint.id}`)
    expect(shown.json).toEqual(endpoint)
    const listed = await service.get("/webhook-endpoints?limit=100")
    const patched = await service.patch(`/webhook-endpoints/${endpoint.id}`, { description: null })
    for (const { text } of [shown, listed, patched]) expect(text).not.toContain("whsec_")
    expect(secret).not.toBe((await create()).secret)
  })

  test("accepts loopback addresses and http here, where they are allowed", async () => {
    for (const url of [
      "http://127.0.0.1:1/",
      "http://localhost:1/a",
      "http://[::1]:1",
      "https://10.0.0.1/",
    ]) {
      expect(await create({ url })).toMatchObject({ url })
    }
  })

  test.each([
    "",
    "nonsense",
    "ftp://a.example/",
    "https://user:marker-7f3a@a.example/",
    "https://a.example/#marker-7f3a",
    "https://a.example/ marker-7f3a",
    "http://169.254.169.254/latest/meta-data/marker-7f3a",
    "http:127.0.0.1/marker-7f3a",
    "http:\\\\127.0.0.1\\marker-7f3a",
    "http://127.1/marker-7f3a",
    "https://a.exam\tple/marker-7f3a",
    `https://a.example/marker-7f3a${"a".repeat(2048)}`,
  ])("refuses with invalid-request, without repeating it, the URL '%s'", async (url) => {
    const answer = await service.post("/webhook-endpoints", { url, events: ["*"] })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/url" }] })
    expect(answer.text).not.toContain("marker-7f3a")
  })

  test.each([
    {},
    { url: URL_A },
    { events: ["*"] },
    { url: URL_A, events: [] },
    { url: URL_A, events: "*" },
    { url: URL_A, events: ["marker-7f3a"] },
    { url: URL_A, events: ["*", "*"] },
    { url: URL_A, events: Array(21).fill("*") },
    { url: [URL_A], events: ["*"] },
    { url: URL_A, events: ["*"], status: "disabled" },
    { url: URL_A, events: ["*"], secret: "whsec_AAAA" },
    { url: URL_A, events: ["*"], "marker-7f3a": 1 },
    { url: URL_A, events: ["*"], description: "a".repeat(201) },
    { url: URL_A, events: ["*"], description: "a\nb" },
  ])("refuses with invalid-request %j", async (body) => {
    const answer = await service.post("/webhook-endpoints", body)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toContain("marker-7f3a")
  })

  test("refuses a body that is not JSON, too long, or not declared as JSON", async () => {
    expectProblem(await service.post("/webhook-endpoints", "{"), "invalid-request")
    expectProblem(await service.post("/webhook-endpoints", ""), "invalid-request")
    expectProblem(await service.post("/webhook-endpoints", { url: "a".repeat(20_000) }), "payload-too-large")
    const octets = { contentType: "application/octet-stream" }
    expectProblem(await service.post("/webhook-endpoints", "{}", octets), "unsupported-media-type")
  })

  test("returns the same endpoint and secret when it is repeated with an Idempotency-Key", async () => {
    const headers = { "idempotency-key": "webhook-endpoint-1" }
    const first = await create({}, { headers })
    expect(await create({}, { headers })).toEqual(first)
    const reused = await service.post("/webhook-endpoints", { url: URL_B, events: ["*"] }, { headers })
    expectProblem(reused, "idempotency-key-reused")
  })

  test("refuses the 51st endpoint of an app with conflict, also when many come at once", async () => {
    const { auth } = await service.newApp("sandbox")
    const body = { url: URL_A, events: ["relay.error"] }
    for (let count = 0; count < 45; count++) await create(body, { auth })
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => service.post("/webhook-endpoints", body, { auth })),
    )
    const refused = answers.filter(({ status }) => status !== 201)
    for (const answer of refused) expectProblem(answer, "conflict")
    const listed = listSchema.parse((await service.get("/webhook-endpoints?limit=100", { auth })).json)
    expect(listed.data.length).toBeLessThanOrEqual(50)
    expect(listed.data).toHaveLength(45 + answers.length - refused.length)
    while ((await service.post("/webhook-endpoints", body, { auth })).status === 201);
    const full = listSchema.parse((await service.get("/webhook-endpoints?limit=100", { auth })).json)
    expect(full.data).toHaveLength(50)
    expectProblem(await service.post("/webhook-endpoints", body, { auth }), "conflict")
  })
})

describe("GET /webhook-endpoints", () => {
  test("lists the app's own, newest first, in pages", async () => {
    const { auth } = await service.newApp("sandbox")
    const ids = []
    for (let count = 0; count < 5; count++) ids.unshift((await create({}, { auth })).id)
    const page = async (query: string) =>
      listSchema.parse((await service.get(`/webhook-endpoints?${query}`, { auth })).json)
    const first = await page("limit=2")
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    expect(first.hasMore).toBe(true)
    const rest = await page(`limit=3&startingAfter=${ids[1]}`)
    expect(rest.data.map(({ id }) => id)).toEqual(ids.slice(2))
    expect(rest.hasMore).toBe(false)
    expect(await page(`startingAfter=${ids[4]}`)).toEqual({ data: [], hasMore: false })
  })

  test.each([
    "limit=0",
    "limit=101",
    "limit=a",
    "startingAfter=nonsense",
    `startingAfter=${UNKNOWN_EVENT}`,
    "other=1",
  ])("refuses with invalid-request ?%s", async (query) =>
    expectProblem(await service.get(`/webhook-endpoints?${query}`), "invalid-request"),
  )
})

describe("PATCH /webhook-endpoints/{id}", () => {
  test("changes the named fields and leaves the rest", async () => {
    const { secret: _, ...endpoint } = await create({ description: "Orders" })
    const path = `/webhook-endpoints/${endpoint.id}`
    const patched = await service.patch(path, { url: URL_B, status: "disabled" })
    expect(patched.status).toBe(200)
    const changed = { ...endpoint, url: URL_B, status: "disabled", updatedAt: expect.any(Number) }
    expect(patched.json).toEqual(changed)
    expect(await show(endpoint.id)).toEqual(changed)
    expect((await service.patch(path, { events: ["payments.*"], description: null })).json).toEqual({
      ...changed,
      events: ["payments.*"],
      description: null,
    })
  })

  test("refuses with invalid-request what POST refuses, an empty change, and fields that cannot change", async () => {
    const { id } = await create()
    for (const body of [
      {},
      { url: "ftp://a.example/" },
      { url: null },
      { events: [] },
      { status: "paused" },
      { id },
      { secret: "whsec_AAAA" },
      { createdAt: 1 },
    ]) {
      expectProblem(await service.patch(`/webhook-endpoints/${id}`, body), "invalid-request")
    }
    expect((await show(id)).url).toBe(URL_A)
  })

  test("lets one of several simultaneous changes win, and refuses the others", async () => {
    const { id } = await create()
    const answers = await Promise.all(
      [1, 2, 3, 4].map((number) =>
        service.patch(`/webhook-endpoints/${id}`, { description: String(number) }),
      ),
    )
    const won = answers.filter(({ status }) => status === 200)
    expect(won.length).toBeGreaterThanOrEqual(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) expectProblem(answer, "conflict")
  })
})

describe("DELETE /webhook-endpoints/{id}", () => {
  test("removes it", async () => {
    const { id } = await create()
    const answer = await service.delete(`/webhook-endpoints/${id}`)
    expect(answer.status).toBe(204)
    expect(answer.text).toBe("")
    expectProblem(await service.get(`/webhook-endpoints/${id}`), "not-found")
    expectProblem(await service.delete(`/webhook-endpoints/${id}`), "not-found")
  })
})

describe("POST /webhook-endpoints/{id}/rotate-secret", () => {
  test("shows a new secret, and refuses a sixth that is still valid with conflict", async () => {
    const { id, secret } = await create()
    const path = `/webhook-endpoints/${id}/rotate-secret`
    const secrets = new Set([secret])
    for (let count = 0; count < 4; count++) {
      const answer = await service.post(path, count === 0 ? {} : { overlapSeconds: 604_800 })
      expect(answer.status).toBe(200)
      secrets.add(withSecretSchema.parse(answer.json).secret)
    }
    expect(secrets.size).toBe(5)
    expectProblem(await service.post(path, {}), "conflict")
    expect((await service.post(path, { overlapSeconds: 0 })).status).toBe(200)
    expect((await service.post(path, {})).status).toBe(200)
  })

  test.each([-1, 604_801, 1.5, "1", null])(
    "refuses with invalid-request an overlap of %j seconds",
    async (overlapSeconds) => {
      const { id } = await create()
      const answer = await service.post(`/webhook-endpoints/${id}/rotate-secret`, { overlapSeconds })
      expectProblem(answer, "invalid-request")
    },
  )
})
