import { endpoint, listQuerySchema, listReplySchema, pageOf, replyOf, teamKey } from "@sealway/http"
import type { MemberDependencies } from "../dependencies.ts"
import { readRoster } from "../roster/change-roster.ts"
import { invitationSchema, showInvitation } from "./member-schema.ts"

export const listInvitations = endpoint({
  id: "list-invitations",
  method: "GET",
  path: "/invitations",
  tag: "Members",
  summary: "List the open invitations",
  description: "Newest first. Accepted, revoked and expired ones are not among them.",
  auth: [teamKey()],
  reveals: "nothing",
  request: { query: listQuerySchema("invitation") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(invitationSchema, "InvitationList"),
    description: "A page of invitations",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:GetItem/keys"],
  async answer({ principal: { team }, query }, dependencies: MemberDependencies) {
    const nowMs = dependencies.wallClock()
    const { invitations } = await readRoster(dependencies, team.id)
    const open = invitations.filter(({ expiresAt }) => nowMs < expiresAt)
    return { body: replyOf(pageOf(open, query), showInvitation) }
  },
})
