import { endpoint, idParameter, teamKey } from "@sealway/http"
import { TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { MemberDependencies } from "../dependencies.ts"
import { revokeInvitation as revoke } from "../roster/manage-members.ts"

export const revokeInvitation = endpoint({
  id: "revoke-invitation",
  method: "DELETE",
  path: "/invitations/{invitation_id}",
  tag: "Members",
  summary: "Revoke an invitation",
  description: "It can no longer be accepted. Members need the role `owner` for it.",
  auth: [teamKey("own")],
  reveals: "nothing",
  writes: true,
  request: { path: z.object({ invitation_id: idParameter("invitation", "Id of the invitation") }) },
  status: 204,
  reply: { kind: "none", description: "The invitation is revoked" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/keys", "dynamodb:PutItem/keys", ...TEAM_AUDIT_GRANTS],
  async answer({ principal: { team }, path, caller }, dependencies: MemberDependencies) {
    await revoke(dependencies, team.id, path.invitation_id, authorOf(caller))
    return { body: null }
  },
})
