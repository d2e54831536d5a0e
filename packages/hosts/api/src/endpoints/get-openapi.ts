import { endpoint } from "@sealway/http"

export interface OpenApiDependencies {
  /** Returns the document as JSON. */
  readonly writeDocument: () => string
}

/** Serves the OpenAPI document of the service, including this endpoint. */
export const getOpenApi = endpoint({
  id: "get-openapi",
  method: "GET",
  path: "/openapi.json",
  tag: "Service",
  summary: "Get this document",
  description: "The OpenAPI 3.1 document of the service, from the same schemas that validate requests.",
  auth: [],
  reveals: "nothing",
  status: 200,
  reply: { kind: "document", formats: ["json"], description: "The OpenAPI document" },
  errors: [],
  grants: [],
  answer: (_request, { writeDocument }: OpenApiDependencies) => ({
    body: { format: "json", bytes: Buffer.from(writeDocument()) },
    headers: { "cache-control": "public, max-age=300" },
  }),
})
