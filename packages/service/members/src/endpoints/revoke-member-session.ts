import { endpoint, idParameter, teamKey } from "@sealway/http"
import { authorOf } from "@sealway/records"
import type { MemberDependencies } from "../dependencies.ts"
import { readRoster } from "../roster/change-roster.ts"
import { requireMember } from "../roster/roster-rules.ts"
import { revokeSession } from "../sessions/manage-sessions.ts"
import { SESSION_GRANTS } from "../sessions/start-session.ts"
import { memberPathSchema } from "./member-schema.ts"

export const revokeMemberSession = endpoint({
  id: "revoke-member-session",
  method: "DELETE",
  path: "/members/{member_id}/sessions/{session_id}",
  tag: "Members",
  summary: "Revoke a member's session",
  description: "Effective everywhere within 10 seconds. Members need the role `owner` for it.",
  auth: [teamKey("own")],
  reveals: "nothing",
  writes: true,
  request: { path: memberPathSchema.extend({ session_id: idParameter("session", "Id of the session") }) },
  status: 204,
  reply: { kind: "none", description: "The session is revoked" },
  errors: ["not-found"],
  grants: SESSION_GRANTS,
  async answer({ principal: { team }, path, caller }, dependencies: MemberDependencies) {
    const { id: memberId } = requireMember(await readRoster(dependencies, team.id), path.member_id)
    await revokeSession(dependencies, team.id, { memberId, id: path.session_id }, authorOf(caller))
    return { body: null }
  },
})
