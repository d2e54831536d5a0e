import { apiKey, endpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { sessionSchema } from "../three-d-secure-sessions/record/session-schema.ts"
import { showSession } from "../three-d-secure-sessions/record/show-session.ts"
import { answerSession, requireSession } from "../three-d-secure-sessions/steps/read-session.ts"
import { SESSION_GRANTS } from "./session-grants.ts"
import { sessionPathSchema } from "./three-d-secure-parameters.ts"

export const get3dsSession = endpoint({
  id: "get-3ds-session",
  method: "GET",
  path: "/payments/3ds-sessions/{session_id}",
  tag: "3D Secure",
  summary: "Get a 3-D Secure session",
  description: "With its cryptogram, a credential to pay, for one hour after it has succeeded.",
  auth: [apiKey("threeDSSession:read")],
  reveals: "credentials-for-keys",
  request: { path: sessionPathSchema },
  status: 200,
  reply: { kind: "object", schema: sessionSchema, description: "The session" },
  errors: ["not-found"],
  grants: SESSION_GRANTS,
  async answer({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    const session = await requireSession(dependencies, app, path.session_id)
    if (caller.actor?.type === "member") return { body: showSession(session, null) }
    return { body: await answerSession(dependencies, app, session) }
  },
})
