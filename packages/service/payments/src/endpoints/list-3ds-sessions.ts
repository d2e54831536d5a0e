import { apiKey, endpoint, filteredReplySchema, listQuerySchema } from "@sealway/http"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import {
  listedSessionSchema,
  SESSION_STATUSES,
  showListedSession,
} from "../three-d-secure-sessions/record/show-session.ts"
import { listSessions, MAX_SESSIONS_LOOKED_AT } from "../three-d-secure-sessions/steps/list-sessions.ts"
import { filteredList, merchantFilterSchema } from "./list-filters.ts"

export const list3dsSessions = endpoint({
  id: "list-3ds-sessions",
  method: "GET",
  path: "/payments/3ds-sessions",
  tag: "3D Secure",
  summary: "List the app's 3-D Secure sessions",
  description: `${filteredList(MAX_SESSIONS_LOOKED_AT)} Sessions are listed without cryptogram and \`nextAction\`: get a session for these.`,
  auth: [apiKey("threeDSSession:read")],
  reveals: "nothing",
  request: {
    query: listQuerySchema("tds").extend({
      merchant: merchantFilterSchema,
      status: z.enum(SESSION_STATUSES).optional(),
    }),
  },
  status: 200,
  reply: {
    kind: "object",
    schema: filteredReplySchema(listedSessionSchema, "ThreeDSSessionList"),
    description: "A page of sessions",
  },
  errors: ["invalid-request"],
  grants: [
    "dynamodb:GetItem/payments",
    "dynamodb:Query/payments",
    "dynamodb:Query/keys",
    "kms:Decrypt/secret",
  ],
  async answer({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const page = await listSessions(dependencies, app, query)
    return { body: { ...page, data: page.data.map(showListedSession) } }
  },
})
