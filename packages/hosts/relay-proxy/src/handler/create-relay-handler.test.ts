import { Readable } from "node:stream"
import { isToken } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { actionOn, routeWith } from "./testing/routes.ts"
import { createHandlerWorld, HOST, headerIn } from "./testing/world.ts"

const ENCRYPTS = routeWith({ request: [actionOn("encrypt", "$.name")] })

describe("a request without actions", () => {
  test("is forwarded unchanged, and so is its answer", async () => {
    const world = await createHandlerWorld({}, () => ({
      status: 201,
      headers: ["content-type", "text/plain", "Set-Cookie", "a=1", "set-cookie", "b=2"],
      body: Readable.from([Buffer.from("an"), Buffer.from("swer")]),
      trailers: ["X-Sum", "1", "Content-Length", "3"],
    }))
    const body = Readable.from([Buffer.from("{ not"), Buffer.from(" JSON")])
    const reply = await world.send({ target: "/a/%2e//b?c#d", body, contentLength: 10 })
    expect(reply).toMatchObject({ status: 201, statusMessage: "Fine", text: "answer" })
    expect(reply.trailers()).toEqual(["X-Sum", "1"])
    expect(reply.rawHeaders.slice(0, 6)).toEqual([
      "content-type",
      "text/plain",
      "Set-Cookie",
      "a=1",
      "set-cookie",
      "b=2",
    ])
    const [sent] = world.sent
    expect(sent).toMatchObject({
      method: "POST",
      target: "/a/%2e//b?c#d",
      contentLength: 10,
      clientCertificate: null,
    })
    expect(sent?.bytes?.toString()).toBe("{ not JSON")
    expect(sent?.destination).toEqual(world.relay.destination)
  })

  test("keeps its original body stream, unread", async () => {
    const world = await createHandlerWorld({}, () => ({ body: "{}" }))
    const body = Buffer.from("{")
    await world.send({ body })
    expect(world.sent[0]?.body).toBe(body)
  })

  test("is refused with invalid-content-type when its Content-Type is malformed", async () => {
    const world = await createHandlerWorld()
    const reply = await world.send({ rawHeaders: ["Host", HOST, "Content-Type", "json"] })
    expect([reply.status, reply.code]).toEqual([415, "invalid-content-type"])
  })
})

