import type { App } from "@sealway/accounts"
import { sealEventData } from "@sealway/records"
import { CRYPTOGRAM_SECONDS, findCryptogram } from "../record/cryptogram-table.ts"
import { removePendingSession } from "../record/pending-sessions.ts"
import type { Session } from "../record/session.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import { findSession, replaceSession } from "../record/session-table.ts"
import { showSession } from "../record/show-session.ts"

const MAX_TRIES = 10

/**
 * Publishes the event of a decided session, unless that is done, and then marks it as published. After a crash in
 * between it is published again with the same id, which has no effect.
 *
 * @returns the session afterwards
 */
export async function tellDecision(
  dependencies: SessionDependencies,
  app: App,
  session: Session,
): Promise<Session> {
  if (session.untoldEvent === null) return session
  await publish(dependencies, app, session, session.untoldEvent)
  const told = await noteTold(dependencies, app, session)
  await removePendingSession(dependencies.paymentsTable, session.id)
  return told
}

async function publish(
  dependencies: SessionDependencies,
  app: App,
  session: Session,
  eventId: string,
): Promise<void> {
  const { keyring, events } = dependencies
  const type = session.progress.phase === "success" ? "success" : "failure"
  const cryptogram = await findCryptogram(dependencies, app, session.id)
  const seal = async (proof: string | null) =>
    sealEventData(keyring, app, eventId, JSON.stringify(showSession(session, proof)))
  await events.publish({
    id: eventId,
    teamId: app.teamId,
    appId: app.id,
    type: `payments.3ds-session.${type}`,
    data: await seal(null),
    // A late delivery goes out without the cryptogram.
    ...(cryptogram !== null && {
      brief: { data: await seal(cryptogram), untilMs: decidedAt(session) + CRYPTOGRAM_SECONDS * 1000 },
    }),
  })
}

const decidedAt = ({ updatedAt, createdAt }: Session): number => updatedAt ?? createdAt

async function noteTold(dependencies: SessionDependencies, app: App, session: Session): Promise<Session> {
  let current = session
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (current.untoldEvent === null) return current
    const replaced = await replaceSession(dependencies, app, { ...current, untoldEvent: null })
    if (replaced !== null) return replaced
    current = (await findSession(dependencies, app, session.id)) ?? current
  }
  throw new Error("A 3-D Secure session keeps changing")
}
