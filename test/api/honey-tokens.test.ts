import { createECDH } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { createId } from "@sealway/kernel"
import { appPartition } from "@sealway/ports"
import { createSealingKey, parseToken } from "@sealway/tokens"
import { fileOfToken } from "@sealway/tokens/testing"
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type Answer, type CallOptions, useService } from "../support/service.ts"

const service = useService()

const honeySchema = z.object({
  id: z.string(),
  token: z.string(),
  mark: z.string(),
  role: z.string().nullable(),
  lastTouchedAt: z.number().nullable(),
})
type Honey = z.infer<typeof honeySchema>

const touchSchema = z.object({
  actor: z.object({ type: z.string(), id: z.string() }),
  way: z.record(z.string(), z.string()),
  count: z.number(),
  ips: z.array(z.string()),
  requestIds: z.array(z.string()),
})

const CARD = "4242424242424242"
const WRITE = { service: "dynamodb", operation: "PutItem", resource: "events" }

async function createHoney(input: object, options: CallOptions = {}): Promise<Honey> {
  const answer = await service.post("/honey-tokens", { name: "Trap", ...input }, options)
  expect(answer.status, answer.text).toBe(201)
  return honeySchema.parse(answer.json)
}

async function seal(value: unknown, role: string | null = null, options: CallOptions = {}): Promise<string> {
  const headers = role === null ? {} : { "x-service-data-role": role }
  const { json } = await service.post("/encrypt", JSON.stringify(value), { ...options, headers })
  return z.string().parse(json)
}

const touchesOf = async ({ id }: Honey) =>
  z.object({ data: z.array(touchSchema) }).parse((await service.get(`/honey-tokens/${id}/touches`)).json).data

/** Waits until the worker has noted touches. */
async function touched(honey: Honey, requests = 1) {
  await expect
    .poll(async () => (await touchesOf(honey)).reduce((sum, { count }) => sum + count, 0), {
      timeout: 10_000,
    })
    .toBe(requests)
  return touchesOf(honey)
}

/** Everything in an answer but what differs between any two. */
const visible = ({ status, json, headers }: Answer) => ({
  status,
  json,
  headers: [...headers].filter(([name]) => !/^(?:date|.*request-?id)$/.test(name)),
})

/** A honey token and a value of a role whose only policy permits everything. */
let open: { honey: Honey; value: string }
/** A value of a role without policies. */
let forbidden: string

beforeAll(async () => {
  const { app } = service.sandbox
  await service.newRole(app, "open")
  await service.newRole(app, "shut")
  const policy = { name: "All", effect: "permit", roles: ["open"], conditions: {} }
  expect((await service.post("/data-policies", policy)).status).toBe(201)
  open = { honey: await createHoney({ value: CARD, role: "open" }), value: await seal(CARD, "open") }
  forbidden = await seal(CARD, "shut")
})

