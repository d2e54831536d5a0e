import { once } from "node:events"
import { connect as connectHttp2, constants } from "node:http2"
import { describe, expect, it } from "vitest"
import type { RawClient } from "./testing/raw-client.ts"
import { acknowledge, startTestGateway } from "./testing/test-gateway.ts"

const HEAD = "POST /encrypt HTTP/1.1\r\nHost: a\r\n"

/** A request that must not be served when it is smuggled inside another one. */
const SMUGGLED = "POST /encrypt HTTP/1.1\r\nHost: smuggled\r\n\r\n"

describe("input that is not one well-formed request is refused with 400 before any handler", () => {
  it.each([
    ["two Content-Length that differ", `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\naa${SMUGGLED}`],
    ["two Content-Length that agree", `${HEAD}Content-Length: 1\r\nContent-Length: 1\r\n\r\na${SMUGGLED}`],
    ["a list in Content-Length", `${HEAD}Content-Length: 1, 1\r\n\r\na${SMUGGLED}`],
    ["a signed Content-Length", `${HEAD}Content-Length: +1\r\n\r\na${SMUGGLED}`],
    ["a negative Content-Length", `${HEAD}Content-Length: -1\r\n\r\na${SMUGGLED}`],
    ["a hexadecimal Content-Length", `${HEAD}Content-Length: 0x1\r\n\r\na${SMUGGLED}`],
    ["a Content-Length beyond all numbers", `${HEAD}Content-Length: 99999999999999999999\r\n\r\n`],
    [
      "Content-Length and Transfer-Encoding",
      `${HEAD}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    [
      "Transfer-Encoding and Content-Length",
      `${HEAD}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    ["another transfer coding", `${HEAD}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    [
      "a transfer coding after chunked",
      `${HEAD}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    [
      "two transfer codings in two fields",
      `${HEAD}Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    [
      "chunked in two fields",
      `${HEAD}Transfer-Encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    [
      "a transfer coding before chunked",
      `${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    [
      "chunks in HTTP/1.0",
      `POST /encrypt HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    ["a space before the colon", `${HEAD}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ["a folded header", `${HEAD}X-Folded: a\r\n b\r\n\r\n${SMUGGLED}`],
    ["bare line feeds", "POST /encrypt HTTP/1.1\nHost: a\n\n"],
    ["a bare carriage return in a header", `${HEAD}X-A: b\rc\r\n\r\n`],
    ["a NUL in a header", `${HEAD}X-A: b\0c\r\n\r\n`],
    ["a NUL in the path", "POST /encrypt\0 HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a chunk size that is no number", `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\na\r\n0\r\n\r\n`],
    ["a chunk longer than its size", `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\naa\r\n0\r\n\r\n`],
    ["a chunk that ends in a bare line feed", `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\na\n0\n\n`],
    ["a method in small letters", "post /encrypt HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["an unknown method", "ENCRYPT /encrypt HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a version that is none", "POST /encrypt HTTP/9.9\r\nHost: a\r\n\r\n"],
    ["a header line without colon", `${HEAD}Nonsense\r\n\r\n`],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["CONNECT", "CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n"],
  ])("%s", async (_, message) => {
    const { connect, events } = await startTestGateway()
    const client = await connect()
    client.send(Buffer.from(message, "latin1"))
    const response = await client.response()
    expect(response?.statusCode).toBe(400)
    expect(response?.headers.get("content-type")).toEqual(["application/problem+json"])
    expect(JSON.parse(response?.body ?? "")).toEqual({
      code: "invalid-request",
      title: "Invalid Request",
      detail: "The request is not valid HTTP.",
      status: 400,
    })
    expect(await client.response()).toBeNull()
    expect(events).toEqual([])
  })

  it.each([
    ["no Host", "POST /encrypt HTTP/1.1\r\n\r\n"],
    ["two Hosts", "POST /encrypt HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
    ["two Hosts in HTTP/1.0", "POST /encrypt HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"],
    ["no version", "POST /encrypt\r\nHost: a\r\n\r\n"],
    ["version 2.0", "POST /encrypt HTTP/2.0\r\nHost: a\r\n\r\n"],
    ["an encoded NUL in the path", "POST /encrypt%00 HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["encoding that is none in the path", "POST /encrypt%zz HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["bytes above 127 in the path", "POST /encrypt\xff HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a fragment in the path", "POST /encrypt#a HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["the asterisk form", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"],
  ])("%s, though the connection may continue", async (_, message) => {
    const { connect, events } = await startTestGateway()
    const client = await connect()
    client.send(Buffer.from(message, "latin1"))
    const response = await client.response()
    expect(response?.statusCode).toBe(400)
    expect(JSON.parse(response?.body ?? "")).toMatchObject({ code: "invalid-request" })
    expect(events).toEqual([])
  })
})

describe("an incomplete body", () => {
  it.each([
    ["with Content-Length", `${HEAD}Content-Length: 10\r\n\r\n12345`],
    ["in chunks", `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n`],
  ])("is refused with 400 when the caller says that it has finished, %s", async (_, message) => {
    const { connect, events } = await startTestGateway()
    const client = await connect()
    client.send(message).finish()
    expect((await client.response())?.statusCode).toBe(400)
    await client.closed()
    expect(events).toEqual([])
  })

  it("never reaches a handler when the caller disconnects", async () => {
    const { connect, events, gateway } = await startTestGateway()
    const [quitter, witness] = [await connect(), await connect()]
    quitter.send(`${HEAD}Content-Length: 10\r\n\r\n12345`)
    witness.send(`${HEAD}\r\n`)
    await witness.response()
    quitter.hangUp()
    witness.hangUp()
    // Resolves once the gateway has seen both connections close.
    await gateway.close()
    expect(events).toHaveLength(1)
  })
})

it("survives a caller that disconnects before its answer", async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { promise: isRequested, resolve: requested } = Promise.withResolvers<void>()
  const { connect, errors } = await startTestGateway({
    routes: {
      "GET /slow": () => {
        requested()
        return promise
      },
      "POST /encrypt": acknowledge,
    },
  })
  const [quitter, witness] = [await connect(), await connect()]
  quitter.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
  await isRequested
  quitter.hangUp()
  witness.send(`${HEAD}\r\n`)
  await witness.response()
  resolve("nobody reads this")
  witness.send(`${HEAD}\r\n`)
  expect((await witness.response())?.statusCode).toBe(200)
  expect(errors).toEqual([])
})

describe("bytes after a request", () => {
  it("neither prevent its answer nor get one", async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { promise: isRequested, resolve: requested } = Promise.withResolvers<void>()
    const { connect } = await startTestGateway({
      routes: {
        "POST /encrypt": () => {
          requested()
          return promise
        },
      },
    })
    const client = await connect()
    client.send(`${HEAD}Content-Length: 5\r\n\r\nhello, and more\r\n\r\n`)
    await isRequested
    resolve("encrypted")
    expect((await client.response())?.body).toBe("encrypted")
    expect(await client.response()).toBeNull()
  })

  it("that are a second, broken request do not affect the answer to the first", async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { connect, events } = await startTestGateway({
      routes: { "GET /slow": () => promise, "POST /encrypt": acknowledge },
    })
    const client = await connect()
    client.send(`GET /slow HTTP/1.1\r\nHost: a\r\n\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)
    client.send(SMUGGLED)
    const witness = await connect()
    witness.send(`${HEAD}\r\n`)
    await witness.response()
    resolve("slow")
    expect((await client.response())?.body).toBe("slow")
    expect(await client.response()).toBeNull()
    expect(events.map(({ rawPath }) => rawPath)).toEqual(["/slow", "/encrypt"])
  })

  it("are not served after a refusal that closes the connection", async () => {
    const { connect, events } = await startTestGateway()
    const client = await connect()
    client.send(`POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na${SMUGGLED}`)
    expect((await client.response())?.statusCode).toBe(404)
    expect(await client.response()).toBeNull()
    expect(events).toEqual([])
  })
})

describe("a body that breaks off after its request was refused", () => {
  it.each([
    ["by what is no chunk", "Transfer-Encoding: chunked", (client: RawClient) => client.send("zz\r\n")],
    [
      "by the caller's saying that it has finished",
      "Content-Length: 10",
      (client: RawClient) => client.finish(),
    ],
  ])("gets no second refusal, and the connection closes: %s", async (_, header, breakOff) => {
    const { connect, gateway } = await startTestGateway()
    const client = await connect()
    client.send(`POST /nowhere HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`)
    expect((await client.response())?.statusCode).toBe(404)
    breakOff(client)
    expect(await client.response()).toBeNull()
    await gateway.close()
  })
})

describe("a path that tries to pass for another", () => {
  it.each([
    "//encrypt",
    "/encrypt/",
    "/encrypt//",
    "/ENCRYPT",
    "/encrypt;x",
    "/encrypt;x=y/",
    "/./encrypt",
    "/x/../encrypt",
    "/%2e%2e/encrypt",
    "/%2e/encrypt",
    "/%2Fencrypt",
    "/encrypt%2F",
    "/encrypt%20",
    "/encrypt%2520",
    "/encr%2579pt",
    "/encrypt.json",
    "/apps/%2e%2e/encrypt",
    "/apps/a%2Fb",
    "/apps//",
  ])("finds no route at %s", async (path) => {
    const { connect, events } = await startTestGateway({
      routes: { "POST /encrypt": acknowledge, "POST /apps/{app_id}": acknowledge },
    })
    const client = await connect()
    client.send(`POST ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect((await client.response())?.statusCode).toBe(404)
    expect(events).toEqual([])
  })

  it.each([
    ["/%65ncrypt", "/encrypt"],
    ["http://a/encrypt", "/encrypt"],
    ["/encrypt%3Fa=b", "/encrypt"],
    ["/encrypt?/../decrypt", "/encrypt"],
  ])("is served, %s as %s, like in an HTTP API", async (path, rawPath) => {
    const { connect, events } = await startTestGateway()
    const client = await connect()
    client.send(`POST ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect((await client.response())?.statusCode).toBe(200)
    expect(events[0]?.rawPath).toBe(rawPath)
  })

  it.each([
    ["/apps/%2e%2e", ".."],
    ["/apps/..", ".."],
    ["/apps/a%252Fb", "a/b"],
    ["/apps/__proto__", "__proto__"],
    ["/apps/constructor", "constructor"],
  ])("is passed on as a parameter value: %s", async (path, parameter) => {
    const { connect, events } = await startTestGateway({ routes: { "POST /apps/{app_id}": acknowledge } })
    const client = await connect()
    client.send(`POST ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect((await client.response())?.statusCode).toBe(200)
    expect(events[0]?.pathParameters?.app_id).toBe(parameter)
  })
})

describe("names of Object.prototype", () => {
  it("are ordinary headers and parameters, and change no other object", async () => {
    const { connect, events } = await startTestGateway()
    const client = await connect()
    client.send(
      "POST /encrypt?__proto__=a&constructor=b&hasOwnProperty=c HTTP/1.1\r\nHost: a\r\n" +
        "__proto__: polluted\r\nconstructor: x\r\ntoString: y\r\n\r\n",
    )
    expect((await client.response())?.statusCode).toBe(200)
    expect(Object.entries(events[0]?.headers ?? {})).toEqual([
      ["host", "a"],
      ["__proto__", "polluted"],
      ["constructor", "x"],
      ["tostring", "y"],
    ])
    expect(Object.entries(events[0]?.queryStringParameters ?? {})).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
      ["hasOwnProperty", "c"],
    ])
    expect(Object.prototype).not.toHaveProperty("polluted")
    expect(JSON.parse(JSON.stringify(events[0])).headers).toHaveProperty("constructor", "x")
  })
})

it("answers HTTP/2 without negotiation with a GOAWAY that asks for HTTP/1.1", async () => {
  const { port, events } = await startTestGateway()
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  session.on("error", () => undefined)
  const [code] = await once(session, "goaway")
  session.destroy()
  expect(code).toBe(constants.NGHTTP2_HTTP_1_1_REQUIRED)
  expect(events).toEqual([])
})

it("passes header bytes above 127 on as Latin-1, without loss", async () => {
  const { connect, events } = await startTestGateway()
  const client = await connect()
  client.send(Buffer.from(`${HEAD}X-Name: Zoë\r\n\r\n`, "utf8"))
  expect((await client.response())?.statusCode).toBe(200)
  expect(Buffer.from(events[0]?.headers["x-name"] ?? "", "latin1").toString("utf8")).toBe("Zoë")
})

it("never uses X-Forwarded-For, Forwarded or Host to identify the caller or the API", async () => {
  const { connect, events } = await startTestGateway()
  const client = await connect()
  client.send(
    "POST /encrypt HTTP/1.1\r\nHost: a:80\r\nX-Forwarded-For: 203.0.113.9\r\nForwarded: for=203.0.113.9\r\n\r\n",
  )
  await client.response()
  expect(events[0]?.requestContext).toMatchObject({
    http: { sourceIp: "127.0.0.1" },
    domainName: "localhost",
  })
})

describe("a request that names another service, as in DNS rebinding", () => {
  const refusal = {
    code: "misdirected-request",
    status: 421,
    detail: expect.stringContaining("--allow-host"),
  }

  it.each([
    ["GET", "GET /encrypt HTTP/1.1\r\nHost: evil.test\r\n\r\n"],
    ["POST with a body", "POST /encrypt HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 2\r\n\r\n{}"],
    [
      "a preflight",
      "OPTIONS /encrypt HTTP/1.1\r\nHost: evil.test\r\nOrigin: http://evil.test\r\nAccess-Control-Request-Method: POST\r\n\r\n",
    ],
    ["an unknown path", "GET /nowhere HTTP/1.1\r\nHost: evil.test\r\n\r\n"],
    ["HTTP/1.0", "POST /encrypt HTTP/1.0\r\nHost: evil.test\r\n\r\n"],
    ["an absolute target", "POST http://evil.test/encrypt HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["this machine at another port", "POST /encrypt HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"],
  ])("is refused with misdirected-request before anything else: %s", async (_, message) => {
    const { connect, events, refusals } = await startTestGateway({
      cors: {
        allowOrigins: ["*"],
        allowMethods: ["*"],
        allowHeaders: ["*"],
        exposeHeaders: [],
        maxAgeSeconds: 60,
      },
    })
    const client = await connect()
    client.send(message)
    const response = await client.response()
    expect(response?.statusCode).toBe(421)
    const requestId = response?.headers.get("apigw-requestid")?.[0]
    expect(refusals).toEqual([{ requestId, code: "misdirected-request", status: 421 }])
    expect(JSON.parse(response?.body ?? "")).toMatchObject(refusal)
    expect(response?.headers.get("access-control-allow-origin")).toBeUndefined()
    expect(events).toEqual([])
  })

  it("is served when it names the gateway's own address, whatever other names are allowed", async () => {
    const { connect, port } = await startTestGateway({ allowedHosts: [] })
    const client = await connect()
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      client.send(`POST http://${host}:${port}/encrypt HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`)
      expect((await client.response())?.statusCode).toBe(200)
    }
  })
})
