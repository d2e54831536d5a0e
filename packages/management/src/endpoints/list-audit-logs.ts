import { endpoint, filteredReplySchema, limitSchema, teamKey, timeQuerySchema } from "@sealway/platform"
import { auditRecordSchema } from "@sealway/platform/audit-chain"
import * as z from "zod"
import type { ManagementDependencies } from "../dependencies.ts"
import { pageAuditLog } from "../logs/audit-page.ts"

const querySchema = z.strictObject({
  limit: limitSchema,
  startingAfter: z
    .stringFormat("audit id", /^audit_[0-9]{12}$/)
    .optional()
    .describe("The last id of the page before, or its `continueAfter`"),
  action: z
    .stringFormat("action", /^[a-z.-]{1,60}\*?$/)
    .optional()
    .describe("Only this action, or with a `*` at its end all that begin like it"),
  appId: z.string().max(64).optional().describe("Only what concerns this app"),
  actorId: z.string().max(64).optional().describe("Only what this key, or token, did"),
  from: timeQuerySchema.describe("Epoch milliseconds; only what is not older"),
  to: timeQuerySchema.describe("Epoch milliseconds; only what is older"),
})

const replySchema = filteredReplySchema(auditRecordSchema, "AuditRecordList")

export const listAuditLogs = endpoint({
  id: "list-audit-logs",
  method: "GET",
  path: "/audit-logs",
  tag: "Audit log",
  summary: "List the team's audit log",
  description:
    "Every change of configuration, every refused decryption, and every decryption of a role whose `accessLog` is `strict`: who, what, when, from where, never the data. A page looks at 1,000 records at most, so that a filter can answer a page with few records, or none, that has more behind it: go on with `continueAfter`.",
  auth: [teamKey()],
  request: { path: z.object({}), query: querySchema, headers: z.object({}), body: { kind: "none" } },
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "A page of records" },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/events"],
  async answer({ principal: { team }, query }, { audit }: ManagementDependencies) {
    const { limit, startingAfter, ...filter } = query
    const fromSeq = startingAfter === undefined ? null : Number(startingAfter.slice("audit_".length)) - 1
    return { body: await pageAuditLog(audit.read(team.id, fromSeq), limit, filter) }
  },
})
