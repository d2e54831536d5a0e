import {
  deletingEndpoint,
  idParameter,
  listQuerySchema,
  listReplySchema,
  pageOf,
  readingEndpoint,
  replyOf,
  teamKey,
} from "@sealway/http"
import { TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { MemberDependencies } from "../dependencies.ts"
import { readRoster } from "../roster/change-roster.ts"
import { revokeInvitation as revoke } from "../roster/manage-members.ts"
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

export const revokeInvitation = deletingEndpoint({
  id: "revoke-invitation",
  path: "/invitations/{invitation_id}",
  tag: "Members",
  summary: "Revoke an invitation",
  description: "It can no longer be accepted. Members need the role `owner` for it.",
  auth: [teamKey("own")],
  request: { path: z.object({ invitation_id: idParameter("invitation", "Id of the invitation") }) },
  reply: "The invitation is revoked",
  grants: ["dynamodb:GetItem/keys", "dynamodb:PutItem/keys", ...TEAM_AUDIT_GRANTS],
  async remove({ principal: { team }, path, caller }, dependencies: MemberDependencies) {
    await revoke(dependencies, team.id, path.invitation_id, authorOf(caller))
  },
})
