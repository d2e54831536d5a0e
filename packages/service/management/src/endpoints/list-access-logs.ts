import { apiKey, filteredReplySchema, listQuerySchema, readingEndpoint, timeQuerySchema } from "@sealway/http"
import { accessRecordSchema } from "@sealway/records"
import * as z from "zod"
import type { ManagementDependencies } from "../dependencies.ts"
import { pageAccessLog } from "../logs/access-page.ts"

const querySchema = listQuerySchema("access").extend({
  role: z.string().max(20).optional().describe("Only decryptions of values of this data role, by its slug"),
  keyId: z
    .string()
    .max(64)
    .optional()
    .describe(
      "Only requests of this API key or token. For a key, includes requests of the tokens that it issued",
    ),
  from: timeQuerySchema.describe("Epoch milliseconds. Only records from this time on"),
  to: timeQuerySchema.describe("Epoch milliseconds. Only records before this time"),
})

export const listAccessLogs = readingEndpoint({
  id: "list-access-logs",
  path: "/access-logs",
  tag: "Access log",
  summary: "List who decrypted what",
  description:
    "One record for each successful decryption of the app's values: who, when, from where, through which source, and how many values of which data roles. Records never contain a value, a path or a token. They appear about a second after the decryption on one machine, and usually within a minute in the cloud. One page searches at most 5,000 records. With a filter, a page can therefore be short or empty although more records follow: continue with `continueAfter`.",
  auth: [apiKey("accessLog:read")],
  request: { query: querySchema },
  schema: filteredReplySchema(accessRecordSchema, "AccessRecordList"),
  reply: "A page of records",
  grants: ["dynamodb:Query/events"],
  async read({ principal: { app }, query }, { eventsTable }: ManagementDependencies) {
    return await pageAccessLog(eventsTable, app, query)
  },
})
