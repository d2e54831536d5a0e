import { findByPageToken } from "../record/page-token.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import { findSession } from "../record/session-table.ts"
import { expiredPage, sessionPage } from "./session-page.ts"

/**
 * Renders the page of a token. It opens a session in which no browser takes part yet: fetching the address as a preview
 * uses nothing up, and opening the address later shows nothing.
 */
export async function openSessionPage(
  dependencies: Pick<SessionDependencies, "paymentsTable" | "keyring" | "directory" | "wallClock">,
  token: string,
) {
  const { paymentsTable, directory, wallClock } = dependencies
  const place = await findByPageToken(paymentsTable, token)
  const app = place && (await directory.app(place.appId))
  if (app === null || app.status === "disabled") return expiredPage(null)
  const session = await findSession(dependencies, app, place?.sessionId ?? "")
  const { phase = null, deadlineAt = 0 } = session?.progress ?? {}
  if (session === null || phase !== "browser" || deadlineAt <= wallClock()) return expiredPage(app)
  return sessionPage(app, session)
}