describe("a honey token", () => {
  const ofForm = (text: string) => {
    const token = parseToken(text)
    return token && { version: token.version, type: token.type, debug: token.debug, length: text.length }
  }

  test.each([
    ["a string without role", CARD, null],
    ["a string with a role", CARD, "open"],
    ["a number", 12.5, "open"],
    ["a number without role", 7, null],
    ["a boolean", false, "open"],
    ["an empty string", "", null],
  ])("has the form and the length of a token of the same value: %s", async (_name, value, role) => {
    const honey = await createHoney({ value, role })
    expect(ofForm(honey.token)).toEqual(ofForm(await seal(value, role)))
  })

  test.each([
    ["symmetric sealing", { sealing: "symmetric" }, "c3cx"],
    ["keys in an HSM", { custody: "hsm" }, "Tk9D"],
  ])("has the form of a token of an app with %s, and is known there", async (_name, settings, version) => {
    const { app, auth } = await service.newApp("production")
    const changed = await service.patch(`/apps/${app.id}`, settings, { auth: service.team.auth })
    expect(changed.status, changed.text).toBe(200)
    const value = await seal(CARD, null, { auth })
    const { token } = await createHoney({ value: CARD }, { auth })
    expect(ofForm(token)).toEqual(ofForm(value))
    expect(parseToken(token)?.version).toBe(version)
    expect((await service.post("/decrypt", { value }, { auth })).json).toEqual({ value: CARD })
    expectProblem(await service.post("/decrypt", { token }, { auth }), "decrypt/forbidden")
  })

  test("is still one after keys were rotated", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const { token } = await createHoney({ shape: "email" }, { auth })
    expect((await service.post(`/apps/${app.id}/keys/rotate`, {}, { auth: service.team.auth })).status).toBe(
      201,
    )
    expectProblem(await service.post("/decrypt", [token], { auth }), "decrypt/forbidden")
  })

  test("that is like a token has its key segment, type, role and length", async () => {
    for (const [value, role] of [
      ["a name", "open"],
      [123456, null],
      [true, null],
    ] as const) {
      const like = await seal(value, role)
      const honey = await createHoney({ like })
      expect(ofForm(honey.token)).toEqual(ofForm(like))
      expect(honey.token.split(":").at(-3)).toBe(like.split(":").at(-3))
      expect(honey.role).toBe(role)
      expectProblem(await service.post("/decrypt", [honey.token]), "decrypt/forbidden")
      expect((await service.post("/decrypt", [like])).json).toEqual([value])
    }
  })

  test("shares its key segment with four others at most, whether or not these were deleted", async () => {
    const { auth } = await service.newApp("sandbox")
    const like = await seal("x", null, { auth })
    const ivs = new Set<string | undefined>()
    for (let times = 0; times < 5; times++) {
      const honey = await createHoney({ like }, { auth })
      ivs.add(honey.token.split(":").at(-4))
      expect((await service.delete(`/honey-tokens/${honey.id}`, { auth })).status).toBe(204)
    }
    expect(ivs.size).toBe(5)
    expectProblem(await service.post("/honey-tokens", { name: "A", like }, { auth }), "conflict")
  })

  test("cannot be made by who has the public key: an IV of a honey token marks no other token", async () => {
    const { json } = await service.get("/keys")
    const { ecdhP256Key } = z.object({ ecdhP256Key: z.string() }).parse(json)
    const key = createSealingKey({ appPublicKey: Buffer.from(ecdhP256Key, "base64"), debug: true })
    const text = key.seal("string", "mine")
    const other = text
      .split(":")
      .with(-4, open.honey.token.split(":").at(-4) ?? "")
      .join(":")
    expectProblem(await service.post("/decrypt", [other]), "invalid-request")
    expect((await service.post("/decrypt", [text])).json).toEqual(["mine"])
  })

  test("that was changed is refused as any changed token, and is no touch", async () => {
    const honey = await createHoney({ shape: "string" })
    const last = honey.token.at(-4) === "A" ? "B" : "A"
    const changed = honey.token.slice(0, -4) + last + honey.token.slice(-3)
    const answer = await service.post("/decrypt", [changed])
    expectProblem(answer, "invalid-request")
    expect(await touchesOf(honey)).toEqual([])
  })
})

