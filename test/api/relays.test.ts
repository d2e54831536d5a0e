import { describe, expect, test } from "vitest"
import * as z from "zod"
import { newSlug } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()

const UNKNOWN = "relay_00000000000000000000000000"
const actionSchema = z.strictObject({
  action: z.enum(["encrypt", "decrypt"]),
  selections: z.array(
    z.strictObject({
      type: z.string(),
      selector: z.string(),
      namespaces: z.record(z.string(), z.string()).exactOptional(),
      role: z.string().exactOptional(),
    }),
  ),
})
const relaySchema = z.strictObject({
  id: z.string().regex(/^relay_[0-9a-hjkmnp-tv-z]{26}$/),
  app: z.string(),
  destinationDomain: z.string(),
  relayDomain: z.string(),
  domainStatus: z.enum(["active", "pending", "failed"]),
  routes: z.array(
    z.strictObject({
      method: z.string().exactOptional(),
      path: z.string(),
      request: z.array(actionSchema),
      response: z.array(actionSchema),
    }),
  ),
  authentication: z.enum(["api-key"]).nullable(),
  encryptEmptyStrings: z.boolean(),
  leakWatch: z.enum(["off", "alert", "block"]),
  caseSensitiveNames: z.boolean(),
  unknownContentTypes: z.enum(["refuse", "pass"]),
  unencryptableErrors: z.enum(["refuse", "drop-body"]),
  unmatched: z.enum(["refuse", "pass"]),
  passContentTypes: z.array(z.string()),
  rewriteLocations: z.boolean(),
  forwardedHeaders: z.string(),
  serverTiming: z.boolean(),
  clientCertificate: z.null(),
  warnings: z.array(z.strictObject({ code: z.string(), pointer: z.string(), detail: z.string() })),
  createdAt: z.int(),
  updatedAt: z.int(),
})
const listSchema = z.strictObject({ data: z.array(relaySchema), hasMore: z.boolean() })

let hosts = 0
const newHost = () => `api-${++hosts}.destination.example`

const selection = (selector: string, changes: object = {}) => ({ type: "json", selector, ...changes })
const routeOf = (...selections: object[]) => ({ path: "/**", request: [{ action: "encrypt", selections }] })

async function create(settings: object = {}, options: CallOptions = {}) {
  const answer = await service.post("/relays", { destinationDomain: newHost(), ...settings }, options)
  expect(answer.status, answer.text).toBe(201)
  return relaySchema.parse(answer.json)
}

const show = async (id: string, options: CallOptions = {}) =>
  relaySchema.parse((await service.get(`/relays/${id}`, options)).json)

