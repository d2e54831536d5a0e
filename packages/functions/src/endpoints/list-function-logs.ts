import { apiKey, countParameter, endpoint } from "@sealway/platform"
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
    .describe("Epoch milliseconds; an hour ago when absent"),
  limit: countParameter(MAX_LINES, DEFAULT_LINES),
  after: z
    .stringFormat("page", /^[\x21-\x7e]{1,4096}$/)
    .optional()
    .describe("`continueAfter` of the page before"),
})

const replySchema = z
  .object({
    data: z
      .array(z.object({ at: z.int().describe("Epoch milliseconds"), message: z.string() }))
      .describe("Oldest first"),
    continueAfter: z.string().nullable().describe("What `after` is to be for the next page; null for none"),
  })
  .meta({ id: "FunctionLogs" })

export const listFunctionLogs = endpoint({
  id: "list-function-logs",
  method: "GET",
  path: "/functions/{function_name}/logs",
  tag: "Functions",
  summary: "List what a function has printed",
  description:
    "Of the deployment that serves. What a function prints is not sealed: it is not to print what it was given. A page may be empty and have more behind it.",
  auth: [apiKey("functionLog:list")],
  request: {
    path: functionPathSchema,
    query: querySchema,
    headers: z.object({}),
    body: { kind: "none" },
  },
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "A page of lines" },
  errors: ["not-found", "invalid-request"],
  grants: ["dynamodb:GetItem/config", "logs:FilterLogEvents"],
  async answer({ principal: { app }, path, query }, dependencies: FunctionDependencies) {
    const { host, wallClock } = dependencies
    const { active, latest } = await requireFunction(dependencies, app, path.function_name)
    const { since = wallClock() - HOUR_MS, limit, after = null } = query
    const { lines, next } = await host.logs((active ?? latest).programName, since, limit, after)
    return { body: { data: [...lines], continueAfter: next } }
  },
})
