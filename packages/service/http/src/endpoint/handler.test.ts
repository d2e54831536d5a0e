import type { Directory, Reveals } from "@sealway/accounts"
import { NO_LIMITS } from "@sealway/accounts/testing"
import { CancelledError, OverloadedError, processTurns, RequestTask, type Task } from "@sealway/kernel"
import { createTestKeyring } from "@sealway/keys/testing"
import type { LogFields } from "@sealway/ports"
import { NO_STATS } from "@sealway/records/testing"
import { createKeyAgreement, createSealingKey, generatePrivateKey, sealFile } from "@sealway/tokens"
import type { APIGatewayProxyEventV2, Context } from "aws-lambda"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { endpoint } from "./endpoint.ts"
import { createHandler, type HandlerPlatform } from "./handler.ts"
import { limitSchema } from "./lists.ts"

const nobody: Directory = {
  team: async () => null,
  app: async () => null,
  apiKey: async () => null,
  apiKeyById: async () => null,
  session: async () => null,
  forgetSession: () => undefined,
  roster: async () => null,
}
const { publicKey: appPublicKey } = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
const sealingKey = createSealingKey({ appPublicKey, debug: true })
const unused = () => Promise.reject(new Error("Nobody is identified here"))

function platform(): HandlerPlatform & { readonly lines: [level: string, fields: LogFields | undefined][] } {
  const lines: [string, LogFields | undefined][] = []
  const write = (level: string) => (_message: string, fields?: LogFields) => lines.push([level, fields])
  return {
    directory: nobody,
    keyring: {
      newest: unused,
      versions: unused,
      refreshedVersions: unused,
      peek: () => undefined,
      open: unused,
      addVersion: unused,
      ensureCustody: unused,
      subjects: createTestKeyring().subjects,
      forget: () => undefined,
    },
    apiKeyUses: { note: unused, lastUsedAt: unused },
    limiter: NO_LIMITS,
    idempotency: { run: unused },
    wallClock: () => 0,
    now: () => 0,
    stats: NO_STATS,
    hosting: "api-gateway",
    apiOrigin: null,
    dashboardApiUrl: null,
    dashboardOriginHash: null,
    log: { info: write("info"), warn: write("warn"), error: write("error") },
    lines,
  }
}

/** Declares an endpoint that throws, or returns the body that it gets. */
const throwing = (error: unknown) =>
  endpoint({
    id: "throwing",
    method: "POST",
    path: "/throwing",
    tag: "Test",
    summary: "",
    description: "",
    auth: [],
    reveals: "nothing",
    request: { body: { kind: "document", formats: ["json", "bytes"], description: "" } },
    status: 200,
    reply: { kind: "document", formats: ["json", "bytes"], description: "" },
    errors: [],
    grants: [],
    answer({ body }) {
      if (error !== null) throw error
      return { body }
    },
  })

function event(
  body: string,
  contentType = "application/json",
  isBase64Encoded = false,
): APIGatewayProxyEventV2 {
  return {
    version: "2.0",
    routeKey: "POST /throwing",
    rawPath: "/throwing",
    rawQueryString: "",
    headers: { "content-type": contentType },
    isBase64Encoded,
    body,
    requestContext: {
      accountId: "0",
      apiId: "local",
      domainName: "localhost",
      domainPrefix: "localhost",
      http: { method: "POST", path: "/throwing", protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "" },
      requestId: "request-1",
      routeKey: "POST /throwing",
      stage: "$default",
      time: "",
      timeEpoch: 0,
    },
  }
}

const context = { getRemainingTimeInMillis: () => 30_000 } as Context

async function call(error: unknown, given = event("{}")) {
  const on = platform()
  const {
    statusCode,
    headers,
    body = "",
    isBase64Encoded,
  } = await createHandler(throwing(error), null, on)(given, context)
  return { statusCode, headers, body, isBase64Encoded, lines: on.lines }
}

const named = (name: string, message = "secret-of-the-caller") => Object.assign(new Error(message), { name })

