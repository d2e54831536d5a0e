import { apiKey, endpoint } from "@sealway/http"
import * as z from "zod"
import { CEDAR_SCHEMA } from "../cedar/schema.ts"
import type { PolicyDependencies } from "../dependencies.ts"

export const getPolicySchema = endpoint({
  id: "get-data-policy-schema",
  method: "GET",
  path: "/data-policies/schema",
  tag: "Data policies",
  summary: "Get the Cedar schema of data policies",
  description: "Policies written in Cedar are validated against this schema when they are saved.",
  auth: [apiKey("dataPolicy:read")],
  reveals: "nothing",
  status: 200,
  reply: {
    kind: "object",
    schema: z.object({ schema: z.string().describe("In Cedar's schema syntax") }),
    description: "The schema",
  },
  errors: [],
  grants: [],
  answer: (_request, _dependencies: PolicyDependencies) => ({ body: { schema: CEDAR_SCHEMA } }),
})
