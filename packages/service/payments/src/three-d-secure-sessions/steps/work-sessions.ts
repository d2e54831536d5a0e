import {
  findPendingSession,
  pendingSessions,
  removePendingSession,
  type SessionWork,
  sendSessionWork,
  sessionWorkSchema,
} from "../record/pending-sessions.ts"
import { isDecided } from "../record/session.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import { findSession } from "../record/session-table.ts"
import { followUp } from "./change-session.ts"

/** An entry whose session is not written by then belongs to a request that died. */
const ABANDONED_MS = 60 * 60_000
/** The longest that a message waits. Sessions are decided within it. */
const MAX_WAIT_MS = 900_000

/** Returns null when the message is about something else. */
export function parseSessionWork(body: string): SessionWork | null {
  return sessionWorkSchema.safeParse(JSON.parse(body)).data ?? null
}

/**
 * Does what is due for a session: it expires, and its decision is published. The session decides; a message is only a
 * wake-up call. However often this runs, wherever it dies, a session is decided once and published as one event.
 *
 * @throws Error when the message must be retried
 */
export async function workSession(dependencies: SessionDependencies, work: SessionWork): Promise<void> {
  const { directory, paymentsTable, queues, wallClock } = dependencies
  const app = await directory.app(work.appId)
  if (app === null) throw new Error("The app of a 3-D Secure session does not exist")
  const found = await findSession(dependencies, app, work.id)
  if (found === null) {
    const named = await findPendingSession(paymentsTable, work.id)
    if (named !== null && wallClock() - named.dueAt > ABANDONED_MS) {
      await removePendingSession(paymentsTable, work.id)
    }
    return
  }
  const session = await followUp(dependencies, app, found)
  if (isDecided(session)) {
    await removePendingSession(paymentsTable, work.id)
    return
  }
  const waitMs = session.progress.deadlineAt - wallClock()
  await sendSessionWork(queues, work, Math.min(Math.max(waitMs, 1_000), MAX_WAIT_MS))
}

export interface RequeueSessionsOptions {
  /** How long something must be overdue before its message counts as lost. 0 when no message can exist. */
  readonly overdueMs: number
}

/** Queues overdue sessions again that are undecided or unpublished. Safe at any time. */
export async function requeueSessions(
  { paymentsTable, queues, wallClock }: Pick<SessionDependencies, "paymentsTable" | "queues" | "wallClock">,
  { overdueMs }: RequeueSessionsOptions,
): Promise<void> {
  for await (const { work, dueAt } of pendingSessions(paymentsTable)) {
    const lateMs = wallClock() - dueAt
    if (overdueMs === 0) await sendSessionWork(queues, work, Math.min(Math.max(-lateMs, 0), MAX_WAIT_MS))
    else if (lateMs >= overdueMs) await sendSessionWork(queues, work, 0)
  }
}
