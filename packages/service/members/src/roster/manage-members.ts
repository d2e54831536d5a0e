import { type Invitation, type Member, type MemberRole, removeSessions } from "@sealway/accounts"
import type { Platform } from "@sealway/http"
import type { AuditAuthor } from "@sealway/records"
import { type RosterDependencies, readRoster, saveRoster } from "./change-roster.ts"
import {
  requireInvitation,
  requireMember,
  withInvitation,
  withoutInvitation,
  withoutMember,
  withRole,
} from "./roster-rules.ts"

/** How long an invitation can be accepted. */
const INVITATION_MS = 7 * 24 * 60 * 60_000

type ManagingDependencies = RosterDependencies & Pick<Platform, "draws" | "wallClock">

/** Invites somebody by e-mail address. @throws ConflictError, see `withInvitation` */
export async function invite(
  dependencies: ManagingDependencies,
  teamId: string,
  { email, role }: Pick<Invitation, "email" | "role">,
  author: AuditAuthor,
): Promise<Invitation> {
  const createdAt = dependencies.wallClock()
  const invitation: Invitation = {
    id: dependencies.draws.newId("invitation", createdAt),
    email,
    role,
    invitedBy: author.actor,
    createdAt,
    expiresAt: createdAt + INVITATION_MS,
  }
  const roster = withInvitation(await readRoster(dependencies, teamId), invitation, createdAt)
  const entry = entryOf(teamId, "invitation.create", { type: "invitation", id: invitation.id }, author)
  await saveRoster(dependencies, { ...entry, details: { email, role } }, roster)
  return invitation
}

/** Revokes an invitation. @throws NotFoundError when the team has none with that id */
export async function revokeInvitation(
  dependencies: RosterDependencies,
  teamId: string,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const roster = await readRoster(dependencies, teamId)
  const { email } = requireInvitation(roster, id)
  const entry = entryOf(teamId, "invitation.revoke", { type: "invitation", id }, author)
  await saveRoster(dependencies, { ...entry, details: { email } }, withoutInvitation(roster, id))
}

/** Gives a member another role. Their sessions end within 10 seconds. @throws NotFoundError, ConflictError */
export async function changeRole(
  dependencies: RosterDependencies,
  teamId: string,
  id: string,
  role: MemberRole,
  author: AuditAuthor,
): Promise<Member> {
  const roster = await readRoster(dependencies, teamId)
  const member = requireMember(roster, id)
  if (member.role === role) return member
  const entry = entryOf(teamId, "member.update", { type: "member", id }, author)
  const details = { role, roleBefore: member.role }
  const changed = await saveRoster(dependencies, { ...entry, details }, withRole(roster, member, role))
  return requireMember(changed, id)
}

/** Removes a member. Their sessions end within 10 seconds. @throws NotFoundError, ConflictError */
export async function removeMember(
  dependencies: RosterDependencies,
  teamId: string,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const roster = await readRoster(dependencies, teamId)
  const member = requireMember(roster, id)
  const entry = entryOf(teamId, "member.delete", { type: "member", id }, author)
  const details = { email: member.email, role: member.role }
  await saveRoster(dependencies, { ...entry, details }, withoutMember(roster, member))
  // They are over already, because the roster no longer has their member.
  await removeSessions(dependencies.keysTable, id)
}

function entryOf(
  teamId: string,
  action: string,
  target: { readonly type: string; readonly id: string },
  author: AuditAuthor,
) {
  return { ...author, teamId, appId: null, action, target }
}
