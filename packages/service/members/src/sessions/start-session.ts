import {
  type Caller,
  createSessionRecord,
  createSessionToken,
  hashSessionToken,
  type Session,
} from "@sealway/accounts"
import type { Platform } from "@sealway/http"
import { type Grant, TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { audited } from "@sealway/records"
import type { Admission } from "../roster/admit-member.ts"

/** What starting or revoking a session needs. */
export const SESSION_GRANTS = [
  "dynamodb:GetItem/keys",
  "dynamodb:PutItem/keys",
  "dynamodb:DeleteItem/keys",
  ...TEAM_AUDIT_GRANTS,
] as const satisfies readonly Grant[]

/** How long a session lasts. */
export const SESSION_MS = 12 * 60 * 60_000
/** How long a session lasts without being renewed. */
export const IDLE_MS = 60 * 60_000

const MAX_USER_AGENT_CHARACTERS = 200

/** A session that has just begun. */
export interface StartedSession {
  readonly session: Session
  /** The only copy: the service stores its hash. */
  readonly token: string
}

/** Starts a session with a new secret, whatever the browser sent: nobody can choose the secret of somebody else's. */
export async function startSession(
  { keysTable, audit, draws, wallClock }: Pick<Platform, "keysTable" | "audit" | "draws" | "wallClock">,
  { member, roster }: Admission,
  { ip, requestId }: Pick<Caller, "ip" | "requestId">,
  userAgent: string,
): Promise<StartedSession> {
  const token = createSessionToken()
  const createdAt = wallClock()
  const session: Session = {
    id: draws.newId("session", createdAt),
    hash: hashSessionToken(token),
    memberId: member.id,
    teamId: roster.teamId,
    generation: member.generation,
    rosterRevision: roster.revision,
    createdAt,
    endsAt: createdAt + SESSION_MS,
    idleUntil: createdAt + IDLE_MS,
    ip,
    userAgent: userAgent.slice(0, MAX_USER_AGENT_CHARACTERS).replaceAll(/[^\x20-\x7e]/g, "?"),
    revision: 1,
  }
  const entry = {
    actor: { type: "member", id: member.id } as const,
    ip,
    requestId,
    teamId: roster.teamId,
    appId: null,
    action: "session.create",
    target: { type: "session", id: session.id },
  }
  return audited(audit, entry, async () => {
    await createSessionRecord(keysTable, session)
    return { session, token }
  })
}
