import { endpoint, teamKey } from "@sealway/http"
import { TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { MemberDependencies } from "../dependencies.ts"
import { emailSchema } from "../roster/email-address.ts"
import { invite } from "../roster/manage-members.ts"
import { invitationSchema, MAX_PARAMETER_BYTES, roleSchema, showInvitation } from "./member-schema.ts"

export const createInvitation = endpoint({
  id: "create-invitation",
  method: "POST",
  path: "/invitations",
  tag: "Members",
  summary: "Invite somebody",
  description:
    "Whoever signs in within 7 days with an account of this e-mail address, which the identity provider has verified, becomes a member. Nothing is sent: tell them. Members need the role `owner` for it.",
  auth: [teamKey("own")],
  reveals: "nothing",
  writes: true,
  request: {
    body: {
      kind: "object",
      schema: z.strictObject({ email: emailSchema, role: roleSchema }),
      maxBytes: MAX_PARAMETER_BYTES,
    },
  },
  status: 201,
  reply: { kind: "object", schema: invitationSchema, description: "The invitation" },
  errors: ["conflict"],
  grants: ["dynamodb:GetItem/keys", "dynamodb:PutItem/keys", ...TEAM_AUDIT_GRANTS],
  async answer({ principal: { team }, body, caller }, dependencies: MemberDependencies) {
    return { body: showInvitation(await invite(dependencies, team.id, body, authorOf(caller))) }
  },
})
