import { createService, serviceRoutes } from "@sealway/api"
import { createUnknownRouteHandler } from "@sealway/api/testing"
import { RawClient } from "@sealway/local/testing"
import { describe, expect, test } from "vitest"
import { LAMBDA_CONTEXT, proxyEvent } from "../support/proxy-event.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()
const HEADER = "x-content-type-options"
const PREFLIGHT = { origin: "https://shop.example", "access-control-request-method": "POST" }

describe("browsers are told to guess no content type", () => {
  test("by every endpoint itself, for the cloud, where no gateway of ours adds it", async () => {
    const statuses = new Set<number | undefined>()
    const { endpoints } = createService(service.service.platform)
    for (const { endpoint, handler } of endpoints) {
      const { method, path } = endpoint
      const pathParameters = Object.fromEntries(
        [...path.matchAll(/\{(\w+)/g)].map(([, name = ""]) => [name, "x"]),
      )
      const result = await handler(proxyEvent({ method, path, pathParameters }), LAMBDA_CONTEXT)
      expect({ [endpoint.id]: result.headers?.[HEADER] }).toEqual({ [endpoint.id]: "nosniff" })
      statuses.add(result.statusCode)
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 401, 404]))
    const unknown = createUnknownRouteHandler(serviceRoutes())
    for (const [method, headers] of [
      ["GET", {}],
      ["OPTIONS", PREFLIGHT],
    ] as const) {
      const result = await unknown(proxyEvent({ method, path: "/nothing", headers }), LAMBDA_CONTEXT)
      expect(result.headers?.[HEADER]).toBe("nosniff")
    }
  })

  test.each<
    [answer: string, status: number, method: string, path: string, options?: CallOptions & { body?: unknown }]
  >([
    ["a value", 200, "POST", "/encrypt", { body: ["a"] }],
    ["a problem", 400, "POST", "/encrypt", { body: "{" }],
    ["a missing credential", 401, "POST", "/encrypt", { body: "a", auth: null }],
    ["an unknown path", 404, "GET", "/nothing"],
    ["another method", 405, "PUT", "/encrypt"],
    ["a body that is too large", 413, "POST", "/encrypt", { body: Buffer.alloc(26 * 1024 * 1024) }],
    ["a preflight", 204, "OPTIONS", "/encrypt", { headers: PREFLIGHT }],
    ["the start page", 200, "GET", "/"],
    ["the reference", 200, "GET", "/docs"],
    ["a script of the reference", 200, "GET", "/docs/reference.js"],
    ["the metrics", 200, "GET", "/metrics"],
    ["a refusal of the metrics", 401, "GET", "/metrics", { headers: { authorization: "Bearer x" } }],
    ["the dashboard, which is not built", 503, "GET", "/dashboard"],
    ["the storage, without a signature", 403, "GET", "/storage/files/x"],
    ["the storage, with a wrong signature", 403, "GET", "/storage/files/x?X-Amz-Signature=x"],
  ])("with %s", async (_answer, status, method, path, { body, ...options } = {}) => {
    const answer = await service.call(method, path, body, options)
    expect([answer.status, answer.headers.get(HEADER)]).toEqual([status, "nosniff"])
  })

  test.each([
    ["what is no request", 400, "nonsense\r\n\r\n"],
    ["another host", 421, "GET /health HTTP/1.1\r\nHost: other.example\r\n\r\n"],
    ["the other address of the dashboard", 308, "GET /dashboard/ HTTP/1.1\r\nHost: SERVICE\r\n\r\n"],
  ])("with the answer to %s", async (_request, status, bytes) => {
    const { host, port } = new URL(service.url)
    const client = await RawClient.connect(Number(port))
    const answer = await client.send(bytes.replace("SERVICE", host)).response()
    expect([answer?.statusCode, answer?.headers.get(HEADER)]).toEqual([status, ["nosniff"]])
    client.hangUp()
  })
})
