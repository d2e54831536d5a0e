import type { Caller, Member, Roster } from "@sealway/accounts"
import type { Platform } from "@sealway/http"
import { ConflictError } from "@sealway/kernel"
import { type RosterDependencies, readRoster, saveRoster } from "./change-roster.ts"
import { normalizeEmail } from "./email-address.ts"
import { withMember, withoutInvitation } from "./roster-rules.ts"

/** Who somebody is, as an identity provider says. */
export interface ProvenIdentity {
  readonly issuer: string
  readonly subject: string
  /** Null when the provider names none. */
  readonly email: string | null
  /** Whether the provider has checked that the address is theirs. */
  readonly isEmailVerified: boolean
  readonly name: string | null
}

/** A member, and the roster that has them. */
export interface Admission {
  readonly member: Member
  readonly roster: Roster
}

type AdmittingDependencies = RosterDependencies & Pick<Platform, "draws" | "wallClock">

const MAX_ATTEMPTS = 10

/**
 * Returns the member that an identity belongs to. Somebody who is none yet becomes one by accepting the open invitation of
 * their verified address, once: it is removed by the same write. Null when they have no access.
 */
export async function admitMember(
  dependencies: AdmittingDependencies,
  teamId: string,
  identity: ProvenIdentity,
  caller: Pick<Caller, "ip" | "requestId">,
): Promise<Admission | null> {
  const { issuer, subject } = identity
  for (let attempt = 1; ; attempt++) {
    const roster = await readRoster(dependencies, teamId)
    const known = roster.members.find((member) => member.issuer === issuer && member.subject === subject)
    if (known !== undefined) return { member: known, roster }
    const createdAt = dependencies.wallClock()
    const email = identity.isEmailVerified && identity.email !== null ? normalizeEmail(identity.email) : null
    const invitation = roster.invitations.find((each) => each.email === email && createdAt < each.expiresAt)
    if (email === null || invitation === undefined) return null
    const id = dependencies.draws.newId("member", createdAt)
    const member: Member = {
      id,
      email,
      name: oneLine(identity.name) || email,
      role: invitation.role,
      generation: 1,
      issuer,
      subject,
      createdAt,
    }
    const entry = {
      actor: { type: "member", id } as const,
      ip: caller.ip,
      requestId: caller.requestId,
      teamId,
      appId: null,
      action: "member.create",
      target: { type: "member", id },
      details: { email, role: member.role, invitation: invitation.id },
    }
    try {
      const changed = withMember(withoutInvitation(roster, invitation.id), member)
      return { member, roster: await saveRoster(dependencies, entry, changed) }
    } catch (error) {
      // Somebody else may have used the invitation: the next look decides.
      if (!(error instanceof ConflictError) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

const MAX_NAME_CHARACTERS = 100

/** Returns a name as one line without control characters: providers let people choose theirs. */
function oneLine(name: string | null): string {
  const line = (name ?? "").replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ")
  return [...line].slice(0, MAX_NAME_CHARACTERS).join("").trim()
}
