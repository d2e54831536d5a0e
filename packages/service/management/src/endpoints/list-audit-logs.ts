import { filteredReplySchema, limitSchema, readingEndpoint, teamKey, timeQuerySchema } from "@sealway/http"
import { auditRecordSchema } from "@sealway/records/audit-chain"
import * as z from "zod"
import type { ManagementDependencies } from "../dependencies.ts"
import { pageAuditLog } from "../logs/audit-page.ts"

const querySchema = z.strictObject({
  limit: limitSchema,
  startingAfter: z
    .stringFormat("audit id", /^audit_[0-9]{12}$/)
    .optional()
    .describe("The last id of the previous page, or its `continueAfter`"),
  action: z
    .stringFormat("action", /^[a-z.-]{1,60}\*?$/)
    .optional()
    .describe("Only this action; with a `*` at the end, all actions with this prefix"),
  appId: z.string().max(64).optional().describe("Only records that concern this app"),
  actorId: z.string().max(64).optional().describe("Only actions of this key or token"),
  from: timeQuerySchema.describe("Epoch milliseconds. Only records from this time on"),
  to: timeQuerySchema.describe("Epoch milliseconds. Only records before this time"),
})

const replySchema = filteredReplySchema(auditRecordSchema, "AuditRecordList")

export const listAuditLogs = readingEndpoint({
  id: "list-audit-logs",
  path: "/audit-logs",
  tag: "Audit log",
  summary: "List the team's audit log",
  description:
    "Every change of configuration, every refused decryption, and every decryption of a role whose `accessLog` is `strict`: who, what, when, from where, never the data. One page searches at most 1,000 records. With a filter, a page can therefore be short or empty although more records follow: continue with `continueAfter`.",
  auth: [teamKey()],
  request: { query: querySchema },
  schema: replySchema,
  reply: "A page of records",
  grants: ["dynamodb:Query/audit"],
  async read({ principal: { team }, query }, { audit }: ManagementDependencies) {
    const { limit, startingAfter, ...filter } = query
    const fromSeq = startingAfter === undefined ? null : Number(startingAfter.slice("audit_".length)) - 1
    return await pageAuditLog(audit.read(team.id, fromSeq), limit, filter)
  },
})
