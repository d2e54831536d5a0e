import { listQuerySchema, listReplySchema, pageOf, readingEndpoint, replyOf, teamKey } from "@sealway/http"
import type { MemberDependencies } from "../dependencies.ts"
import { readRoster } from "../roster/change-roster.ts"
import { invitationSchema, showInvitation } from "./member-schema.ts"

export const listInvitations = readingEndpoint({
  id: "list-invitations",
  path: "/invitations",
  tag: "Members",
  summary: "List the open invitations",
  description: "Newest first. Accepted, revoked and expired ones are not among them.",
  auth: [teamKey()],
  request: { query: listQuerySchema("invitation") },
  schema: listReplySchema(invitationSchema, "InvitationList"),
  reply: "A page of invitations",
  grants: ["dynamodb:GetItem/keys"],
  async read({ principal: { team }, query }, dependencies: MemberDependencies) {
    const nowMs = dependencies.wallClock()
    const { invitations } = await readRoster(dependencies, team.id)
    const open = invitations.filter(({ expiresAt }) => nowMs < expiresAt)
    return replyOf(pageOf(open, query), showInvitation)
  },
})