describe("a handler", () => {
  test("takes parameters of the path and the query that are null for none", async () => {
    const given = { ...event("{}"), ...JSON.parse('{"pathParameters":null,"queryStringParameters":null}') }
    expect(await call(null, given)).toMatchObject({ statusCode: 200, body: "{}" })
  })

  test("answers an unexpected error with internal-server-error, logs it, and repeats nothing of it", async () => {
    const error = new TypeError("secret-of-the-caller")
    const { statusCode, headers, body, lines } = await call(error)
    expect(statusCode).toBe(500)
    expect(headers).toMatchObject({ "content-type": "application/problem+json", "cache-control": "no-store" })
    expect(JSON.parse(body)).toEqual({
      code: "internal-server-error",
      title: "Internal Server Error",
      detail: "An unexpected error occurred.",
      status: 500,
    })
    expect(lines).toEqual([
      [
        "error",
        { requestId: "request-1", endpoint: "throwing", code: "internal-server-error", status: 500, error },
      ],
    ])
  })

  test.each([
    named("ThrottlingException"),
    named("TimeoutError"),
    named("KMSInternalException"),
    Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
  ])("answers service-unavailable with Retry-After when AWS fails or is unreachable (%#)", async (error) => {
    const { statusCode, headers, body } = await call(error)
    expect(statusCode).toBe(503)
    expect(headers).toMatchObject({ "retry-after": "1" })
    expect(JSON.parse(body)).toMatchObject({ code: "service-unavailable" })
  })

  test.each(["a string", null, undefined, 7])("survives a thrown %j", async (thrown) => {
    const { statusCode } = await call(thrown === null ? undefined : thrown)
    expect(statusCode).toBe(500)
  })

  test("returns JSON as text and files in base64", async () => {
    expect(await call(null, event('{"a": 1.0}'))).toMatchObject({
      statusCode: 200,
      headers: { "content-type": "application/json" },
      body: '{"a": 1.0}',
      isBase64Encoded: false,
    })
    const file = Buffer.from([0, 255, 1]).toString("base64")
    expect(await call(null, event(file, "application/octet-stream", true))).toMatchObject({
      statusCode: 200,
      headers: { "content-type": "application/octet-stream" },
      body: file,
      isBase64Encoded: true,
    })
  })

  test("accepts a body as bytes from a gateway in its process, and answers a document as bytes", async () => {
    const handler = createHandler(throwing(null), null, platform())
    for (const [type, bytes] of [
      ["application/json", Buffer.from('{"a": 1.0}')],
      ["application/octet-stream", Buffer.from([0, 255, 1])],
    ] as const) {
      const { body: _, ...given } = event("", type)
      expect(await handler({ ...given, bodyBytes: bytes }, context)).toEqual({
        statusCode: 200,
        headers: { "content-type": type, "cache-control": "no-store", "x-content-type-options": "nosniff" },
        bodyBytes: bytes,
      })
    }
    const { body: _, ...given } = event("")
    const tooLarge = await handler({ ...given, bodyBytes: Buffer.alloc(7_000_000, "1") }, context)
    expect(tooLarge).toMatchObject({ statusCode: 413, body: expect.stringContaining("payload-too-large") })
  })

  test.each<[Reveals, string]>([
    ["nothing", "public"],
    ["values", "no-store"],
    ["card-facts", "no-store"],
    ["results", "no-store"],
    ["logs", "no-store"],
    ["equality", "no-store"],
    ["resealed", "no-store"],
    ["credentials", "no-store"],
    ["secrets", "no-store"],
  ])("lets caches store what reveals %s: %s", async (reveals, expected) => {
    const headers = { "cache-control": "public" }
    const answer = () => ({ body: { format: "json", bytes: Buffer.from("1") } as const, headers })
    const handler = createHandler({ ...throwing(null), reveals, answer }, null, platform())
    expect((await handler(event("1"), context)).headers).toMatchObject({ "cache-control": expected })
  })

  test("returns large JSON and large files unchanged to the byte", async () => {
    const json = JSON.stringify("n\u00e9\u{1f600}".repeat(250_000))
    expect((await call(null, event(json))).body === json).toBe(true)
    const file = Buffer.alloc(4_000_001, "sealway").toString("base64")
    expect((await call(null, event(file, "application/octet-stream", true))).body === file).toBe(true)
  })

  test("accepts files up to 4,500,000 bytes behind API Gateway, and 75 more only when they are encrypted", async () => {
    const file = (bytes: Buffer) => event(bytes.toString("base64"), "application/octet-stream", true)
    const encrypted = (bytes: number) => sealFile(Buffer.alloc(bytes), sealingKey)
    const limit = 4_500_000
    expect((await call(null, file(Buffer.alloc(limit)))).statusCode).toBe(200)
    expect((await call(null, file(encrypted(limit)))).statusCode).toBe(200)
    for (const tooLarge of [Buffer.alloc(limit + 1), Buffer.alloc(limit + 75), encrypted(limit + 1)]) {
      expect(JSON.parse((await call(null, file(tooLarge))).body)).toMatchObject({
        code: "payload-too-large",
        detail: expect.stringMatching(/25 MB.*4\.5 million bytes/),
      })
    }
  })
})