describe("an attempt to decrypt a honey token", () => {
  test("makes the same calls, in the same order, as one to decrypt a forbidden value", async () => {
    const { queues, stats } = service.service.platform
    await stats.flush()
    const spies = [
      // Otherwise workers would call in between.
      vi.spyOn(queues, "send").mockResolvedValue(),
      vi.spyOn(stats, "count").mockImplementation(() => undefined),
      vi.spyOn(stats, "countGroup").mockImplementation(() => undefined),
    ]
    const [send] = spies
    const callsOf = async (value: string) => {
      const from = service.awsCalls.length
      send?.mockClear()
      expectProblem(await service.post("/decrypt", { value }), "decrypt/forbidden")
      return { calls: service.awsCalls.slice(from), queues: send?.mock.calls.map(([queue]) => queue) }
    }
    try {
      const ofHoney = () => callsOf(open.honey.token)
      const recorded = { ...WRITE, resource: "audit" }
      const written = { calls: [recorded, WRITE, WRITE], queues: ["events"] }
      // What other parts of the process write from time to time may come in between, and is never left out.
      await expect.poll(() => callsOf(forbidden), { timeout: 10_000 }).toEqual(written)
      await expect.poll(ofHoney, { timeout: 10_000 }).toEqual(written)
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
  })

  test("is answered as one to decrypt a value that policies forbid", async () => {
    const [honeyed, refused] = [
      await service.post("/decrypt", { a: 1, card: open.honey.token }),
      await service.post("/decrypt", { a: 1, card: forbidden }),
    ]
    expectProblem(honeyed, "decrypt/forbidden")
    expect(visible(honeyed)).toEqual(visible(refused))
  })

  test("names the place of the first value of its role, so that nobody finds it among others", async () => {
    const { honey, value } = open
    const answer = await service.post("/decrypt", {
      x: await seal(1),
      cards: [value, value, honey.token, value],
    })
    expectProblem(answer, "decrypt/forbidden")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/cards/0" }] })
    const plain = await createHoney({ value: "x" })
    const roleless = await service.post("/decrypt", { a: await seal("y"), b: plain.token })
    expect(roleless.json).toMatchObject({
      fields: [{ pointer: "/a", reason: expect.stringContaining("policies") }],
    })
  })

  test("spends no budget", async () => {
    const { app } = service.sandbox
    await service.newRole(app, "few")
    const conditions = { budget: { values: 2, per: "day" } }
    const policy = { name: "Two", effect: "permit", roles: ["few"], conditions }
    expect((await service.post("/data-policies", policy)).status).toBe(201)
    const { token } = await createHoney({ value: "x", role: "few" })
    const value = await seal("y", "few")
    for (let times = 0; times < 3; times++) {
      expectProblem(await service.post("/decrypt", [value, token]), "decrypt/forbidden")
    }
    expect((await service.post("/decrypt", [value, value])).json).toEqual(["y", "y"])
  })

  const ways: Record<string, (token: string) => Promise<Answer>> = {
    "POST /decrypt": (token) => service.post("/decrypt", { token }),
    "POST /rewrap": (token) => service.post("/rewrap", { token }),
    "POST /fingerprint": (token) => service.post("/fingerprint", { token }),
    "POST /inspect": (token) => service.post("/inspect", { token }),
    "POST /payments/bin-lookups": (token) => service.post("/payments/bin-lookups", { number: token }),
    "POST /payments/cards": (token) =>
      service.post("/payments/cards", { number: token, expiry: { month: "01", year: "40" } }),
    "POST /honey-tokens": (token) => service.post("/honey-tokens", { name: "Copy", like: token }),
    "POST /decrypt, with a client-side token": async (token) => {
      const issued = await service.post("/client-side-tokens", { action: "api:decrypt", payload: { token } })
      return withToken("/decrypt", issued, { token })
    },
    "POST /reveal": async (token) => {
      const key = createECDH("prime256v1").generateKeys("base64url")
      const issued = await service.post("/client-side-tokens", {
        action: "api:reveal",
        payload: { token },
        key,
      })
      return withToken("/reveal", issued, { token })
    },
    "POST /decrypt, as a file": (token) =>
      service.post("/decrypt", fileOfToken(token), { contentType: "application/octet-stream" }),
    "POST /rewrap, as a file": (token) =>
      service.post("/rewrap", fileOfToken(token), { contentType: "application/octet-stream" }),
  }

  function withToken(path: string, issued: Answer, payload: object): Promise<Answer> {
    const { token } = z.object({ token: z.string() }).parse(issued.json)
    return service.post(path, payload, { auth: null, headers: { authorization: `Token ${token}` } })
  }

  test.each(Object.keys(ways))("is refused and noted, by %s", async (name) => {
    const honey = await createHoney({ value: CARD })
    const answer = await ways[name]?.(honey.token)
    if (answer === undefined) throw new Error("There is no such way")
    expectProblem(answer, "decrypt/forbidden")
    expect(answer.text).not.toContain(CARD)
    const [touch] = await touched(honey)
    expect(touch).toMatchObject({ count: 1, ips: ["127.0.0.1"], requestIds: [expect.any(String)] })
    expect(touch?.actor.type).toMatch(/^(?:api-key|client-side-token)$/)
    expect(touch?.way.endpoint).toEqual(expect.any(String))
  })

  test("an ordinary value passes where a file of it would, so that the file is refused for the honey token alone", async () => {
    const answer = await service.post("/decrypt", fileOfToken(await seal(CARD)), {
      contentType: "application/octet-stream",
    })
    expect(answer.text).toBe(CARD)
  })

  test("is one touch of many requests, and one event", async () => {
    const honey = await createHoney({ value: CARD, role: "open" })
    for (let times = 0; times < 5; times++) {
      expectProblem(await service.post("/decrypt", [honey.token, honey.token]), "decrypt/forbidden")
    }
    const touches = await touched(honey, 5)
    expect(touches).toHaveLength(1)
    expect(touches[0]?.requestIds).toHaveLength(5)
    const shown = honeySchema.parse((await service.get(`/honey-tokens/${honey.id}`)).json)
    expect(shown.lastTouchedAt).toEqual(expect.any(Number))
  })

  test("is told to webhook endpoints and to the honey token's own receiver", async () => {
    const received: { readonly path: string; readonly body: unknown }[] = []
    const receiver = createServer((request, response) => {
      const { url: path = "" } = request
      void text(request).then((body) => {
        received.push({ path, body: JSON.parse(body) })
        response.writeHead(204).end()
      })
    }).listen(0, "127.0.0.1")
    onTestFinished(() => void receiver.close())
    await once(receiver, "listening")
    const address = z.object({ port: z.number() }).parse(receiver.address())
    const url = (path: string) => `http://127.0.0.1:${address.port}${path}`
    const endpoint = { url: url("/hooks"), events: ["honey-token.touched"] }
    expect((await service.post("/webhook-endpoints", endpoint)).status).toBe(201)
    const honey = await createHoney({ shape: "email", alert: { type: "chat", url: url("/chat") } })
    for (let times = 0; times < 2; times++) await service.post("/decrypt", [honey.token])
    await touched(honey, 2)
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(2)
    const told = (path: string) => received.find((each) => each.path === path)?.body
    expect(told("/hooks")).toMatchObject({
      type: "honey-token.touched",
      data: { honeyToken: { id: honey.id, name: "Trap" }, way: { endpoint: "decrypt" }, ip: "127.0.0.1" },
    })
    expect(told("/chat")).toEqual({ text: expect.stringContaining(`(${honey.id})`) })
    expect(JSON.stringify(received)).not.toContain(honey.token)
  })

  test("is audited with its mark, and other requests of the app are not", async () => {
    const honey = await createHoney({ value: CARD })
    await service.post("/decrypt", [honey.token])
    const { json } = await service.get("/audit-logs?limit=100", { auth: service.team.auth })
    const { data } = z.object({ data: z.array(z.object({ details: z.looseObject({}) })) }).parse(json)
    const [record] = data.filter(({ details }) => details.honeyMarks === honey.mark)
    expect(record?.details).toMatchObject({ reason: "honey-token", honeyTokens: 1, endpoint: "decrypt" })
    expect(JSON.stringify(data)).not.toContain(honey.token)
  })

  test("is kept for the worker for a month, so that an outage does not lose it", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const { token } = await createHoney({ shape: "email" }, { auth })
    expectProblem(await service.post("/decrypt", [token], { auth }), "decrypt/forbidden")
    const events = await service.service.platform.eventsTable.list(appPartition(app.id), "webhook-event#")
    const refusal = events.find(({ data }) => String(data).includes('"decryption.refused"'))
    expect(refusal?.expiresAt).toBeGreaterThan(Date.now() / 1000 + 29 * 24 * 60 * 60)
  })

  test("counts every honey token of the request, whichever value it is refused for", async () => {
    const first = await createHoney({ value: CARD })
    const second = await createHoney({ value: CARD, role: "open" })
    expectProblem(await service.post("/decrypt", [forbidden, first.token, second.token]), "decrypt/forbidden")
    await touched(first)
    await touched(second)
  })
})

