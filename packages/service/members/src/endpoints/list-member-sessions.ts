import { endpoint, teamKey } from "@sealway/http"
import type { MemberDependencies } from "../dependencies.ts"
import { readRoster } from "../roster/change-roster.ts"
import { requireMember } from "../roster/roster-rules.ts"
import { openSessions } from "../sessions/manage-sessions.ts"
import { memberPathSchema, sessionsReplySchema, showSession } from "./member-schema.ts"

export const listMemberSessions = endpoint({
  id: "list-member-sessions",
  method: "GET",
  path: "/members/{member_id}/sessions",
  tag: "Members",
  summary: "List a member's sessions",
  description:
    "Those that are not over. Members need the role `owner` for it; `GET /sessions` lists their own.",
  auth: [teamKey("own", "own")],
  reveals: "nothing",
  request: { path: memberPathSchema },
  status: 200,
  reply: { kind: "object", schema: sessionsReplySchema, description: "The sessions" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/keys"],
  async answer({ principal: { team }, path }, dependencies: MemberDependencies) {
    const roster = await readRoster(dependencies, team.id)
    const { id } = requireMember(roster, path.member_id)
    return { body: { data: (await openSessions(dependencies, roster, id)).map(showSession), hasMore: false } }
  },
})
