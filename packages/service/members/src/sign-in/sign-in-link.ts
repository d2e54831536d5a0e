import { hash } from "node:crypto"
import { findRoster, isRandomSecret, type Member, SECRET_BYTES } from "@sealway/accounts"
import type { Platform } from "@sealway/http"
import { ForbiddenError } from "@sealway/kernel"
import type { RecordKey, SignInConfiguration } from "@sealway/ports"
import { type AuditAuthor, audited } from "@sealway/records"
import * as z from "zod"
import type { Admission } from "../roster/admit-member.ts"
import { type RosterDependencies, readRoster, saveRoster } from "../roster/change-roster.ts"
import { withMember } from "../roster/roster-rules.ts"

/** How long a link can be used. */
const LINK_MS = 5 * 60_000

/** Who the owner of a service on one machine is, in the place of an identity provider. */
const LOCAL_OWNER = { issuer: "sealway:local", subject: "owner" } as const

const linkSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  memberId: z.string(),
  /** Epoch milliseconds. */
  endsAt: z.number(),
  /** Epoch milliseconds; null unless it was used. */
  usedAt: z.number().nullable(),
  revision: z.number(),
})

/** A link that was just created. */
export interface SignInLink {
  /** The only copy: the service stores its hash. */
  readonly code: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

type LinkDependencies = RosterDependencies & Pick<Platform, "eventsTable" | "draws" | "wallClock">

const keyOf = (code: string): RecordKey => ({
  pk: `sign-in-link#${hash("sha256", `sealway/v1/sign-in-link/${code}`, "base64url")}`,
  sk: "sign-in-link",
})

/** @throws ForbiddenError when the service has no links, because its members sign in with an identity provider */
export function requireLinks({ links }: SignInConfiguration): void {
  if (links) return
  throw new ForbiddenError(
    "This service has no sign-in links. Its members sign in with its identity provider.",
  )
}

/**
 * Returns the address of the page that uses a link.
 *
 * @param browserUrl where browsers reach the API
 */
export function signInUrl(browserUrl: string, code: string): string {
  return `${browserUrl}/sign-in#code=${code}`
}

/** Creates a link that signs in as owner, once, within 5 minutes. Creates that owner first when there is none. */
export async function createSignInLink(
  dependencies: LinkDependencies,
  teamId: string,
  author: AuditAuthor,
): Promise<SignInLink> {
  const { eventsTable, audit, draws, wallClock } = dependencies
  const member = await ensureLocalOwner(dependencies, teamId, author)
  const code = draws.randomBytes(SECRET_BYTES).toString("base64url")
  const createdAt = wallClock()
  const endsAt = createdAt + LINK_MS
  // The end of the code's hash: it names the link in the audit log without leading to the code.
  const id = keyOf(code).pk.slice(-16)
  const entry = {
    ...author,
    teamId,
    appId: null,
    action: "sign-in-link.create",
    target: { type: "sign-in-link", id },
    details: { memberId: member.id },
  }
  await audited(audit, entry, () =>
    eventsTable.create(keyOf(code), {
      id,
      teamId,
      memberId: member.id,
      endsAt,
      usedAt: null,
      revision: 1,
      expiresAt: Math.ceil(endsAt / 1000),
    }),
  )
  return { code, expiresAt: endsAt }
}

/** Uses a link. Of several uses at the same time, one succeeds. Null when it is unknown, used or expired, all alike. */
export async function useSignInLink(
  { keysTable, eventsTable, wallClock }: Pick<LinkDependencies, "keysTable" | "eventsTable" | "wallClock">,
  code: string,
): Promise<Admission | null> {
  const found = isRandomSecret(code) ? await eventsTable.get(keyOf(code)) : null
  if (found === null) return null
  const link = linkSchema.parse(found)
  const nowMs = wallClock()
  if (link.usedAt !== null || nowMs >= link.endsAt) return null
  const used = { ...link, usedAt: nowMs, expiresAt: Math.ceil(link.endsAt / 1000) }
  if (!(await eventsTable.replace(keyOf(code), used, link.revision))) return null
  const roster = await findRoster(keysTable, link.teamId)
  const member = roster?.members.find(({ id }) => id === link.memberId)
  return roster === null || member === undefined ? null : { member, roster }
}

async function ensureLocalOwner(
  dependencies: LinkDependencies,
  teamId: string,
  author: AuditAuthor,
): Promise<Member> {
  const roster = await readRoster(dependencies, teamId)
  const known = roster.members.find(
    ({ issuer, subject, role }) =>
      issuer === LOCAL_OWNER.issuer && subject === LOCAL_OWNER.subject && role === "owner",
  )
  if (known !== undefined) return known
  const createdAt = dependencies.wallClock()
  const id = dependencies.draws.newId("member", createdAt)
  const member: Member = {
    ...LOCAL_OWNER,
    id,
    email: null,
    name: "Local owner",
    role: "owner",
    generation: 1,
    createdAt,
  }
  const others = roster.members.filter(({ issuer }) => issuer !== LOCAL_OWNER.issuer)
  const entry = {
    ...author,
    teamId,
    appId: null,
    action: "member.create",
    target: { type: "member", id },
    details: { email: null, role: member.role },
  }
  await saveRoster(dependencies, entry, withMember({ ...roster, members: others }, member))
  return member
}
