import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"

const service = useService()

interface OpenApi {
  openapi: string
  paths: Record<
    string,
    Record<string, { responses: Record<string, unknown>; security: unknown[]; requestBody?: unknown }>
  >
}

describe("GET /openapi.json", () => {
  test("describes every endpoint with its parameters, answers and credentials", async () => {
    const answer = await service.get("/openapi.json", { auth: null })
    expect(answer.status).toBe(200)
    const { openapi, paths } = answer.json as OpenApi
    expect(openapi).toBe("3.1.1")
    expect(
      Object.entries(paths)
        .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))
        .sort(),
    ).toEqual([
      "get /health",
      "get /keys",
      "get /openapi.json",
      "get /{team_id}/apps/{app_id}",
      "post /apps/{app_id}/keys/rotate",
      "post /decrypt",
      "post /encrypt",
      "post /fingerprint",
      "post /inspect",
      "post /rewrap",
    ])
    expect(paths["/decrypt"]?.post).toMatchObject({
      operationId: "decrypt",
      security: [{ "api-key": [] }, { "api-key-header": [] }],
      requestBody: { required: true, content: { "application/json": {}, "application/octet-stream": {} } },
      responses: {
        200: { content: { "application/json": {}, "application/octet-stream": {} } },
        400: { content: { "application/problem+json": {} } },
        401: {},
        403: { description: "`decrypt/forbidden`, `forbidden`" },
        413: {},
        415: {},
        500: {},
        503: {},
      },
    })
    expect(paths["/health"]?.get?.security).toEqual([])
    expect(answer.text).toContain("x-service-data-role")
    expect(answer.text).toContain("api:decrypt")
  })
})

describe("GET /health", () => {
  test("answers without credentials and without an AWS call", async () => {
    const before = service.awsCalls.length
    const answer = await service.get("/health", { auth: null })
    expect(answer.json).toEqual({ status: "ok", version: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
    expect(service.awsCalls).toHaveLength(before)
  })
})
