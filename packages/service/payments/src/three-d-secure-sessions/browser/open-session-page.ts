import type { App } from "@sealway/accounts"
import { pageData } from "@sealway/kernel"
import { hostedPage } from "@sealway/three-d-secure"
import { findByPageToken } from "../record/page-token.ts"
import type { Session } from "../record/session.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import { findSession } from "../record/session-table.ts"
import { SESSION_SCRIPT } from "./session-script.ts"

const STYLE =
  "html,body{height:100%;margin:0}body{display:flex;flex-direction:column;align-items:center;font:1rem/1.5 system-ui,sans-serif}" +
  "p,button{margin:1rem}.challenge{flex:1;width:100%;border:0}button{font:inherit}:root{color-scheme:light dark}"

/** The page calls this service, and frames and posts to the issuer's pages, whose addresses only the network knows. */
const DIRECTIVES = ["connect-src 'self'", "frame-src 'self' https:"]
const FORM_ACTION = "'self' https:"

/** Renders the page that takes a cardholder through a session, for shops without an SDK. */
function sessionPage(app: App, { id, appId }: Pick<Session, "id" | "appId">) {
  const data = { id, appId, origins: app.allowedOrigins }
  return hostedPage({
    title: "3-D Secure",
    body: `<p id="text" role="status">Contacting your bank…</p><button id="cancel" type="button">Cancel</button>${pageData(data)}`,
    style: STYLE,
    script: SESSION_SCRIPT,
    formAction: FORM_ACTION,
    directives: DIRECTIVES,
    framedBy: app.allowedOrigins,
  })
}

/** Renders the page for an address that is invalid or expired. @param app null when it is unknown */
function expiredPage(app: App | null) {
  return hostedPage({
    title: "3-D Secure",
    body: "<p>This page was already opened or has expired. Return to the shop and try again.</p>",
    style: STYLE,
    formAction: "'none'",
    framedBy: app?.allowedOrigins ?? [],
  })
}

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
