import { endpoint } from "@sealway/platform"
import type { APIGatewayProxyEventV2, Context } from "aws-lambda"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { createUnknownRouteHandler, declaredRoutes } from "./unknown-route.ts"

const CONTEXT: Context = {
  callbackWaitsForEmptyEventLoop: false,
  functionName: "not-found",
  functionVersion: "1",
  invokedFunctionArn: "",
  memoryLimitInMB: "128",
  awsRequestId: "request-1",
  logGroupName: "",
  logStreamName: "",
  getRemainingTimeInMillis: () => 5_000,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
}

const handler = createUnknownRouteHandler([
  { method: "POST", path: "/encrypt" },
  { method: "GET", path: "/apps/{app_id}" },
  { method: "PATCH", path: "/apps/{app_id}" },
  { method: "GET", path: "/apps/{app_id}/keys" },
  { method: "POST", path: "/apps/first" },
])

function request(
  method: string,
  rawPath: string,
  headers: Record<string, string> = {},
): APIGatewayProxyEventV2 {
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString: "",
    headers,
    isBase64Encoded: false,
    requestContext: {
      accountId: "0",
      apiId: "api",
      domainName: "api",
      domainPrefix: "api",
      http: { method, path: rawPath, protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "" },
      requestId: "request-1",
      routeKey: "$default",
      stage: "$default",
      time: "",
      timeEpoch: 0,
    },
  }
}

const answer = (method: string, path: string, headers?: Record<string, string>) =>
  handler(request(method, path, headers), CONTEXT)

describe("a request that no route is for", () => {
  test.each([
    "/",
    "/encrypt/",
    "/Encrypt",
    "/apps",
    "/apps/",
    "/apps//keys",
    "/apps/1/keys/2",
    "/{app_id}",
    "",
    "encrypt",
  ])("to %j is refused with not-found", async (path) => {
    const { statusCode, headers, body } = await answer("GET", path)
    expect(statusCode).toBe(404)
    expect(headers).toEqual({ "content-type": "application/problem+json", "cache-control": "no-store" })
    expect(JSON.parse(body ?? "")).toEqual({
      code: "not-found",
      title: "Not Found",
      detail: "There is nothing at this path.",
      status: 404,
    })
  })

  test.each([
    ["GET", "/encrypt", "POST"],
    ["DELETE", "/apps/1", "GET, PATCH"],
    ["DELETE", "/apps/first", "GET, PATCH, POST"],
    ["HEAD", "/apps/1/keys", "GET"],
    ["OPTIONS", "/encrypt", "POST"],
  ])(
    "is refused with method-not-allowed when it is %s %s, and told what the path takes",
    async (method, path, allow) => {
      const { statusCode, headers, body } = await answer(method, path)
      expect(statusCode).toBe(405)
      expect(headers).toMatchObject({ allow, "content-type": "application/problem+json" })
      expect(JSON.parse(body ?? "")).toMatchObject({ code: "method-not-allowed", status: 405 })
    },
  )

  test("is let be when a browser asks whether it may send one", async () => {
    const preflight = { origin: "https://example.com", "access-control-request-method": "POST" }
    expect(await answer("OPTIONS", "/encrypt", preflight)).toEqual({ statusCode: 204 })
  })

  test("finds nothing of itself in the answer", async () => {
    const { body } = await answer("GET", "/secret-marker", { "api-key": "secret-marker" })
    expect(body).not.toContain("secret-marker")
  })
})

test("the routes of an endpoint are its path and its aliases", () => {
  const declared = endpoint({
    id: "get-thing",
    method: "GET",
    path: "/things/{thing_id}",
    aliases: ["/thing"],
    tag: "Things",
    summary: "Get a thing",
    description: "",
    auth: [],
    request: { path: z.object({}), headers: z.object({}), body: { kind: "none" } },
    status: 200,
    reply: { kind: "none", description: "" },
    errors: [],
    grants: [],
    answer: () => ({ body: null }),
  })
  expect(declaredRoutes([declared])).toEqual([
    { method: "GET", path: "/things/{thing_id}" },
    { method: "GET", path: "/thing" },
  ])
})
