import { createOpenApiDocument } from "@sealway/http/openapi"
import manifest from "../package.json" with { type: "json" }
import examples from "./generated/openapi-examples.json" with { type: "json" }
import { OPENAPI_TAGS } from "./openapi-tags.ts"
import { serviceEndpoints } from "./service-endpoints.ts"
import { EVENT_SCHEMAS } from "./webhook-events.ts"

/** Writes the OpenAPI document of the service, as JSON. Bundles contain its result instead of this function. */
export function writeOpenApiDocument(): string {
  return JSON.stringify(
    createOpenApiDocument(serviceEndpoints, {
      productVersion: manifest.version,
      tags: OPENAPI_TAGS,
      events: EVENT_SCHEMAS,
      examples,
    }),
  )
}
