import type { Invitation, Member, MemberRole, Roster } from "@sealway/accounts"
import { ConflictError, NotFoundError } from "@sealway/kernel"

/** How many members a team has at most. A roster is one record, and a record has at most 400 KB. */
export const MAX_MEMBERS = 300
/** How many invitations are open at once. */
export const MAX_INVITATIONS = 100

/** Finds a member. @throws NotFoundError */
export function requireMember({ members }: Roster, id: string): Member {
  const member = members.find((each) => each.id === id)
  if (member === undefined) throw new NotFoundError("The member")
  return member
}

/** Finds an invitation. @throws NotFoundError */
export function requireInvitation({ invitations }: Roster, id: string): Invitation {
  const invitation = invitations.find((each) => each.id === id)
  if (invitation === undefined) throw new NotFoundError("The invitation")
  return invitation
}

/**
 * Adds an invitation, in the place of expired ones.
 *
 * @param nowMs epoch milliseconds
 * @throws ConflictError when the address is a member's, is invited already, or there are too many
 */
export function withInvitation(roster: Roster, invitation: Invitation, nowMs: number): Roster {
  const { email } = invitation
  if (roster.members.some((member) => member.email === email)) {
    throw new ConflictError("The address belongs to a member.")
  }
  const open = roster.invitations.filter(({ expiresAt }) => nowMs < expiresAt)
  if (open.some((each) => each.email === email)) {
    throw new ConflictError("The address is invited already. Revoke that invitation first.")
  }
  if (open.length >= MAX_INVITATIONS) {
    throw new ConflictError(`A team can have ${MAX_INVITATIONS} open invitations.`)
  }
  return { ...roster, invitations: [...open, invitation] }
}

/** Removes an invitation. */
export function withoutInvitation(roster: Roster, id: string): Roster {
  return { ...roster, invitations: roster.invitations.filter((each) => each.id !== id) }
}

/** Adds a member. @throws ConflictError when there are too many */
export function withMember(roster: Roster, member: Member): Roster {
  if (roster.members.length >= MAX_MEMBERS) {
    throw new ConflictError(`A team can have ${MAX_MEMBERS} members.`)
  }
  return { ...roster, members: [...roster.members, member] }
}

/** Gives a member another role, which ends their sessions. @throws ConflictError when no owner would remain */
export function withRole(roster: Roster, { id }: Member, role: MemberRole): Roster {
  const members = roster.members.map((member) =>
    member.id === id && member.role !== role
      ? { ...member, role, generation: member.generation + 1 }
      : member,
  )
  return keepOwner(roster, { ...roster, members })
}

/** Removes a member. @throws ConflictError when no owner would remain */
export function withoutMember(roster: Roster, { id }: Member): Roster {
  return keepOwner(roster, { ...roster, members: roster.members.filter((member) => member.id !== id) })
}

function keepOwner(before: Roster, after: Roster): Roster {
  if (!hasOwner(before) || hasOwner(after)) return after
  throw new ConflictError(
    "The last owner can be neither removed nor given another role. Add another owner first.",
  )
}

function hasOwner({ members }: Roster): boolean {
  return members.some(({ role }) => role === "owner")
}
