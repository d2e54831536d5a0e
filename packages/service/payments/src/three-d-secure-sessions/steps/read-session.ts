import type { App } from "@sealway/accounts"
import { isId, NotFoundError } from "@sealway/kernel"
import { findCryptogram } from "../record/cryptogram-table.ts"
import type { Session } from "../record/session.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import { findSession } from "../record/session-table.ts"
import { showSession } from "../record/show-session.ts"
import { followUp } from "./change-session.ts"

/** Finds a session. @throws NotFoundError alike for a malformed id, another app's and none */
export async function requireSession(
  dependencies: SessionDependencies,
  app: App,
  id: string,
): Promise<Session> {
  const found = isId("tds", id) ? await findSession(dependencies, app, id) : null
  if (found === null) throw new NotFoundError("The 3-D Secure session")
  return followUp(dependencies, app, found)
}

/** Shows a session, with its cryptogram while there is one. */
export async function answerSession(dependencies: SessionDependencies, app: App, session: Session) {
  const isSuccess = session.progress.phase === "success"
  return showSession(session, isSuccess ? await findCryptogram(dependencies, app, session.id) : null)
}
