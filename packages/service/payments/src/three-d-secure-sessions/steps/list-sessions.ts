import type { App } from "@sealway/accounts"
import { invalidField } from "@sealway/kernel"
import { type FilteredPage, pageFiltered, type RecordPageRequest } from "@sealway/ports"
import type { Session } from "../record/session.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import type { SessionStatus } from "../record/session-schema.ts"
import { findSession, sessionsNewestFirst } from "../record/session-table.ts"
import { statusOf } from "../record/show-session.ts"
import { afterSessionEvent } from "./session-steps.ts"

/** Sessions that one page reads to find matching ones: each is a read of its own. */
export const MAX_SESSIONS_LOOKED_AT = 200

export interface SessionFilter extends RecordPageRequest {
  /** Id. */
  readonly merchant?: string | undefined
  readonly status?: SessionStatus | undefined
}

/**
 * Lists sessions in their present state, newest first. Changes nothing: one whose time is over is shown as failed, and
 * stored as such when it is next read, or by a worker.
 *
 * @throws InvalidRequestError when the app has no session to start after
 */
export async function listSessions(
  dependencies: Pick<SessionDependencies, "paymentsTable" | "keyring" | "log" | "wallClock">,
  app: App,
  { limit, startingAfter, merchant, status }: SessionFilter,
): Promise<FilteredPage<Session>> {
  const after = startingAfter === undefined ? undefined : await findSession(dependencies, app, startingAfter)
  if (after === null) throw invalidField("/startingAfter", "The app has no session with this id.")
  const atMs = dependencies.wallClock()
  const hasFilter = merchant !== undefined || status !== undefined
  const wanted = hasFilter ? MAX_SESSIONS_LOOKED_AT : limit + 1
  return pageFiltered(present(sessionsNewestFirst(dependencies, app, wanted, after), atMs), {
    limit,
    maxLookedAt: MAX_SESSIONS_LOOKED_AT,
    takes: (session) =>
      (merchant === undefined || session.details.merchant.id === merchant) &&
      (status === undefined || statusOf(session) === status),
  })
}

async function* present(sessions: AsyncIterable<Session>, atMs: number): AsyncGenerator<Session> {
  for await (const session of sessions) yield afterSessionEvent(session, { type: "expired", atMs })
}
