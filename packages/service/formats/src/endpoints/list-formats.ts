import { apiKey, listQuerySchema, listReplySchema, pageOf, readingEndpoint, replyOf } from "@sealway/http"
import type { FormatDependencies } from "../dependencies.ts"
import { formatRecords } from "../records/format-table.ts"
import { formatSchema, showFormat } from "./format-schema.ts"

export const listFormats = readingEndpoint({
  id: "list-formats",
  path: "/formats",
  tag: "Formats",
  summary: "List the app's formats",
  description: "Newest first, archived ones included.",
  auth: [apiKey("format:list")],
  request: { query: listQuerySchema("format") },
  schema: listReplySchema(formatSchema, "FormatList"),
  reply: "A page of formats",
  grants: ["dynamodb:Query/config"],
  async read({ principal: { app }, query }, { configTable }: FormatDependencies) {
    return replyOf(pageOf(await formatRecords.list(configTable, app.id), query), showFormat)
  },
})
