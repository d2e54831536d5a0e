import { listSessions, type Roster, removeSession, replaceSession, type Session } from "@sealway/accounts"
import { memberOf, type Platform } from "@sealway/http"
import { NotFoundError } from "@sealway/kernel"
import { type AuditAuthor, audited } from "@sealway/records"
import { IDLE_MS } from "./start-session.ts"

/** A renewal sooner after the last one changes nothing, so that a busy page costs few writes. */
const RENEWAL_MS = 5 * 60_000

type SessionDependencies = Pick<Platform, "keysTable" | "audit" | "directory" | "wallClock">

/** Lists the sessions of a member that are not over, newest first. */
export async function openSessions(
  { keysTable, wallClock }: Pick<SessionDependencies, "keysTable" | "wallClock">,
  roster: Roster,
  memberId: string,
): Promise<readonly Session[]> {
  const nowMs = wallClock()
  const sessions = await listSessions(keysTable, memberId)
  return sessions.filter((session) => memberOf(session, roster, nowMs) !== null)
}

/** Ends a session within 10 seconds, in this process at once. @throws NotFoundError when the member has none with that id */
export async function revokeSession(
  { keysTable, audit, directory }: SessionDependencies,
  teamId: string,
  { memberId, id }: { readonly memberId: string; readonly id: string },
  author: AuditAuthor,
): Promise<void> {
  const session = (await listSessions(keysTable, memberId)).find((each) => each.id === id)
  if (session === undefined) throw new NotFoundError("The session")
  const target = { type: "session", id }
  const entry = { ...author, teamId, appId: null, action: "session.revoke", target, details: { memberId } }
  await audited(audit, entry, () => removeSession(keysTable, memberId, id))
  directory.forgetSession(session.hash)
}

/** Keeps a session from becoming idle. @returns epoch milliseconds until which it now lasts without another renewal */
export async function renewSession(
  { keysTable, directory, wallClock }: SessionDependencies,
  session: Session,
): Promise<number> {
  const idleUntil = Math.min(wallClock() + IDLE_MS, session.endsAt)
  if (idleUntil - session.idleUntil < RENEWAL_MS) return session.idleUntil
  const renewed = await replaceSession(keysTable, { ...session, idleUntil })
  // Another request was faster: it has renewed the session, or ended it.
  directory.forgetSession(session.hash)
  return renewed?.idleUntil ?? session.idleUntil
}