describe("honey tokens", () => {
  test("are created, listed and deleted, and are not decrypted afterwards either", async () => {
    const honey = await createHoney({ shape: "number" })
    expect((await service.get(`/honey-tokens/${honey.id}`)).json).toMatchObject({ ...honey })
    expect((await service.get("/honey-tokens?limit=1")).json).toMatchObject({
      data: [{ id: honey.id }],
      hasMore: true,
    })
    expect((await service.delete(`/honey-tokens/${honey.id}`)).status).toBe(204)
    expectProblem(await service.get(`/honey-tokens/${honey.id}`), "not-found")
    expectProblem(await service.get(`/honey-tokens/${honey.id}/touches`), "not-found")
    expectProblem(await service.delete(`/honey-tokens/${honey.id}`), "not-found")
    expectProblem(await service.post("/decrypt", [honey.token]), "decrypt/forbidden")
  })

  test("of another app are not found, and their tokens not opened", async () => {
    const { auth } = await service.newApp("sandbox")
    const { id, token } = open.honey
    expectProblem(await service.get(`/honey-tokens/${id}`, { auth }), "not-found")
    expectProblem(await service.get(`/honey-tokens/${id}/touches`, { auth }), "not-found")
    expectProblem(await service.delete(`/honey-tokens/${id}`, { auth }), "not-found")
    expectProblem(await service.post("/decrypt", [token], { auth }), "invalid-request")
    expectProblem(
      await service.post("/honey-tokens", { name: "A", like: token }, { auth }),
      "invalid-request",
    )
  })

  test("are known by their mark before they are stored, so that none is without if a request dies", async () => {
    const { configTable } = service.service.platform
    const create = vi.spyOn(configTable, "create")
    onTestFinished(() => create.mockRestore())
    await createHoney({ shape: "email" })
    const kinds = create.mock.calls.map(([{ sk }]) => sk.split("#")[0])
    expect(kinds.filter((kind) => kind?.startsWith("honey-"))).toEqual(["honey-mark", "honey-token"])
  })

  test("are created once by a repeated request", async () => {
    const headers = { "idempotency-key": "honey-1" }
    const first = await createHoney({ shape: "email" }, { headers })
    expect(await createHoney({ shape: "email" }, { headers })).toEqual(first)
  })

  test.each([
    ["nothing to seal", {}],
    ["two things to seal", { value: "x", shape: "email" }],
    ["an object", { value: {} }],
    ["too large a value", { value: "ü".repeat(501) }],
    ["an unknown shape", { shape: "iban" }],
    ["an unknown role", { value: "x", role: "nowhere" }],
    ["the role of a token that has its own", { like: "ev:x", role: "open" }],
    ["text that is no token", { like: "ev:x" }],
    ["half a surrogate pair", { value: "\ud800" }],
    ["a name of control characters", { name: "\u0007", value: "x" }],
    ["an unknown field", { value: "x", secret: true }],
    ["an alert to no URL", { value: "x", alert: { type: "chat", url: "nowhere" } }],
  ])("are not made of %s", async (_name, input) => {
    expectProblem(await service.post("/honey-tokens", { name: "A", ...input }), "invalid-request")
  })

  test("are refused with the place of what is wrong, and a value of the largest size is not", async () => {
    const headers = { "x-service-data-subject": "person" }
    const ofSubject = (await service.post("/encrypt", '"x"', { headers })).json
    for (const [input, pointer] of [
      [{ value: "ü".repeat(501) }, "/value"],
      [{ value: "x", role: "nowhere" }, "/role"],
      [{ like: "ev:x" }, "/like"],
      [{ like: await seal("x".repeat(1_001)) }, "/like"],
      [{ like: ofSubject }, "/like"],
      [{ value: "x", alert: { type: "chat", url: "ftp://alerts.example" } }, "/alert/url"],
    ] as const) {
      const answer = await service.post("/honey-tokens", { name: "A", ...input })
      expectProblem(answer, "invalid-request")
      expect(answer.json).toMatchObject({ fields: [{ pointer, reason: expect.stringMatching(/.{10}/) }] })
    }
    expect((await service.post("/honey-tokens", { name: "A", like: ofSubject })).text).toContain(
      "data subject",
    )
    const largest = "ü".repeat(500)
    const { token } = await createHoney({ value: largest })
    expect(token).toHaveLength((await seal(largest)).length)
    expect((await createHoney({ like: await seal("x".repeat(1_000)) })).id).toMatch(/^honey_token_/)
  })

  test("are audited with the host of their receiver, and no more of its address", async () => {
    const url = "https://alerts.example:8443/secret-path?key=secret"
    await createHoney({ shape: "email", alert: { type: "webhook", url } })
    await createHoney({ shape: "email" })
    const { json } = await service.get("/audit-logs?action=honey-token.create&limit=2", {
      auth: service.team.auth,
    })
    expect(JSON.stringify(json)).not.toContain("secret")
    const records = z.object({ data: z.array(z.object({ details: z.object({ alertHost: z.unknown() }) })) })
    expect(records.parse(json).data.map(({ details }) => details.alertHost)).toEqual([
      null,
      "alerts.example:8443",
    ])
  })

  test("need their scopes", async () => {
    const { app } = service.sandbox
    const reader = await service.newKey(app, ["honeyToken:read"])
    const writer = await service.newKey(app, ["honeyToken:write"])
    const input = { name: "A", shape: "string" }
    expectProblem(await service.post("/honey-tokens", input, { auth: reader }), "forbidden")
    expectProblem(await service.post("/honey-tokens", input, { auth: null }), "unauthorized")
    expectProblem(await service.get("/honey-tokens", { auth: writer }), "forbidden")
    expect((await service.get("/honey-tokens", { auth: reader })).status).toBe(200)
    const { id } = honeySchema.parse((await service.post("/honey-tokens", input, { auth: writer })).json)
    expectProblem(await service.delete(`/honey-tokens/${id}`, { auth: reader }), "forbidden")
    expect((await service.delete(`/honey-tokens/${id}`, { auth: writer })).status).toBe(204)
  })

  test("of an app are at most 500", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const { configTable } = service.service.platform
    const fields = {
      name: "A",
      type: "string",
      role: null,
      token: "ev:",
      mark: "",
      alertType: null,
      url: null,
    }
    for (let index = 0; index < 500; index++) {
      const id = createId("honey_token", index)
      const key = { pk: appPartition(app.id), sk: `honey-token#${id}` }
      await configTable.create(key, { ...fields, id, createdAt: index, revision: 1 })
    }
    expectProblem(await service.post("/honey-tokens", { name: "A", shape: "email" }, { auth }), "conflict")
  })
})