describe("the headers to a destination", () => {
  test("have its host, the client's true address, and nothing meant for the relay", async () => {
    const world = await createHandlerWorld()
    const rawHeaders = [
      "HOST",
      HOST,
      "X-Service-Api-Key",
      world.addKey(),
      "x-service-app-id",
      "app_1",
      "X-Forwarded-For",
      "10.0.0.1",
      "Forwarded",
      "for=10.0.0.1",
      "X-Real-IP",
      "10.0.0.1",
      "x-forwarded-host",
      "evil",
      "X_Forwarded_For",
      "10.0.0.1",
      "Connection",
      "close, X-Hop",
      "X-Hop",
      "1",
      "X-Kept",
      "1",
    ]
    await world.send({ rawHeaders })
    const { rawHeaders: sent } = world.sent[0] ?? {}
    expect(sent?.slice(0, 6)).toEqual([
      "HOST",
      "api.example.com",
      "X-Kept",
      "1",
      "X-Forwarded-For",
      "192.0.2.1",
    ])
    expect(sent?.slice(6)).toEqual([
      ...["X-Forwarded-Host", HOST, "X-Forwarded-Proto", "https"],
      ...["Via", "1.1 sealway-relay"],
    ])
    expect(sent?.join(" ")).not.toMatch(/10\.0\.0\.1|evil|swk_|X-Hop/)
  })

  test.each([
    ["off", ["X-Forwarded-For", "2001:db8::9"]],
    [
      "x-forwarded",
      ["X-Forwarded-For", "2001:db8::9", "X-Forwarded-Host", `${HOST}:7401`, "X-Forwarded-Proto", "http"],
    ],
    [
      "forwarded",
      [
        ...["X-Forwarded-For", "2001:db8::9"],
        ...["Forwarded", `for="[2001:db8::9]";host="${HOST}:7401";proto=http`],
      ],
    ],
  ] as const)(
    "tell at which address of the relay a request arrived, by %s, whatever its client claims",
    async (forwardedHeaders, expected) => {
      const world = await createHandlerWorld({ forwardedHeaders })
      const forged = ["X-Forwarded-Proto", "https", "x_forwarded_host", "evil", "Forwarded", "host=evil"]
      const connection = ["Connection", "X-Forwarded-Host, X-Forwarded-Proto, Forwarded, X-Forwarded-For"]
      const rawHeaders = ["Host", HOST, ...forged, ...connection]
      await world.send({ rawHeaders, scheme: "http", port: 7401, ip: "2001:db8::9" })
      expect(world.sent[0]?.rawHeaders.slice(2, -2)).toEqual(expected)
    },
  )

  test.each([
    ...["Forwarded", "X-Forwarded", "X-Forwarded-By", "X-Forwarded-Prefix", "X_Forwarded_Server"],
    ...["X-Forwarded-Unheard-Of", "X-Original-Forwarded-For", "X-Original-Host", "X-Real-IP", "X-Client-IP"],
    ...["X-Cluster-Client-IP", "X-Remote-IP", "X-Remote-Addr", "True-Client-IP", "Client-IP"],
    ...["CF-Connecting-IP", "CF-Connecting-IPv6", "Fastly-Client-IP", "Fly-Client-IP"],
  ])("do not have a client's own %s", async (name) => {
    const world = await createHandlerWorld()
    await world.send({ rawHeaders: ["Host", HOST, name, "claimed", "X-Forwards", "kept"] })
    expect(world.sent[0]?.rawHeaders).not.toContain("claimed")
    expect(world.sent[0]?.rawHeaders).toContain("kept")
  })

  test("have the port unless it is the scheme's default", async () => {
    const world = await createHandlerWorld({
      destination: { scheme: "https", host: "2001:db8::1", port: 8443 },
    })
    await world.send({})
    expect(headerIn(world.sent[0]?.rawHeaders, "host")).toBe("[2001:db8::1]:8443")
  })

  test.each([
    ["gzip, br;q=0.5, sdch", "gzip, br;q=0.5"],
    ["compress", "identity"],
    ["*", "gzip, deflate, br, zstd"],
    ["*;q=0", "identity"],
    ["gzip, *;q=0", "gzip"],
  ])("ask for %s as %s when the answer will be changed", async (asked, sent) => {
    const rawHeaders = ["Host", HOST, "Accept-Encoding", asked, "Range", "bytes=0-1", "If-Range", '"a"']
    const changing = await createHandlerWorld({
      routes: [routeWith({ response: [actionOn("encrypt", "$.name")] })],
    })
    await changing.send({ rawHeaders })
    expect(headerIn(changing.sent[0]?.rawHeaders, "accept-encoding")).toBe(sent)
    expect(headerIn(changing.sent[0]?.rawHeaders, "range")).toBeUndefined()
    expect(headerIn(changing.sent[0]?.rawHeaders, "if-range")).toBeUndefined()
    const passing = await createHandlerWorld({ routes: [ENCRYPTS] })
    await passing.send({ rawHeaders })
    expect(headerIn(passing.sent[0]?.rawHeaders, "accept-encoding")).toBe(asked)
    expect(headerIn(passing.sent[0]?.rawHeaders, "range")).toBe("bytes=0-1")
  })
})

describe("an answer", () => {
  test("names no other way to the destination, and no error code of a relay", async () => {
    const headers = ["Alt-Svc", 'h3=":443"', "X-Service-Error-Code", "forbidden", "X-Kept", "1"]
    const world = await createHandlerWorld({}, () => ({ headers, body: null }))
    expect((await world.send({})).rawHeaders).toEqual(["X-Kept", "1", "Via", "1.1 sealway-relay"])
  })

  test("has no trailer with the name of a selected header, nor the id of a data subject that is for the relay", async () => {
    const selection = { type: "header", selector: "X-Card", role: null } as const
    const dataSubject = { type: "header", selector: "X-Service-Data-Subject" } as const
    const trailers = ["x-card", "4242", "x-service-data-subject", "4711", "x-sum", "1"]
    const world = await createHandlerWorld(
      { routes: [routeWith({ response: [{ action: "encrypt", dataSubject, selections: [selection] }] })] },
      () => ({ headers: [], body: Readable.from(["a"]), trailers }),
    )
    expect((await world.send({})).trailers()).toEqual(["x-sum", "1"])
  })
})

