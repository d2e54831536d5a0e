import type { App } from "@sealway/accounts"
import type { AReq, transactionOf } from "@sealway/three-d-secure"
import { keepCryptogram } from "../record/cryptogram-table.ts"
import { keepMessage } from "../record/keep-message.ts"
import { isDecided, type Session } from "../record/session.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import { findSession, replaceSession } from "../record/session-table.ts"
import { askDirectoryServer, requestOf } from "./ask-directory-server.ts"
import { afterSessionEvent, type SessionEvent } from "./session-steps.ts"
import { tellDecision } from "./tell-decision.ts"

const MAX_TRIES = 10
/** Longer than a network takes to answer. After that the asking process counts as dead, and another one asks. */
const CLAIM_MS = 30_000

/** An event of a session, and its proof of authentication if the session succeeds by it. */
export interface Change {
  readonly event: SessionEvent
  readonly cryptogram?: string | null
}

/**
 * Applies an event to a session, and does what follows: asks a network, publishes a decision. Others may change the
 * session at the same time; an event that happens twice has no second effect.
 *
 * @returns the session afterwards
 * @throws Error when others keep changing it, or it is gone
 */
export async function changeSession(
  dependencies: SessionDependencies,
  app: App,
  session: Session,
  change: Change,
): Promise<Session> {
  const changed = await writeChange(dependencies, app, session, change)
  return followUp(dependencies, app, changed)
}

/** Does what is due for a session: it expires, its network is asked, its decision is published. */
export async function followUp(
  dependencies: SessionDependencies,
  app: App,
  session: Session,
): Promise<Session> {
  const atMs = dependencies.wallClock()
  const current = await writeChange(dependencies, app, session, { event: { type: "expired", atMs } })
  const asked = current.progress.phase === "request" ? await askNetwork(dependencies, app, current) : current
  return isDecided(asked) ? tellDecision(dependencies, app, asked) : asked
}

/** Stores the effect of an event, over whatever others have written meanwhile. */
async function writeChange(
  dependencies: SessionDependencies,
  app: App,
  session: Session,
  { event, cryptogram = null }: Change,
): Promise<Session> {
  let current = session
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const changed = withDecision(current, afterSessionEvent(current, event), dependencies)
    if (changed === current) return current
    // First, so that no session succeeds without it; for an unsuccessful one it is never shown.
    if (cryptogram !== null && changed.progress.phase === "success" && !isDecided(current)) {
      await keepCryptogram(dependencies, app, current.id, cryptogram, event.atMs)
    }
    const replaced = await replaceSession(dependencies, app, changed)
    if (replaced !== null) return replaced
    const found = await findSession(dependencies, app, session.id)
    if (found === null) throw new Error("A 3-D Secure session no longer exists")
    current = found
  }
  throw new Error("A 3-D Secure session keeps changing")
}

/** Returns a session that a change decides, with the id of the event about it. */
export function withDecision(
  before: Session,
  after: Session,
  { draws, wallClock }: Pick<SessionDependencies, "draws" | "wallClock">,
): Session {
  if (isDecided(before) || !isDecided(after)) return after
  return { ...after, untoldEvent: draws.newId("webhook_event", wallClock()) }
}

/** Sends the request, unless another process is doing so. It is always the same one. */
async function askNetwork(dependencies: SessionDependencies, app: App, session: Session): Promise<Session> {
  const { wallClock } = dependencies
  const areq = await requestOf(dependencies, app, session)
  if (areq === null) return session
  const atMs = wallClock()
  const claimed = afterSessionEvent(session, claimOf(areq, atMs))
  const own = claimed === session ? null : await replaceSession(dependencies, app, claimed)
  if (own === null) return (await findSession(dependencies, app, session.id)) ?? session
  return writeChange(dependencies, app, own, await askDirectoryServer(dependencies, app, own, areq))
}

export function claimOf(areq: AReq, atMs: number): SessionEvent {
  return { type: "claimed", atMs, untilMs: atMs + CLAIM_MS, areq: keepMessage(areq, atMs) }
}

/** Returns what a session's messages must match. */
export function transactionOfSession({ transactionId, details, progress }: Session) {
  const { acsTransID, dsTransID } = progress
  return {
    messageVersion: details.version,
    threeDSServerTransID: transactionId,
    ...(acsTransID !== null && { acsTransID }),
    ...(dsTransID !== null && { dsTransID }),
    deviceChannel: details.initiator.type === "customer" ? "02" : "03",
    messageCategory: details.payment === null ? "02" : "01",
    threeDSRequestorChallengeInd: [],
  } satisfies ReturnType<typeof transactionOf>
}
