import { endpoint, session } from "@sealway/http"
import type { MemberDependencies } from "../dependencies.ts"
import { readRoster } from "../roster/change-roster.ts"
import { openSessions } from "../sessions/manage-sessions.ts"
import { sessionsReplySchema, showSession } from "./member-schema.ts"

export const listSessions = endpoint({
  id: "list-sessions",
  method: "GET",
  path: "/sessions",
  tag: "Members",
  summary: "List your sessions",
  description: "Those of the member who is signed in, on all browsers.",
  auth: [session()],
  reveals: "nothing",
  status: 200,
  reply: { kind: "object", schema: sessionsReplySchema, description: "The sessions" },
  errors: [],
  grants: ["dynamodb:GetItem/keys"],
  async answer({ principal: { team, member } }, dependencies: MemberDependencies) {
    const roster = await readRoster(dependencies, team.id)
    return {
      body: { data: (await openSessions(dependencies, roster, member.id)).map(showSession), hasMore: false },
    }
  },
})