describe("POST /relays", () => {
  test("creates a relay with its own domain, and defaults for missing fields", async () => {
    const relay = await create({ destinationDomain: "api.created.example" })
    const app = service.sandbox.app.id
    expect(relay).toMatchObject({
      app,
      destinationDomain: "api.created.example",
      relayDomain: `api-created-example.${app.replace("_", "-")}.relay.localhost`,
      domainStatus: "active",
      routes: [],
      authentication: null,
      encryptEmptyStrings: true,
      leakWatch: "off",
      caseSensitiveNames: false,
      unknownContentTypes: "refuse",
      unencryptableErrors: "refuse",
      unmatched: "pass",
      passContentTypes: [],
      rewriteLocations: true,
      forwardedHeaders: "x-forwarded",
      serverTiming: false,
      clientCertificate: null,
      warnings: [],
    })
    expect(await show(relay.id)).toEqual(relay)
  })

  test("keeps routes with their actions and selections in order", async () => {
    const role = newSlug()
    await service.newRole(service.sandbox.app, role)
    const routes = [
      {
        method: "POST",
        path: "/cards/*",
        request: [
          { action: "encrypt", selections: [selection("$.number", { role }), selection("$..cvc")] },
          { action: "decrypt", selections: [{ type: "header", selector: "X-Token" }] },
        ],
        response: [{ action: "encrypt", selections: [{ type: "xml", selector: "$.card.number" }] }],
      },
      { path: "/", request: [{ action: "encrypt", selections: [{ type: "file", selector: "scan" }] }] },
    ]
    const relay = await create({
      routes,
      authentication: "api-key",
      encryptEmptyStrings: false,
      leakWatch: "block",
    })
    expect(relay).toMatchObject({
      routes,
      authentication: "api-key",
      encryptEmptyStrings: false,
      leakWatch: "block",
    })
    expect(relay.routes[1]).toEqual({ path: expect.any(String), request: expect.any(Array), response: [] })
    expect(relay.routes[0]?.request[0]?.selections[1]).not.toHaveProperty("role")
    expect(relay.warnings.map(({ code }) => code)).toEqual(["unmatched-pass"])
  })

  test("keeps the options for values that parsers may take for encrypted ones", async () => {
    const options = {
      caseSensitiveNames: true,
      unknownContentTypes: "pass",
      unencryptableErrors: "drop-body",
      unmatched: "refuse",
      passContentTypes: ["image/png", "application/pdf"],
      rewriteLocations: false,
      forwardedHeaders: "forwarded",
      serverTiming: true,
    }
    const relay = await create({ ...options, routes: [routeOf(selection("$.a"))] })
    expect(relay).toMatchObject({
      ...options,
      warnings: [
        { code: "unknown-content-types-pass", pointer: "/unknownContentTypes" },
        { code: "locations-pass", pointer: "/rewriteLocations" },
      ],
    })
    const tightened = { unknownContentTypes: "refuse", rewriteLocations: true }
    const changed = await service.patch(`/relays/${relay.id}`, tightened)
    expect(relaySchema.parse(changed.json)).toMatchObject({ ...options, ...tightened, warnings: [] })
    for (const bad of [
      { caseSensitiveNames: "true" },
      { unknownContentTypes: "drop" },
      { unencryptableErrors: "pass" },
      { unmatched: "drop" },
      { passContentTypes: ["text/csv"] },
      { passContentTypes: ["image/png", "image/png"] },
      { serverTiming: "on" },
      { forwardedHeaders: "on" },
      { unknownContentType: "pass" },
    ]) {
      expectProblem(await service.patch(`/relays/${relay.id}`, bad), "invalid-request")
    }
  })

  test("selects in JSON where a selection names no type", async () => {
    const relay = await create({ routes: [routeOf({ selector: "$.a" })] })
    expect(relay.routes[0]?.request[0]?.selections).toEqual([selection("$.a")])
  })

  test("accepts a destination that begins with https://, and shows it without", async () => {
    const host = newHost()
    expect((await create({ destinationDomain: `https://${host}` })).destinationDomain).toBe(host)
  })

  test("keeps selections of query parameters, and of XML by namespace", async () => {
    const namespaces = { a: "urn:cards" }
    const query = { type: "query", selector: "card" }
    const xml = { type: "xml", selector: "$['a:n']", namespaces }
    const relay = await create({ routes: [routeOf(query, xml)] })
    expect(relay.routes[0]?.request[0]?.selections).toEqual([query, xml])
    expect(await show(relay.id)).toEqual(relay)
  })

  test.each([
    ["namespaces of JSON", [{ type: "json", selector: "$.a", namespaces: {} }], "/namespaces"],
    [
      "a prefix without a namespace",
      [{ type: "xml", selector: "$['b:n']", namespaces: { a: "u" } }],
      "/selector",
    ],
    [
      "a position in a namespace",
      [{ type: "xml", selector: "$['a:n'][0]", namespaces: { a: "u" } }],
      "/selector",
    ],
    ["an empty namespace", [{ type: "xml", selector: "$['a:n']", namespaces: { a: "" } }], "/namespaces/a"],
    ["a line break in a parameter's name", [{ type: "query", selector: "a\nb" }], "/selector"],
  ])("refuses with invalid-request %s", async (_what, selections, place) => {
    const answer = await service.post("/relays", {
      destinationDomain: newHost(),
      routes: [routeOf(...selections)],
    })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: `/routes/0/request/0/selections/0${place}` }] })
  })

  test("refuses with invalid-request a query parameter of a response", async () => {
    const response = [{ action: "encrypt", selections: [{ type: "query", selector: "card" }] }]
    const answer = await service.post("/relays", {
      destinationDomain: newHost(),
      routes: [{ path: "/", response }],
    })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/routes/0/response/0/selections/0/selector" }] })
  })

  test.each([
    ["a port", "ported.example:8443", "ported-example-8443"],
    ["Unicode", "bücher.example", "idn-xn--bcher-kva-example"],
    ["upper case", "API.Upper.Example", "api-upper-example"],
    ["a plain scheme", "http://127.0.0.1:9", "127-0-0-1-9"],
    ["an IPv6 address", "[::1]:8443", "1-8443"],
  ])("accepts a destination with %s", async (_what, destinationDomain, label) => {
    const relay = await create({ destinationDomain })
    expect(relay.destinationDomain).toBe(destinationDomain)
    expect(relay.relayDomain.split(".")[0]).toBe(label)
  })

  test("gives destinations that look the same with dashes different domains", async () => {
    const first = await create({ destinationDomain: "a.alike.example" })
    const second = await create({ destinationDomain: "a-alike.example" })
    expect(first.relayDomain).toMatch(/^a-alike-example\./)
    expect(second.relayDomain).toMatch(/^a-alike-example-[0-9a-f]{8}\./)
  })

  test("keeps a label within 63 characters", async () => {
    const long = `${"a".repeat(40)}.${"b".repeat(40)}.example`
    const [label = ""] = (await create({ destinationDomain: long })).relayDomain.split(".")
    expect(label).toMatch(/^a{40}-b{13}-[0-9a-f]{8}$/)
    expect(label.length).toBeLessThanOrEqual(63)
  })

  test.each([
    "",
    "https://marker-7f3a.example/",
    "ftp://marker-7f3a.example",
    "marker-7f3a.example/path",
    "marker-7f3a.example?x",
    "user:marker-7f3a@a.example",
    "*.marker-7f3a.example",
    "marker-7f3a.example:0",
    "marker-7f3a.example:65536",
    "marker-7f3a.example:",
    "marker-7f3a .example",
    "-marker-7f3a.example",
    "marker-7f3a..example",
    "%6darker-7f3a.example",
    "127.1",
    "0x7f000001",
    "[fe80::1%25eth0]",
    "169.254.169.254",
    "x.app-1.relay.localhost",
    "relay.localhost",
    `marker-7f3a.${"a".repeat(300)}`,
  ])(
    "refuses with invalid-request, without repeating it, the destination '%s'",
    async (destinationDomain) => {
      const answer = await service.post("/relays", { destinationDomain })
      expectProblem(answer, "invalid-request")
      expect(answer.json).toMatchObject({ fields: [{ pointer: "/destinationDomain" }] })
      expect(answer.text).not.toContain("marker-7f3a")
    },
  )

  test("refuses a second relay for a destination with conflict, in any spelling, also when many come at once", async () => {
    const { auth } = await service.newApp("sandbox")
    const spellings = ["one.example", "ONE.example", "one.example:443", "one.example."]
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        service.post("/relays", { destinationDomain: spellings[index % spellings.length] }, { auth }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 201) expectProblem(answer, "conflict")
    const { data } = listSchema.parse((await service.get("/relays", { auth })).json)
    expect(data).toHaveLength(1)
  })

  test("allows another app a relay for the same destination, and other ports", async () => {
    const { auth } = await service.newApp("sandbox")
    const destinationDomain = newHost()
    await create({ destinationDomain })
    await create({ destinationDomain: `${destinationDomain}:8443` })
    await create({ destinationDomain }, { auth })
  })

  test.each([
    {},
    { destinationDomain: 1 },
    { destinationDomain: "a.example", authentication: "none" },
    { destinationDomain: "a.example", leakWatch: "maybe" },
    { destinationDomain: "a.example", routes: [{ path: "/", method: "TRACE" }] },
    {
      destinationDomain: "a.example",
      routes: [{ path: "/", request: [{ action: "encrypt", selections: [] }] }],
    },
    { destinationDomain: "a.example", relayDomain: "mine" },
  ])("refuses %j with invalid-request", async (body) => {
    expectProblem(await service.post("/relays", body), "invalid-request")
  })

  test("creates one relay for a request repeated with its Idempotency-Key", async () => {
    const headers = { "idempotency-key": "relay-once-7d2c" }
    const body = { destinationDomain: newHost() }
    const [first, second] = [
      await service.post("/relays", body, { headers }),
      await service.post("/relays", body, { headers }),
    ]
    expect(second.status).toBe(201)
    expect(second.text).toBe(first.text)
  })

  test("requires relay:write", async () => {
    expectProblem(await service.post("/relays", {}, { auth: null }), "unauthorized")
    const auth = await service.newKey(service.sandbox.app, ["relay:read"])
    expectProblem(await service.post("/relays", { destinationDomain: newHost() }, { auth }), "forbidden")
  })
})

