import type { App } from "@sealway/accounts"
import type { Draws } from "@sealway/ports"
import { MESSAGE_VERSIONS, type MessageVersion } from "@sealway/three-d-secure"
import type { CardDataSender } from "../../card-number-of.ts"
import type { PaymentDependencies } from "../../dependencies.ts"
import type { ThreeDSRangeAnswer } from "../../networks/messages/authenticate.ts"
import { keepCryptogram } from "../record/cryptogram-table.ts"
import { keepPageToken, newPageToken } from "../record/page-token.ts"
import { namePendingSession, sendSessionWork } from "../record/pending-sessions.ts"
import { newSession, SESSION_MS, type Session, type SessionDetails } from "../record/session.ts"
import type { SessionInput } from "../record/session-request.ts"
import { createSession } from "../record/session-table.ts"
import { askDirectoryServer, requestOf } from "../steps/ask-directory-server.ts"
import { claimOf, withDecision } from "../steps/change-session.ts"
import { afterSessionEvent } from "../steps/session-steps.ts"
import { tellDecision } from "../steps/tell-decision.ts"
import { acquirerOfSession } from "./acquirer-of-session.ts"
import { cardOfSession } from "./card-of-session.ts"
import { merchantOfSession } from "./merchant-of-session.ts"
import { priorAuthenticationOf } from "./prior-authentication.ts"
import { takeRoom } from "./take-room.ts"

/**
 * Starts a session. A customer-initiated one waits for the cardholder's browser; a merchant-initiated one is decided
 * immediately.
 *
 * @param serviceOrigin where browsers and networks reach the service
 * @throws InvalidRequestError naming the invalid field
 * @throws DecryptionForbiddenError when the policies of a token's role do not permit decryption
 * @throws ApiError `payments/3ds-sessions/short-name-required`; `too-many-requests`; `service-unavailable` when the
 * network
 *   cannot be asked
 */
export async function startSession(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  input: SessionInput,
  serviceOrigin: string,
): Promise<Session> {
  const { draws, wallClock } = dependencies
  const { app } = sender.principal
  const nowMs = wallClock()
  const { number, details } = await resolve(dependencies, sender, input, serviceOrigin)
  const isBrowser = details.initiator.type === "customer"
  const session = newSession(
    {
      id: newSessionId(draws),
      appId: app.id,
      transactionId: newTransactionId(draws),
      pageToken: isBrowser ? newPageToken(draws) : null,
      number,
      details,
    },
    nowMs,
  )
  return isBrowser
    ? await startInBrowser(dependencies, app, session)
    : decideAtOnce(dependencies, app, session)
}

async function resolve(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  input: SessionInput,
  serviceOrigin: string,
): Promise<{ readonly number: string; readonly details: SessionDetails }> {
  const { app } = sender.principal
  const { payment = null, customer = null, challenge, preferredVersions = [] } = input
  const initiator = input.initiator ?? { type: "customer" }
  const merchant = await merchantOfSession(dependencies, app, input.merchant)
  const prior = await priorAuthenticationOf(dependencies, app, input.initiator)
  const { number, card } = await cardOfSession(dependencies, sender, input.card)
  const acquirer = await acquirerOfSession(dependencies, app, input.acquirer, card.brand)
  const { paymentsTable, cardNetworkOf, wallClock } = dependencies
  await takeRoom(paymentsTable, app, wallClock())
  const range = await cardNetworkOf(app, wallClock).threeDSRange({ number, serviceOrigin })
  return {
    number,
    details: {
      merchant,
      acquirer,
      card,
      payment,
      customer,
      initiator,
      prior,
      serviceOrigin,
      challenge: { preference: challenge?.preference ?? "no-preference", reason: challenge?.reason ?? null },
      ...chooseVersion(range, preferredVersions),
    },
  }
}

/** Each write can be repeated, and does no harm if the next one never happens. */
async function startInBrowser(
  dependencies: PaymentDependencies,
  app: App,
  session: Session,
): Promise<Session> {
  const { paymentsTable, queues } = dependencies
  const { id, pageToken, createdAt, progress } = session
  const work = { type: "3ds-session", appId: app.id, id } as const
  // Listed first: readers skip an entry without a session, but a session that is not listed could be lost.
  await namePendingSession(paymentsTable, work, progress.deadlineAt)
  if (pageToken !== null) {
    await keepPageToken(paymentsTable, pageToken, { appId: app.id, sessionId: id }, createdAt)
  }
  await createSession(dependencies, app, session)
  await sendSessionWork(queues, work, SESSION_MS)
  return session
}

/** Asks the network before anything is written: a request that dies leaves nothing to decide later. */
async function decideAtOnce(dependencies: PaymentDependencies, app: App, session: Session): Promise<Session> {
  const { paymentsTable, queues } = dependencies
  const { id, createdAt } = session
  const { obstacle } = session.details
  const areq = await requestOf(dependencies, app, session)
  if (areq === null) throw new Error("A new session holds no number")
  const claimed = afterSessionEvent(session, claimOf(areq, createdAt))
  const { event, cryptogram } =
    obstacle === null
      ? await askDirectoryServer(dependencies, app, claimed, areq)
      : {
          event: { type: "refused", reason: obstacle, erro: null, atMs: createdAt } as const,
          cryptogram: null,
        }
  const decided = withDecision(session, afterSessionEvent(claimed, event), dependencies)
  const work = { type: "3ds-session", appId: app.id, id } as const
  await namePendingSession(paymentsTable, work, createdAt)
  if (cryptogram !== null && decided.progress.phase === "success") {
    await keepCryptogram(dependencies, app, id, cryptogram, event.atMs)
  }
  const made = { ...decided, updatedAt: null }
  await createSession(dependencies, app, made)
  await sendSessionWork(queues, work, 0)
  return tellDecision(dependencies, app, made)
}

/**
 * Creates a session id. It is all that a browser needs to take part, so it has 130 random bits: those of other ids, and
 * 50 more instead of the time.
 */
export function newSessionId({ newId, randomBytes }: Draws): string {
  const bytes = randomBytes(7)
  return newId("tds", bytes.readUIntBE(0, 6) * 4 + ((bytes[6] ?? 0) & 3))
}

/** Creates a UUID of version 4. */
function newTransactionId({ randomBytes }: Pick<Draws, "randomBytes">): string {
  const bytes = randomBytes(16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

type Choice = Pick<SessionDetails, "version" | "directoryServer" | "methodUrl" | "obstacle">

/**
 * Chooses the version for authenticating a card: the first preferred one that all sides support, or the newest.
 *
 * @param preferred empty for no preference
 */
function chooseVersion({ range }: ThreeDSRangeAnswer, preferred: readonly MessageVersion[]): Choice {
  const fallback = { version: preferred[0] ?? MESSAGE_VERSIONS[0], methodUrl: null }
  if (range === null) return { ...fallback, directoryServer: null, obstacle: "card-not-enrolled" }
  const { directoryServer, versions } = range
  const wanted = preferred.length > 0 ? preferred : MESSAGE_VERSIONS.toReversed()
  for (const version of wanted) {
    const found = versions.find((each) => each.version === version)
    if (found === undefined) continue
    return { version, directoryServer, methodUrl: found.threeDSMethodURL ?? null, obstacle: null }
  }
  return { ...fallback, directoryServer, obstacle: "unsupported-version" }
}
