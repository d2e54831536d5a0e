import { type Document, type Endpoint, endpoint } from "@sealway/platform"
import { createOpenApiDocument } from "@sealway/platform/openapi"
import * as z from "zod"

/** Serves the OpenAPI document of endpoints, and of itself. It is written once, when it is first asked for. */
export function openApiEndpoint(endpoints: readonly Endpoint<never>[], version: string): Endpoint<unknown> {
  let document: Document | null = null
  const self: Endpoint<unknown> = endpoint({
    id: "get-openapi",
    method: "GET",
    path: "/openapi.json",
    tag: "Service",
    summary: "Get this document",
    description: "The OpenAPI 3.1 document of the service, from the same schemas that validate requests.",
    auth: [],
    request: { path: z.object({}), headers: z.object({}), body: { kind: "none" } },
    status: 200,
    reply: { kind: "document", formats: ["json"], description: "The OpenAPI document" },
    errors: [],
    grants: [],
    answer() {
      document ??= {
        format: "json",
        bytes: Buffer.from(JSON.stringify(createOpenApiDocument([...endpoints, self], version))),
      }
      return { body: document, headers: { "cache-control": "public, max-age=300" } }
    },
  })
  return self
}
