import { apiKey, endpoint } from "@sealway/http"
import { USE_GRANTS } from "@sealway/policies"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { FormatDependencies } from "../dependencies.ts"
import { addFormat } from "../management/manage-formats.ts"
import { FORMAT_KEY_GRANTS } from "../values/format-versions.ts"
import { formatInputSchema, formatSchema, MAX_FORMAT_BYTES, readLayout, showFormat } from "./format-schema.ts"

export const createFormat = endpoint({
  id: "create-format",
  method: "POST",
  path: "/formats",
  tag: "Formats",
  summary: "Create a format",
  description:
    "A format says how values look, and how much of them its tokens keep. What is encrypted must have a million texts or more, so that it cannot be found by trying. Only the description can be changed later.",
  auth: [apiKey("format:create")],
  reveals: "nothing",
  writes: true,
  request: { body: { kind: "object", schema: formatInputSchema, maxBytes: MAX_FORMAT_BYTES } },
  status: 201,
  reply: { kind: "object", schema: formatSchema, description: "The format" },
  errors: ["conflict"],
  grants: [
    ...FORMAT_KEY_GRANTS,
    ...USE_GRANTS,
    "dynamodb:Query/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, body, caller }, dependencies: FormatDependencies) {
    const { name, role, description, versioned } = body
    const given = { name, role, description, versioned, layout: readLayout(body) }
    return { body: showFormat(await addFormat(dependencies, app, given, authorOf(caller))) }
  },
})
