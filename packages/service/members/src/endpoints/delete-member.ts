import { endpoint, teamKey } from "@sealway/http"
import { authorOf } from "@sealway/records"
import type { MemberDependencies } from "../dependencies.ts"
import { removeMember } from "../roster/manage-members.ts"
import { SESSION_GRANTS } from "../sessions/start-session.ts"
import { memberPathSchema } from "./member-schema.ts"

export const deleteMember = endpoint({
  id: "delete-member",
  method: "DELETE",
  path: "/members/{member_id}",
  tag: "Members",
  summary: "Remove a member",
  description:
    "Ends the member's sessions within 10 seconds. Keys that the member created keep working: revoke them separately. Members need the role `owner` for it. The last owner cannot be removed.",
  auth: [teamKey("own")],
  reveals: "nothing",
  writes: true,
  request: { path: memberPathSchema },
  status: 204,
  reply: { kind: "none", description: "The member is removed" },
  errors: ["not-found", "conflict"],
  grants: SESSION_GRANTS,
  async answer({ principal: { team }, path, caller }, dependencies: MemberDependencies) {
    await removeMember(dependencies, team.id, path.member_id, authorOf(caller))
    return { body: null }
  },
})
