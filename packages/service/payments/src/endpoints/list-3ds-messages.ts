import { apiKey, endpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { sessionMessagesSchema, showMessages } from "../three-d-secure-sessions/record/show-session.ts"
import { requireSession } from "../three-d-secure-sessions/steps/read-session.ts"
import { SESSION_GRANTS } from "./session-grants.ts"
import { sessionPathSchema } from "./three-d-secure-parameters.ts"

export const list3dsMessages = endpoint({
  id: "list-3ds-messages",
  method: "GET",
  path: "/payments/3ds-sessions/{session_id}/messages",
  tag: "3D Secure",
  summary: "List the messages of a 3-D Secure session",
  description:
    "The EMV 3-D Secure messages that were exchanged, in order, without the data that must not be stored.",
  auth: [apiKey("threeDSSession:read")],
  reveals: "nothing",
  request: { path: sessionPathSchema },
  status: 200,
  reply: { kind: "object", schema: sessionMessagesSchema, description: "The messages" },
  errors: ["not-found"],
  grants: SESSION_GRANTS,
  async answer({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return { body: showMessages(await requireSession(dependencies, app, path.session_id)) }
  },
})