describe("GET /relays", () => {
  test("lists the app's own, newest first, in pages", async () => {
    const { auth } = await service.newApp("sandbox")
    const made = [await create({}, { auth }), await create({}, { auth }), await create({}, { auth })]
    const [oldest, middle, newest] = made
    const first = listSchema.parse((await service.get("/relays?limit=2", { auth })).json)
    expect(first).toEqual({ data: [newest, middle], hasMore: true })
    const rest = await service.get(`/relays?startingAfter=${middle?.id}`, { auth })
    expect(rest.json).toEqual({ data: [oldest], hasMore: false })
    expectProblem(await service.get("/relays?limit=0", { auth }), "invalid-request")
  })

  test("does not find another app's relay", async () => {
    const { auth } = await service.newApp("sandbox")
    const { id } = await create()
    for (const each of [id, UNKNOWN, "relay_x", "nonsense"]) {
      expectProblem(await service.get(`/relays/${each}`, { auth }), "not-found")
      expectProblem(await service.patch(`/relays/${each}`, { leakWatch: "off" }, { auth }), "not-found")
      expectProblem(await service.delete(`/relays/${each}`, { auth }), "not-found")
    }
    expect(await show(id)).toMatchObject({ id })
  })
})

describe("PATCH /relays/{id}", () => {
  test("changes the named fields and leaves the rest", async () => {
    const relay = await create({ routes: [routeOf(selection("$.a"))], encryptEmptyStrings: false })
    const changed = await service.patch(`/relays/${relay.id}`, { authentication: "api-key" })
    expect(changed.status).toBe(200)
    const { updatedAt, ...rest } = relaySchema.parse(changed.json)
    const { updatedAt: before, ...expected } = { ...relay, authentication: "api-key" }
    expect(rest).toEqual(expected)
    expect(updatedAt).toBeGreaterThanOrEqual(before)
    const routes = [routeOf(selection("$.b"))]
    await service.patch(`/relays/${relay.id}`, { routes })
    expect(await show(relay.id)).toMatchObject({
      routes,
      authentication: "api-key",
      encryptEmptyStrings: false,
    })
  })

  test("refuses with invalid-request an empty change, another destination, and what POST refuses", async () => {
    const { id } = await create()
    for (const body of [{}, { destinationDomain: "b.example" }, { routes: [routeOf(selection("$["))] }]) {
      expectProblem(await service.patch(`/relays/${id}`, body), "invalid-request")
    }
  })

  test("lets one of several simultaneous changes win, and refuses the others", async () => {
    const { id } = await create()
    const watches = ["alert", "block", "alert", "block"]
    const answers = await Promise.all(
      watches.map((leakWatch) => service.patch(`/relays/${id}`, { leakWatch })),
    )
    const won = answers.filter(({ status }) => status === 200)
    expect(won.length).toBeGreaterThan(0)
    for (const answer of answers) if (answer.status !== 200) expectProblem(answer, "conflict")
  })
})

