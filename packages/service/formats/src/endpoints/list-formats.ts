import { apiKey, endpoint, listQuerySchema, listReplySchema, pageOf, replyOf } from "@sealway/http"
import type { FormatDependencies } from "../dependencies.ts"
import { formatRecords } from "../records/format-table.ts"
import { formatSchema, showFormat } from "./format-schema.ts"

export const listFormats = endpoint({
  id: "list-formats",
  method: "GET",
  path: "/formats",
  tag: "Formats",
  summary: "List the app's formats",
  description: "Newest first, archived ones included.",
  auth: [apiKey("format:list")],
  reveals: "nothing",
  request: { query: listQuerySchema("format") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(formatSchema, "FormatList"),
    description: "A page of formats",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/config"],
  async answer({ principal: { app }, query }, { configTable }: FormatDependencies) {
    return { body: replyOf(pageOf(await formatRecords.list(configTable, app.id), query), showFormat) }
  },
})
