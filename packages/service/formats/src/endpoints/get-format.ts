import { apiKey, readingEndpoint } from "@sealway/http"
import type { FormatDependencies } from "../dependencies.ts"
import { requireFormat } from "../management/manage-formats.ts"
import { formatPathSchema, formatSchema, showFormat } from "./format-schema.ts"

export const getFormat = readingEndpoint({
  id: "get-format",
  path: "/formats/{format_id}",
  tag: "Formats",
  summary: "Get a format",
  description: "By its id or its name.",
  auth: [apiKey("format:read")],
  request: { path: formatPathSchema },
  schema: formatSchema,
  reply: "The format",
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/config"],
  async read({ principal: { app }, path }, dependencies: FormatDependencies) {
    return showFormat(await requireFormat(dependencies, app, path.format_id))
  },
})
