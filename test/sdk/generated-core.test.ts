import { readFileSync } from "node:fs"
import { join } from "node:path"
import { writeOpenApiDocument } from "@sealway/api"
import { describe, expect, test } from "vitest"
import { generateApi } from "../../scripts/sdk/generate-api.ts"
import { generatePython } from "../../scripts/sdk/generate-python.ts"
import { ROOT } from "../support/start.ts"

const document: { paths: Record<string, Record<string, unknown>> } = JSON.parse(writeOpenApiDocument())

test.each([
  ["packages/clients/sdk", generateApi(document)],
  ["clients/python", generatePython(document)],
])("%s is what `npm run generate:sdk` makes of the service's OpenAPI document", (folder, files) => {
  for (const [path, text] of files) {
    expect({ [path]: readFileSync(join(ROOT, folder, path), "utf8") }).toEqual({ [path]: text })
  }
})

describe("the generator", () => {
  const newEndpoint = {
    "/data-subjects/{data_subject_id}/exports": {
      post: {
        operationId: "create-subject-export",
        summary: "Export a subject",
        description: "A comment that ends early: */ export const evil = 1",
        security: [{ ApiKey: ["dataSubject:read"] }],
        parameters: [
          { in: "path", name: "data_subject_id", required: true, schema: { type: "string" } },
          { in: "query", name: "from", schema: { type: "string" } },
          { in: "header", name: "idempotency-key", schema: { type: "string" } },
        ],
        requestBody: {
          content: {
            "application/json": { schema: { type: "object", properties: { "a-b": { enum: ["x", 1] } } } },
          },
        },
        responses: {
          201: { content: { "application/json": { schema: { $ref: "#/components/schemas/App" } } } },
        },
      },
    },
  }
  const operations = (paths: object) =>
    generateApi({ ...document, paths }).get("src/api/generated/operations.ts") ?? ""

  test("gives a new endpoint its types, its function, and a place among the operations of its credentials", () => {
    const text = operations({ ...document.paths, ...newEndpoint })
    expect(text).toContain(
      'createSubjectExport = /* @__PURE__ */ operation<CreateSubjectExportRequest, App>({ method: "POST", path: "/data-subjects/{data_subject_id}/exports", query: ["from"], body: ["application/json"], takesIdempotencyKey: true, isRepeatable: true })',
    )
    expect(text).toContain('  readonly body: {\n    readonly "a-b"?: "x" | 1 | undefined\n  }')
    expect(text.slice(text.indexOf("export const appOperations"))).toContain("  createSubjectExport,\n")
  })

  test("writes no description that ends its comment", () => {
    expect(operations(newEndpoint)).toContain("ends early: *\\/ export const evil")
  })

  test("refuses two inputs, or two types, of the same name", () => {
    const [path, { post }] = Object.entries(newEndpoint)[0] ?? ["", { post: { parameters: [] } }]
    const twice = [
      ...(post.parameters ?? []),
      { in: "header", name: "x-service-from", schema: { type: "string" } },
    ]
    expect(() => operations({ [path]: { post: { ...post, parameters: twice } } })).toThrow(
      "Two inputs of create-subject-export have the same name",
    )
    expect(() => operations({ ...newEndpoint, "/other": { post } })).toThrow("CreateSubjectExportRequest")
  })

  test("repeats no request by itself that takes no Idempotency-Key and may change something", () => {
    const text = operations(document.paths)
    const repeatable = [...text.matchAll(/^export const (\w+) = .*"POST".*isRepeatable: true/gm)]
      .filter(([line]) => !line.includes("takesIdempotencyKey"))
      .map(([, name]) => name)
    expect(repeatable).toEqual([
      ...["encrypt", "decrypt", "rewrap", "fingerprint", "inspect"],
      ...["explainDataPolicies", "simulateDataPolicies", "analyzeDataPolicies"],
      ...["encryptFormat", "decryptFormat", "rewrapFormat"],
      ...["createFileKey", "createFilePartUrls", "decryptFile", "getDataSubjectKey"],
      ...["fetchWebhookEvents", "testRelay"],
    ])
  })

  test("leaves out pages and the posts of forms", () => {
    expect(operations(document.paths)).not.toMatch(/text\/html|urlencoded|open3dsPage/)
  })
})
