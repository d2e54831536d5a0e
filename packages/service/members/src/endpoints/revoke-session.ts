import { endpoint, idParameter, session } from "@sealway/http"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { MemberDependencies } from "../dependencies.ts"
import { revokeSession as revoke } from "../sessions/manage-sessions.ts"
import { SESSION_GRANTS } from "../sessions/start-session.ts"

export const revokeSession = endpoint({
  id: "revoke-session",
  method: "DELETE",
  path: "/sessions/{session_id}",
  tag: "Members",
  summary: "Revoke one of your sessions",
  description: "One of the member who is signed in. Effective everywhere within 10 seconds.",
  auth: [session()],
  reveals: "nothing",
  writes: true,
  request: { path: z.object({ session_id: idParameter("session", "Id of the session") }) },
  status: 204,
  reply: { kind: "none", description: "The session is revoked" },
  errors: ["not-found"],
  grants: SESSION_GRANTS,
  async answer({ principal: { team, member }, path, caller }, dependencies: MemberDependencies) {
    const session = { memberId: member.id, id: path.session_id }
    await revoke(dependencies, team.id, session, authorOf(caller))
    return { body: null }
  },
})