describe("the actions of a route", () => {
  test("change the query of the forwarded target, by the route of the original one", async () => {
    const selections = [{ type: "query", selector: "card", role: null }] as const
    const world = await createHandlerWorld({
      routes: [routeWith({ path: "/pay", request: [{ action: "encrypt", selections }] })],
      unmatched: "pass",
    })
    expect((await world.send({ target: "/pay?a=%2f&card=4242" })).status).toBe(200)
    const [, token = ""] = /^\/pay\?a=%2f&card=([^&]+)$/.exec(world.sent[0]?.target ?? "") ?? []
    expect(isToken(decodeURIComponent(token))).toBe(true)
    expect(JSON.stringify(world.activities)).not.toContain("4242")
    expect((await world.send({ target: "/pay?card[]=4242" })).code).toBe("bad-request")
    expect((await world.send({ target: "/other?card=4242" })).status).toBe(200)
    expect(world.sent.map(({ target }) => target)).toEqual([expect.any(String), "/other?card=4242"])
  })

  test("drop all but status and headers of an error to which they cannot be applied, when the relay says so", async () => {
    const page = Readable.from([Buffer.from("<html>")])
    const world = await createHandlerWorld(
      {
        routes: [routeWith({ response: [actionOn("encrypt", "$.name")] })],
        unencryptableErrors: "drop-body",
      },
      () => ({
        status: 503,
        headers: ["Content-Type", "text/html", "Content-Length", "6", "ETag", '"a"', "Retry-After", "3"],
        body: page,
        trailers: ["Content-Digest", "x"],
      }),
    )
    const reply = await world.send({})
    expect(reply).toMatchObject({ status: 503, code: null, text: "" })
    expect(reply.rawHeaders).toEqual([
      "Content-Type",
      "text/html",
      "Retry-After",
      "3",
      "Via",
      "1.1 sealway-relay",
    ])
    expect(reply.trailers()).toEqual([])
    expect(page.destroyed).toBe(true)
    expect(world.activities).toMatchObject([{ status: 503, error: null }])
  })

  test("change the request, and the answer on its way back", async () => {
    const actions = [actionOn("encrypt", "$.name", "pii")]
    const world = await createHandlerWorld(
      {
        routes: [routeWith({ path: "/users", request: actions, response: [actionOn("decrypt", "$.name")] })],
      },
      ({ bytes }) => ({
        headers: ["Content-Type", "application/json", "Content-Length", String(bytes?.length), "Digest", "x"],
        body: Readable.from([bytes ?? Buffer.alloc(0)]),
        trailers: ["Content-Digest", "x", "X-Sum", "1"],
      }),
    )
    const reply = await world.send({ target: "/users?a=b", body: '{"name": "Ada", "n": 1.0}' })
    const [sent] = world.sent
    const [, token = ""] = /^\{"name": "([^"]+)", "n": 1\.0\}$/.exec(sent?.bytes?.toString() ?? "") ?? []
    expect(isToken(token)).toBe(true)
    expect(reply.text).toBe('{"name": "Ada", "n": 1.0}')
    expect(headerIn(reply.rawHeaders, "digest")).toBeUndefined()
    expect(headerIn(reply.rawHeaders, "content-length")).toBeUndefined()
    expect(reply.trailers()).toEqual(["X-Sum", "1"])
    expect(world.decided.at(-1)?.context).toEqual({
      source: "relay",
      ip: "192.0.2.1",
      apiKeyId: null,
      relayDestination: "api.example.com",
    })
    expect(world.activities).toMatchObject([
      {
        mode: "reverse",
        method: "POST",
        routes: ["/users"],
        status: 200,
        error: null,
        selections: [
          { direction: "request", action: "encrypt", selector: "$.name", matched: 1, changed: 1 },
          { direction: "response", action: "decrypt", selector: "$.name", matched: 1, changed: 1 },
        ],
        createdAt: 1_700_000_000_000,
      },
    ])
    expect(JSON.stringify(world.activities)).not.toMatch(/Ada|ev:|a=b/)
  })

  test("do not apply to the answers to other requests", async () => {
    const world = await createHandlerWorld(
      {
        routes: [routeWith({ path: "/users", response: [actionOn("encrypt", "$.name")] })],
        unmatched: "pass",
      },
      () => ({ body: '{"name":"Ada"}' }),
    )
    expect((await world.send({ target: "/other" })).text).toBe('{"name":"Ada"}')
    expect((await world.send({ target: "/users" })).text).toMatch(/^\{"name":"ev:/)
    expect(await world.send({ target: "/x/../users" })).toMatchObject({ code: "bad-request", status: 400 })
    expect(world.sent.length).toBe(2)
  })

  test("are needed by every request to a relay that encrypts, unless it passes others too", async () => {
    const world = await createHandlerWorld({
      routes: [routeWith({ method: "PUT", path: "/users", request: [actionOn("encrypt", "$.name")] })],
    })
    for (const target of ["/other", "/users"]) {
      expect(await world.send({ method: "POST", target })).toMatchObject({ code: "bad-request", status: 400 })
    }
    expect(world.sent).toEqual([])
    expect(world.activities).toMatchObject([
      { routes: [], error: { code: "bad-request", stage: "request" } },
      { routes: [], error: { code: "bad-request", stage: "request" } },
    ])
  })

  test("are missing in what the activity tells that only the relay's options let pass", async () => {
    const encrypts = [actionOn("encrypt", "$.name")]
    const world = await createHandlerWorld(
      {
        routes: [routeWith({ path: "/users", request: encrypts, response: encrypts })],
        unmatched: "pass",
        passContentTypes: ["*"],
      },
      () => ({ headers: ["Content-Type", "application/xml"], body: "<name>Ada</name>" }),
    )
    const form = ["Host", HOST, "Content-Type", "application/x-www-form-urlencoded"]
    await world.send({ method: "POST", target: "/users", rawHeaders: form, body: Buffer.from("name=Ada") })
    await world.send({ method: "POST", target: "/other", body: Buffer.from("{}") })
    expect(world.activities.map(({ tolerated }) => tolerated)).toEqual([
      ["request-type", "response-type"],
      ["unmatched"],
    ])
  })

  test.each([
    ["application/x-www-form-urlencoded", "_method=PUT&name=Ada"],
    ["application/json", '{"_method":"PUT","name":"Ada"}'],
  ])(
    "are not evaded by a body of a request without a route that overrides its method: %s",
    async (type, text) => {
      const world = await createHandlerWorld({
        routes: [routeWith({ method: "PUT", path: "/users", request: [actionOn("encrypt", "$.name")] })],
        unmatched: "pass",
      })
      const rawHeaders = ["Host", HOST, "Content-Type", type]
      const post = { method: "POST", rawHeaders, body: Buffer.from(text) }
      expect((await world.send({ ...post, target: "/users" })).code).toBe("bad-request")
      expect((await world.send({ ...post, target: "/other" })).status).toBe(200)
      expect(world.sent.map(({ bytes }) => bytes?.toString())).toEqual([text])
    },
  )

  test("do not change an answer without a body, except a length that its body would not have", async () => {
    const world = await createHandlerWorld(
      { routes: [routeWith({ response: [actionOn("encrypt", "$.name")] })] },
      () => ({ status: 304, headers: ["ETag", '"a"', "Content-Length", "14"] }),
    )
    const reply = await world.send({ method: "GET" })
    expect([reply.status, reply.body, headerIn(reply.rawHeaders, "etag")]).toEqual([304, null, '"a"'])
    expect(headerIn(reply.rawHeaders, "content-length")).toBeUndefined()
  })

  test("refuse a part of an answer with proxy-error, and read no more of it", async () => {
    const body = Readable.from([Buffer.from("{")])
    const world = await createHandlerWorld(
      { routes: [routeWith({ response: [actionOn("encrypt", "$.name")] })] },
      () => ({ status: 206, body }),
    )
    expect(await world.send({})).toMatchObject({ code: "proxy-error", status: 502 })
    expect(body.destroyed).toBe(true)
  })
})

describe("the leak watch", () => {
  const card = '{"card":"4242424242424242"}'

  test("checks requests of all paths, and the answers of matched routes", async () => {
    const world = await createHandlerWorld(
      { leakWatch: "alert", routes: [routeWith({ path: "/a" })] },
      () => ({ body: card }),
    )
    await world.send({ target: "/b", body: card })
    await world.send({ target: "/a", body: "{}" })
    const path = "$['card']"
    expect(world.activities.map(({ leaks }) => leaks)).toEqual([
      [{ direction: "request", path }],
      [{ direction: "response", path }],
    ])
  })

  test("lets nothing through when it blocks, and says where", async () => {
    const world = await createHandlerWorld({ leakWatch: "block" })
    expect(await world.send({ body: card })).toMatchObject({ code: "bad-request" })
    expect(world.sent).toEqual([])
    expect(world.activities[0]?.leaks.length).toBe(1)
  })
})
