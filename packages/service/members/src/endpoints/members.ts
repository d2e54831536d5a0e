import {
  deletingEndpoint,
  listQuerySchema,
  listReplySchema,
  pageOf,
  readingEndpoint,
  replyOf,
  teamKey,
} from "@sealway/http"
import { authorOf } from "@sealway/records"
import type { MemberDependencies } from "../dependencies.ts"
import { readRoster } from "../roster/change-roster.ts"
import { removeMember } from "../roster/manage-members.ts"
import { requireMember } from "../roster/roster-rules.ts"
import { SESSION_GRANTS } from "../sessions/start-session.ts"
import { memberPathSchema, memberSchema, showMember } from "./member-schema.ts"

export const listMembers = readingEndpoint({
  id: "list-members",
  path: "/members",
  tag: "Members",
  summary: "List the team's members",
  description: "Newest first. Those who were only invited are not among them.",
  auth: [teamKey()],
  request: { query: listQuerySchema("member") },
  schema: listReplySchema(memberSchema, "MemberList"),
  reply: "A page of members",
  grants: ["dynamodb:GetItem/keys"],
  async read({ principal: { team }, query }, dependencies: MemberDependencies) {
    const { members } = await readRoster(dependencies, team.id)
    return replyOf(pageOf(members, query), showMember)
  },
})

export const getMember = readingEndpoint({
  id: "get-member",
  path: "/members/{member_id}",
  tag: "Members",
  summary: "Get a member",
  description: "A member of the team.",
  auth: [teamKey()],
  request: { path: memberPathSchema },
  schema: memberSchema,
  reply: "The member",
  grants: ["dynamodb:GetItem/keys"],
  async read({ principal: { team }, path }, dependencies: MemberDependencies) {
    return showMember(requireMember(await readRoster(dependencies, team.id), path.member_id))
  },
})

export const deleteMember = deletingEndpoint({
  id: "delete-member",
  path: "/members/{member_id}",
  tag: "Members",
  summary: "Remove a member",
  description:
    "Ends the member's sessions within 10 seconds. Keys that the member created keep working: revoke them separately. Members need the role `owner` for it. The last owner cannot be removed.",
  auth: [teamKey("own")],
  request: { path: memberPathSchema },
  reply: "The member is removed",
  grants: SESSION_GRANTS,
  async remove({ principal: { team }, path, caller }, dependencies: MemberDependencies) {
    await removeMember(dependencies, team.id, path.member_id, authorOf(caller))
  },
})