describe("DELETE /relays/{id}", () => {
  test("removes it, and frees its destination and its domain", async () => {
    const { auth } = await service.newApp("sandbox")
    const first = await create({ destinationDomain: "again.example" }, { auth })
    expect((await service.delete(`/relays/${first.id}`, { auth })).status).toBe(202)
    expectProblem(await service.get(`/relays/${first.id}`, { auth }), "not-found")
    expectProblem(await service.delete(`/relays/${first.id}`, { auth }), "not-found")
    const second = await create({ destinationDomain: "again.example" }, { auth })
    expect(second.relayDomain).toBe(first.relayDomain)
    expect(second.id).not.toBe(first.id)
    expect((await service.get("/relays", { auth })).json).toMatchObject({ data: [{ id: second.id }] })
  })

  test("and a simultaneous creation leave a whole relay or none", async () => {
    const { auth } = await service.newApp("sandbox")
    for (let round = 0; round < 5; round++) {
      const destinationDomain = `race-${round}.example`
      const { id } = await create({ destinationDomain }, { auth })
      const answers = await Promise.all([
        service.delete(`/relays/${id}`, { auth }),
        service.post("/relays", { destinationDomain }, { auth }),
        service.delete(`/relays/${id}`, { auth }),
        service.post("/relays", { destinationDomain }, { auth }),
      ])
      const made = answers.filter(({ status }) => status === 201).map(({ json }) => relaySchema.parse(json))
      const { data } = listSchema.parse((await service.get("/relays?limit=100", { auth })).json)
      expect(data.filter((each) => each.destinationDomain === destinationDomain)).toEqual(made)
      for (const { relayDomain } of made) expect(relayDomain).toMatch(/^race-\d-example\.app-/)
    }
  })
})

test("audits every change of a relay, without its content", async () => {
  const { auth } = await service.newApp("sandbox")
  const { id } = await create({ routes: [routeOf(selection("$.marker_7f3a"))] }, { auth })
  await service.patch(`/relays/${id}`, { leakWatch: "alert" }, { auth })
  await service.delete(`/relays/${id}`, { auth })
  const { json, text } = await service.get("/audit-logs?limit=3", { auth: service.team.auth })
  expect(json).toMatchObject({
    data: ["relay.delete", "relay.update", "relay.create"].map((action) => ({
      action,
      target: { type: "relay", id },
      details: { routes: 1 },
    })),
  })
  expect(text).not.toContain("marker_7f3a")
})
