import { endpoint, teamKey } from "@sealway/http"
import { TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { MemberDependencies } from "../dependencies.ts"
import { changeRole } from "../roster/manage-members.ts"
import {
  MAX_PARAMETER_BYTES,
  memberPathSchema,
  memberSchema,
  roleSchema,
  showMember,
} from "./member-schema.ts"

export const updateMember = endpoint({
  id: "update-member",
  method: "PATCH",
  path: "/members/{member_id}",
  tag: "Members",
  summary: "Change a member's role",
  description:
    "Ends the member's sessions within 10 seconds. Members need the role `owner` for it. The last owner cannot be given another role.",
  auth: [teamKey("own")],
  reveals: "nothing",
  writes: true,
  request: {
    path: memberPathSchema,
    body: { kind: "object", schema: z.strictObject({ role: roleSchema }), maxBytes: MAX_PARAMETER_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: memberSchema, description: "The member" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/keys", "dynamodb:PutItem/keys", ...TEAM_AUDIT_GRANTS],
  async answer({ principal: { team }, path, body, caller }, dependencies: MemberDependencies) {
    const author = authorOf(caller)
    return { body: showMember(await changeRole(dependencies, team.id, path.member_id, body.role, author)) }
  },
})
