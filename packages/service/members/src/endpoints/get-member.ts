import { endpoint, teamKey } from "@sealway/http"
import type { MemberDependencies } from "../dependencies.ts"
import { readRoster } from "../roster/change-roster.ts"
import { requireMember } from "../roster/roster-rules.ts"
import { memberPathSchema, memberSchema, showMember } from "./member-schema.ts"

export const getMember = endpoint({
  id: "get-member",
  method: "GET",
  path: "/members/{member_id}",
  tag: "Members",
  summary: "Get a member",
  description: "A member of the team.",
  auth: [teamKey()],
  reveals: "nothing",
  request: { path: memberPathSchema },
  status: 200,
  reply: { kind: "object", schema: memberSchema, description: "The member" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/keys"],
  async answer({ principal: { team }, path }, dependencies: MemberDependencies) {
    return { body: showMember(requireMember(await readRoster(dependencies, team.id), path.member_id)) }
  },
})
