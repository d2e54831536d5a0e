import {
  accessRecordSchema,
  apiKey,
  endpoint,
  filteredReplySchema,
  listQuerySchema,
  timeQuerySchema,
} from "@sealway/platform"
import * as z from "zod"
import type { ManagementDependencies } from "../dependencies.ts"
import { pageAccessLog } from "../logs/access-page.ts"

const querySchema = listQuerySchema("access").extend({
  role: z.string().max(20).optional().describe("Only decryptions of values of this data role, by its slug"),
  keyId: z
    .string()
    .max(64)
    .optional()
    .describe("Only what this API key or token asked for; of a key, also what the tokens that it issued did"),
  from: timeQuerySchema.describe("Epoch milliseconds; only what is not older"),
  to: timeQuerySchema.describe("Epoch milliseconds; only what is older"),
})

export const listAccessLogs = endpoint({
  id: "list-access-logs",
  method: "GET",
  path: "/access-logs",
  tag: "Access log",
  summary: "List who decrypted what",
  description:
    "One record for each successful decryption of the app's values: who, when, from where, by which way, and how many values of which data roles; never a value, a path or a token. Records are listed about a second after the decryption on one machine, and usually within a minute in the cloud. A page looks at 5,000 records at most, so that a filter can answer a page with few records, or none, that has more behind it: go on with `continueAfter`.",
  auth: [apiKey("accessLog:read")],
  request: { path: z.object({}), query: querySchema, headers: z.object({}), body: { kind: "none" } },
  status: 200,
  reply: {
    kind: "object",
    schema: filteredReplySchema(accessRecordSchema, "AccessRecordList"),
    description: "A page of records",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/events"],
  async answer({ principal: { app }, query }, { eventsTable }: ManagementDependencies) {
    return { body: await pageAccessLog(eventsTable, app, query) }
  },
})