describe("the task of a request", () => {
  const json = (bytes: number) => event(JSON.stringify({ text: "x".repeat(bytes) }))
  const ofObjects = (answer: (task: Task) => Promise<{ body: null }>) =>
    endpoint({
      id: "taking",
      method: "POST",
      path: "/taking",
      tag: "Test",
      summary: "",
      description: "",
      auth: [],
      status: 204,
      errors: [],
      grants: [],
      reveals: "nothing",
      request: { body: { kind: "object", schema: z.object({ text: z.string() }), maxBytes: 1_000_000 } },
      reply: { kind: "none", description: "" },
      answer: ({ task }) => answer(task),
    })
  const untilCancelled = (task: Task) =>
    new Promise<never>((_, reject) => {
      task.signal.addEventListener("abort", () => reject(task.signal.reason))
    })

  test("has the memory for a parsed body before it is parsed; a refusal is no failure of the service", async () => {
    const reserved: number[] = []
    const memory = {
      reserve(bytes: number) {
        reserved.push(bytes)
        throw new OverloadedError()
      },
      take: () => undefined,
      add: () => undefined,
    }
    const task = new RequestTask({ turns: processTurns, memory })
    const on = platform()
    const never = () => expect.unreachable()
    const answer = await createHandler(ofObjects(never), null, on)(json(100_000), { ...context, task })
    expect(answer).toMatchObject({ statusCode: 503, headers: { "retry-after": "1" } })
    expect([reserved.length, (reserved[0] ?? 0) > 200_000]).toEqual([1, true])
    expect(on.lines.map(([level]) => level)).toEqual(["info"])
  })

  test.each(["limit", "pageSize"])(
    "has the memory for the page of a list that is asked for with %s",
    async (parameter) => {
      const reserved: number[] = []
      const memory = {
        reserve: (bytes: number) => void reserved.push(bytes),
        take: () => undefined,
        add: () => undefined,
      }
      const task = new RequestTask({ turns: processTurns, memory })
      const list = endpoint({
        id: "listing",
        method: "GET",
        path: "/listing",
        tag: "Test",
        summary: "",
        description: "",
        auth: [],
        status: 204,
        errors: [],
        grants: [],
        reveals: "nothing",
        request: { query: z.object({ [parameter]: limitSchema }) },
        reply: { kind: "none", description: "" },
        answer: async () => ({ body: null }),
      })
      const given = { ...event(""), queryStringParameters: { [parameter]: "100" } }
      await createHandler(list, null, platform())(given, { ...context, task })
      expect(reserved).toEqual([100 * 40 * 1024])
    },
  )

  test("is cancelled at its deadline, so that the request is answered with service-unavailable", async () => {
    const task = new RequestTask({ turns: processTurns })
    const on = platform()
    const late = async (given: Task) => {
      const ended = untilCancelled(given)
      task.cancel(new CancelledError("deadline"))
      return ended
    }
    const answer = await createHandler(ofObjects(late), null, on)(json(1), { ...context, task })
    expect(answer).toMatchObject({ statusCode: 503, headers: { "retry-after": "1" } })
    expect(on.lines).toMatchObject([["error", { code: "service-unavailable" }]])
  })

  test("ends when its client leaves, which is no failure of the service", async () => {
    const task = new RequestTask({ turns: processTurns })
    const on = platform()
    const leaving = async (given: Task) => {
      const ended = untilCancelled(given)
      task.cancel(new CancelledError("client"))
      return ended
    }
    await createHandler(ofObjects(leaving), null, on)(json(1), { ...context, task })
    expect(on.lines.map(([level]) => level)).toEqual(["info"])
  })
})
