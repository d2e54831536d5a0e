import { apiKey, endpoint } from "@sealway/http"
import type { FormatDependencies } from "../dependencies.ts"
import { requireFormat } from "../management/manage-formats.ts"
import { formatPathSchema, formatSchema, showFormat } from "./format-schema.ts"

export const getFormat = endpoint({
  id: "get-format",
  method: "GET",
  path: "/formats/{format_id}",
  tag: "Formats",
  summary: "Get a format",
  description: "By its id or its name.",
  auth: [apiKey("format:read")],
  reveals: "nothing",
  request: { path: formatPathSchema },
  status: 200,
  reply: { kind: "object", schema: formatSchema, description: "The format" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/config"],
  async answer({ principal: { app }, path }, dependencies: FormatDependencies) {
    return { body: showFormat(await requireFormat(dependencies, app, path.format_id)) }
  },
})
