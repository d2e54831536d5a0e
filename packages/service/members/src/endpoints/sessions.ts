import { readingEndpoint, session, teamKey } from "@sealway/http"
import type { MemberDependencies } from "../dependencies.ts"
import { readRoster } from "../roster/change-roster.ts"
import { requireMember } from "../roster/roster-rules.ts"
import { openSessions } from "../sessions/manage-sessions.ts"
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
