import { NO_LIMITS } from "@sealway/accounts/testing"
import { createTestKeyring } from "@sealway/keys/testing"
import { NO_STATS } from "@sealway/records/testing"
import type { APIGatewayProxyEventV2, Context } from "aws-lambda"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { endpoint } from "./endpoint.ts"
import { createHandler, type HandlerPlatform } from "./handler.ts"
import { serviceOriginOf } from "./service-origin.ts"

const unused = () => Promise.reject(new Error("Nobody is identified here"))
const PLATFORM: HandlerPlatform = {
  directory: {
    team: unused,
    app: unused,
    apiKey: unused,
    apiKeyById: unused,
    session: unused,
    roster: unused,
    forgetSession: () => undefined,
  },
  keyring: {
    newest: unused,
    versions: unused,
    refreshedVersions: unused,
    open: unused,
    addVersion: unused,
    ensureCustody: unused,
    subjects: createTestKeyring().subjects,
    peek: () => undefined,
    forget: () => undefined,
  },
  apiKeyUses: { note: unused, lastUsedAt: unused },
  limiter: NO_LIMITS,
  idempotency: { run: unused },
  wallClock: () => 0,
  now: () => 0,
  stats: NO_STATS,
  hosting: "container",
  apiOrigin: null,
  dashboardApiUrl: null,
  dashboardOriginHash: null,
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
}

/** Shows in a page what a form sent, and where. */
const page = endpoint({
  id: "page",
  method: "POST",
  path: "/page",
  tag: "Test",
  summary: "",
  description: "",
  auth: [],
  reveals: "nothing",
  request: { body: { kind: "form", schema: z.object({ cres: z.string().max(8).optional() }), maxBytes: 32 } },
  status: 200,
  reply: { kind: "document", formats: ["page"], description: "" },
  errors: [],
  grants: [],
  answer: ({ body, serviceOrigin }) => ({
    body: { format: "page", bytes: Buffer.from(`<p>${body.cres ?? "nothing"} ${serviceOrigin}`) },
  }),
})

async function submit(
  body: string | Buffer,
  contentType = "application/x-www-form-urlencoded",
  platform = PLATFORM,
) {
  const event: APIGatewayProxyEventV2 = {
    version: "2.0",
    routeKey: "POST /page",
    rawPath: "/page",
    rawQueryString: "",
    isBase64Encoded: true,
    headers: { "content-type": contentType, host: "api.example.com", "x-forwarded-proto": "https" },
    body: Buffer.from(body).toString("base64"),
    requestContext: {
      accountId: "0",
      apiId: "local",
      domainName: "localhost",
      domainPrefix: "localhost",
      requestId: "request-1",
      routeKey: "POST /page",
      stage: "$default",
      time: "",
      timeEpoch: 0,
      http: { method: "POST", path: "/page", protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "" },
    },
  }
  const answer = await createHandler(
    page,
    null,
    platform,
  )(event, { getRemainingTimeInMillis: () => 30_000 } as Context)
  const type = answer.headers?.["content-type"]
  return { status: answer.statusCode, type, body: answer.body ?? "" }
}

describe("a form of a page", () => {
  test("is parsed into its fields, and answered with a page", async () => {
    expect(await submit("cres=a%2Bb+c&other=1")).toEqual({
      status: 200,
      type: "text/html; charset=utf-8",
      body: "<p>a+b c https://api.example.com",
    })
    expect((await submit("", "application/x-www-form-urlencoded; charset=UTF-8")).body).toContain("nothing")
  })

  test.each([
    ["a field comes twice", "cres=a&cres=b", 400],
    ["it is not UTF-8", Buffer.from("cres=\xff", "latin1"), 400],
    ["the schema does not take it", "cres=123456789", 400],
    ["it is larger than declared", "x".repeat(33), 413],
  ])("is refused when %s", async (_, body, status) => {
    expect((await submit("x".repeat(32))).status).toBe(200)
    expect((await submit(body)).status).toBe(status)
  })

  test.each(["application/json", "text/html; charset=utf-8", "multipart/form-data"])(
    "is refused with 415 when it comes as %s",
    async (type) => {
      expect((await submit("cres=a", type)).status).toBe(415)
    },
  )
})

test("a deployment that says where it is reached is there, whatever a request says", async () => {
  const platform = { ...PLATFORM, apiOrigin: "https://vault.example.com" }
  expect((await submit("", undefined, platform)).body).toBe("<p>nothing https://vault.example.com")
})

test.each([
  [{ host: "127.0.0.1:8787" }, "http://127.0.0.1:8787"],
  [{ host: "API.example.com", "x-forwarded-proto": "https" }, "https://api.example.com"],
  [{ host: "api.example.com", "x-forwarded-proto": "https, http" }, "https://api.example.com"],
  [{ host: "api.example.com", "x-forwarded-proto": "javascript" }, "http://api.example.com"],
  [{ host: "user@:/" }, "http://localhost"],
  [{}, "http://localhost"],
])("derives the origin of a service reached by %j: %s", (headers, origin) => {
  expect(serviceOriginOf(headers)).toBe(origin)
})
