import { apiKey, filteredReplySchema, listQuerySchema, readingEndpoint } from "@sealway/http"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import {
  listedSessionSchema,
  SESSION_STATUSES,
  sessionMessagesSchema,
} from "../three-d-secure-sessions/record/session-schema.ts"
import { showListedSession, showMessages } from "../three-d-secure-sessions/record/show-session.ts"
import { listSessions, MAX_SESSIONS_LOOKED_AT } from "../three-d-secure-sessions/steps/list-sessions.ts"
import { requireSession } from "../three-d-secure-sessions/steps/read-session.ts"
import { filteredList, merchantFilterSchema } from "./list-filters.ts"
import { SESSION_GRANTS } from "./session-grants.ts"
import { sessionPathSchema } from "./three-d-secure-parameters.ts"

export const list3dsSessions = readingEndpoint({
  id: "list-3ds-sessions",
  path: "/payments/3ds-sessions",
  tag: "3D Secure",
  summary: "List the app's 3-D Secure sessions",
  description: `${filteredList(MAX_SESSIONS_LOOKED_AT)} Sessions are listed without cryptogram and \`nextAction\`: get a session for these.`,
  auth: [apiKey("threeDSSession:read")],
  request: {
    query: listQuerySchema("tds").extend({
      merchant: merchantFilterSchema,
      status: z.enum(SESSION_STATUSES).optional(),
    }),
  },
  schema: filteredReplySchema(listedSessionSchema, "ThreeDSSessionList"),
  reply: "A page of sessions",
  grants: [
    "dynamodb:GetItem/payments",
    "dynamodb:Query/payments",
    "dynamodb:Query/keys",
    "kms:Decrypt/secret",
  ],
  async read({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const page = await listSessions(dependencies, app, query)
    return { ...page, data: page.data.map(showListedSession) }
  },
})

export const list3dsMessages = readingEndpoint({
  id: "list-3ds-messages",
  path: "/payments/3ds-sessions/{session_id}/messages",
  tag: "3D Secure",
  summary: "List the messages of a 3-D Secure session",
  description:
    "The EMV 3-D Secure messages that were exchanged, in order, without the data that must not be stored.",
  auth: [apiKey("threeDSSession:read")],
  request: { path: sessionPathSchema },
  schema: sessionMessagesSchema,
  reply: "The messages",
  grants: SESSION_GRANTS,
  async read({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return showMessages(await requireSession(dependencies, app, path.session_id))
  },
})
