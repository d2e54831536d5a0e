import { EVERY_ANSWER } from "@sealway/http"
import type { APIGatewayProxyEventV2, Context } from "aws-lambda"
import { describe, expect, test } from "vitest"
import { createUnknownRouteHandler } from "./unknown-route.ts"

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

describe("a request without a route", () => {
  test.each([
    "/",
    "/Encrypt",
    "/encrypt//",
    "/apps",
    "/apps/",
    "/apps/1/keys//",
    "/apps//keys",
    "/apps/1/keys/2",
    "/{app_id}",
    "",
    "encrypt",
  ])("to %j is refused with not-found", async (path) => {
    const { statusCode, headers, body } = await answer("GET", path)
    expect(statusCode).toBe(404)
    expect(headers).toEqual({ "content-type": "application/problem+json", ...EVERY_ANSWER })
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
    ["DELETE", "/apps/first", "POST"],
    ["PUT", "/apps/1/keys", "GET"],
    ["OPTIONS", "/encrypt", "POST"],
  ])(
    "is refused with method-not-allowed when it is %s %s, listing the methods of the path",
    async (method, path, allow) => {
      const { statusCode, headers, body } = await answer(method, path)
      expect(statusCode).toBe(405)
      expect(headers).toMatchObject({ allow, "content-type": "application/problem+json" })
      expect(JSON.parse(body ?? "")).toMatchObject({ code: "method-not-allowed", status: 405 })
    },
  )

  test.each([
    ["/encrypt/", "/encrypt"],
    ["/apps/secret-marker/", "/apps/{app_id}"],
    ["/apps/secret-marker/keys/", "/apps/{app_id}/keys"],
  ])("to %s is refused with not-found, naming the path without the slash: %s", async (path, named) => {
    const { statusCode, body } = await answer("POST", path)
    expect(statusCode).toBe(404)
    expect(JSON.parse(body ?? "")).toMatchObject({
      code: "not-found",
      detail: `There is nothing at this path. Use ${named}, without the slash at the end.`,
    })
  })

  test("is accepted when it is a browser's CORS preflight", async () => {
    const preflight = { origin: "https://example.com", "access-control-request-method": "POST" }
    expect(await answer("OPTIONS", "/encrypt", preflight)).toEqual({ statusCode: 204, headers: EVERY_ANSWER })
  })

  test("is not echoed in the answer", async () => {
    const { body } = await answer("GET", "/secret-marker", { "api-key": "secret-marker" })
    expect(body).not.toContain("secret-marker")
  })
})
