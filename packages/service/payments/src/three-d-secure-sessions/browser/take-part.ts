import type { App } from "@sealway/accounts"
import { InvalidRequestError, invalidField, isId, NotFoundError } from "@sealway/kernel"
import { decodeMessage, readCRes } from "@sealway/three-d-secure"
import { type BrowserFacts, isDecided, type Session } from "../record/session.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import { findSession } from "../record/session-table.ts"
import { changeSession, followUp, transactionOfSession } from "../steps/change-session.ts"
import type { SessionEvent } from "../steps/session-steps.ts"
import type { BrowserRequest } from "./browser-request.ts"

/** What the browser's request headers say. */
export type BrowserHeaders = Pick<BrowserFacts, "acceptHeader" | "acceptLanguage" | "userAgent" | "ip">

const LEAVING = {
  cancelled: "cancelled",
  failure: "failed-authentication",
  "aborted-on-challenge": "challenge-required",
} as const

/**
 * Finds the app that a browser names.
 *
 * @throws NotFoundError alike for a malformed id, and an app that is unknown or disabled
 */
export async function requireBrowserApp(
  { directory }: Pick<SessionDependencies, "directory">,
  appId: string,
): Promise<App> {
  const app = isId("app", appId) ? await directory.app(appId) : null
  if (app === null || app.status === "disabled") throw sessionNotFound()
  return app
}

/** Finds a session for a browser. @throws NotFoundError alike for a malformed id, another app's and none */
export async function requireBrowserSession(
  dependencies: SessionDependencies,
  app: App,
  id: string,
): Promise<Session> {
  const found = isId("tds", id) ? await findSession(dependencies, app, id) : null
  if (found === null) throw sessionNotFound()
  return followUp(dependencies, app, found)
}

/**
 * Processes a browser's step. It advances a session or ends it; only the issuer can report success.
 *
 * @throws InvalidRequestError when the session is already decided, or a step before this one is missing
 */
export async function takeBrowserStep(
  dependencies: SessionDependencies,
  app: App,
  session: Session,
  request: BrowserRequest,
  headers: BrowserHeaders,
): Promise<Session> {
  const returned =
    "outcome" in request && typeof request.cres === "string"
      ? await takeChallengeResponse(dependencies, app, session, request.cres)
      : session
  if (isDecided(returned)) throw sessionIsComplete()
  if ("browserFingerprint" in request && returned.progress.phase === "browser") {
    throw invalidField("/browserFingerprint", "Send the browser's data first: frame and browser.")
  }
  const event = eventOf(request, headers, dependencies.wallClock())
  return event === null ? returned : changeSession(dependencies, app, returned, { event })
}

/**
 * Records what a browser brings back from a challenge. Anything but a response to this session's challenge has no
 * effect.
 */
export async function takeChallengeResponse(
  dependencies: SessionDependencies,
  app: App,
  session: Session,
  encoded: string,
): Promise<Session> {
  const bytes = decodeMessage(encoded)
  const { acsTransID } = session.progress
  if (bytes === null || acsTransID === null) return session
  const reading = readCRes(bytes, transactionOfSession(session))
  if (reading.kind !== "message") return session
  const event = { type: "returned", cres: reading.message, atMs: dependencies.wallClock() } as const
  return changeSession(dependencies, app, session, { event })
}

/** Returns null when nothing happens. */
function eventOf(request: BrowserRequest, headers: BrowserHeaders, atMs: number): SessionEvent | null {
  if ("browser" in request) {
    const browser = { ...request.browser, ...headers }
    return { type: "browser-known", browser, frame: request.frame ?? null, atMs }
  }
  if ("browserFingerprint" in request) {
    return { type: "fingerprinted", fingerprint: request.browserFingerprint, atMs }
  }
  return request.outcome === "success" ? null : { type: "left", reason: LEAVING[request.outcome], atMs }
}

function sessionNotFound(): NotFoundError {
  return new NotFoundError("The 3-D Secure session")
}

function sessionIsComplete(): InvalidRequestError {
  return new InvalidRequestError("The 3-D Secure session is complete.")
}
