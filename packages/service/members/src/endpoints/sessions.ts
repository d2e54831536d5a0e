import { deletingEndpoint, idParameter, readingEndpoint, session, teamKey } from "@sealway/http"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { MemberDependencies } from "../dependencies.ts"
import { readRoster } from "../roster/change-roster.ts"
import { requireMember } from "../roster/roster-rules.ts"
import { openSessions, revokeSession as revoke } from "../sessions/manage-sessions.ts"
import { SESSION_GRANTS } from "../sessions/start-session.ts"
import { memberPathSchema, sessionsReplySchema, showSession } from "./member-schema.ts"

export const listSessions = readingEndpoint({
  id: "list-sessions",
  path: "/sessions",
  tag: "Members",
  summary: "List your sessions",
  description: "Those of the member who is signed in, on all browsers.",
  auth: [session()],
  schema: sessionsReplySchema,
  reply: "The sessions",
  grants: ["dynamodb:GetItem/keys"],
  async read({ principal: { team, member } }, dependencies: MemberDependencies) {
    const roster = await readRoster(dependencies, team.id)
    return { data: (await openSessions(dependencies, roster, member.id)).map(showSession), hasMore: false }
  },
})

export const listMemberSessions = readingEndpoint({
  id: "list-member-sessions",
  path: "/members/{member_id}/sessions",
  tag: "Members",
  summary: "List a member's sessions",
  description:
    "Those that are not over. Members need the role `owner` for it; `GET /sessions` lists their own.",
  auth: [teamKey("own", "own")],
  request: { path: memberPathSchema },
  schema: sessionsReplySchema,
  reply: "The sessions",
  grants: ["dynamodb:GetItem/keys"],
  async read({ principal: { team }, path }, dependencies: MemberDependencies) {
    const roster = await readRoster(dependencies, team.id)
    const { id } = requireMember(roster, path.member_id)
    return { data: (await openSessions(dependencies, roster, id)).map(showSession), hasMore: false }
  },
})

export const revokeSession = deletingEndpoint({
  id: "revoke-session",
  path: "/sessions/{session_id}",
  tag: "Members",
  summary: "Revoke one of your sessions",
  description: "One of the member who is signed in. Effective everywhere within 10 seconds.",
  auth: [session()],
  request: { path: z.object({ session_id: idParameter("session", "Id of the session") }) },
  reply: "The session is revoked",
  errors: ["not-found"],
  grants: SESSION_GRANTS,
  async remove({ principal: { team, member }, path, caller }, dependencies: MemberDependencies) {
    const session = { memberId: member.id, id: path.session_id }
    await revoke(dependencies, team.id, session, authorOf(caller))
  },
})

export const revokeMemberSession = deletingEndpoint({
  id: "revoke-member-session",
  path: "/members/{member_id}/sessions/{session_id}",
  tag: "Members",
  summary: "Revoke a member's session",
  description: "Effective everywhere within 10 seconds. Members need the role `owner` for it.",
  auth: [teamKey("own")],
  request: { path: memberPathSchema.extend({ session_id: idParameter("session", "Id of the session") }) },
  reply: "The session is revoked",
  errors: ["not-found"],
  grants: SESSION_GRANTS,
  async remove({ principal: { team }, path, caller }, dependencies: MemberDependencies) {
    const { id: memberId } = requireMember(await readRoster(dependencies, team.id), path.member_id)
    await revoke(dependencies, team.id, { memberId, id: path.session_id }, authorOf(caller))
  },
})
