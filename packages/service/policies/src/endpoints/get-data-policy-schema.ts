import { apiKey, readingEndpoint } from "@sealway/http"
import * as z from "zod"
import { CEDAR_SCHEMA } from "../cedar/schema.ts"
import type { PolicyDependencies } from "../dependencies.ts"

export const getPolicySchema = readingEndpoint({
  id: "get-data-policy-schema",
  path: "/data-policies/schema",
  tag: "Data policies",
  summary: "Get the Cedar schema of data policies",
  description: "Policies written in Cedar are validated against this schema when they are saved.",
  auth: [apiKey("dataPolicy:read")],
  schema: z.object({ schema: z.string().describe("In Cedar's schema syntax") }),
  reply: "The schema",
  grants: [],
  read: (_request, _dependencies: PolicyDependencies) => ({ schema: CEDAR_SCHEMA }),
})
