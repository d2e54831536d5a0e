import { endpoint, listQuerySchema, listReplySchema, pageOf, replyOf, teamKey } from "@sealway/http"
import type { MemberDependencies } from "../dependencies.ts"
import { readRoster } from "../roster/change-roster.ts"
import { memberSchema, showMember } from "./member-schema.ts"

export const listMembers = endpoint({
  id: "list-members",
  method: "GET",
  path: "/members",
  tag: "Members",
  summary: "List the team's members",
  description: "Newest first. Those who were only invited are not among them.",
  auth: [teamKey()],
  reveals: "nothing",
  request: { query: listQuerySchema("member") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(memberSchema, "MemberList"),
    description: "A page of members",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:GetItem/keys"],
  async answer({ principal: { team }, query }, dependencies: MemberDependencies) {
    const { members } = await readRoster(dependencies, team.id)
    return { body: replyOf(pageOf(members, query), showMember) }
  },
})
