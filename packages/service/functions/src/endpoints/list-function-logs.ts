import { apiKey, countParameter, endpoint } from "@sealway/http"
import { invalidField } from "@sealway/kernel"
import * as z from "zod"
import type { FunctionDependencies } from "../dependencies.ts"
import { requireFunction } from "../deploy/manage-functions.ts"
import { functionPathSchema } from "./function-schema.ts"

const HOUR_MS = 60 * 60_000
const MAX_LINES = 1_000
const DEFAULT_LINES = 100

const querySchema = z.strictObject({
  since: z
    .stringFormat("time", /^[0-9]{1,15}$/)
    .transform(Number)
    .optional()
    .describe("Epoch milliseconds. Default: one hour ago"),
  limit: countParameter(MAX_LINES, DEFAULT_LINES),
  after: z
    .stringFormat("page", /^[\x21-\x7e]{1,4096}$/)
    .optional()
    .describe("`continueAfter` of the previous page"),
})

const replySchema = z
  .object({
    data: z
      .array(z.object({ at: z.int().describe("Epoch milliseconds"), message: z.string() }))
      .describe("Oldest first"),
    continueAfter: z.string().nullable().describe("The `after` of the next page; null on the last page"),
  })
  .meta({ id: "FunctionLogs" })

export const listFunctionLogs = endpoint({
  id: "list-function-logs",
  method: "GET",
  path: "/functions/{function_name}/logs",
  tag: "Functions",
  summary: "List a function's logs",
  description:
    "Output of the active deployment. Logs are not encrypted, so a function must not print its payload. A page may be empty although more lines follow.",
  auth: [apiKey("functionLog:list")],
  reveals: "logs",
  request: { path: functionPathSchema, query: querySchema },
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "A page of lines" },
  errors: ["not-found", "invalid-request"],
  grants: ["dynamodb:GetItem/config", "logs:FilterLogEvents"],
  async answer({ principal: { app }, path, query }, dependencies: FunctionDependencies) {
    const { host, wallClock } = dependencies
    const { active, latest } = await requireFunction(dependencies, app, path.function_name)
    const { since = wallClock() - HOUR_MS, limit, after = null } = query
    const page = await host.logs((active ?? latest).programName, since, limit, after)
    if (page === null) throw invalidField("/query/after", "There is no such page.")
    return { body: { data: [...page.lines], continueAfter: page.next } }
  },
})
