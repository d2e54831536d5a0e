import { encodeMessage, writeCReq, writeMethodData } from "@sealway/three-d-secure"
import type { Session } from "../record/session.ts"
import { fingerprintNotificationUrl } from "../record/session-urls.ts"
import { statusOf } from "../record/show-session.ts"
import { challengeRequestOf } from "../steps/challenge-request.ts"
import { transactionOfSession } from "../steps/change-session.ts"
import type { BrowserSession } from "./browser-request.ts"

/** Returns what a browser learns about a session: its state, and what to do next. */
export function showBrowserSession(session: Session): BrowserSession {
  const nextAction = nextActionOf(session)
  return { status: statusOf(session), ...(nextAction !== null && { nextAction }) }
}

function nextActionOf(session: Session): NonNullable<BrowserSession["nextAction"]> | null {
  const { appId, transactionId, details, progress } = session
  const { methodUrl, serviceOrigin, version } = details
  if (progress.phase === "fingerprint" && methodUrl !== null) {
    const threeDSMethodNotificationURL = fingerprintNotificationUrl({ serviceOrigin, appId, transactionId })
    const data = writeMethodData({ threeDSServerTransID: transactionId, threeDSMethodNotificationURL })
    return { type: "browser-fingerprint", url: methodUrl, data }
  }
  const { acsTransID, acsUrl, frame } = progress
  if (progress.phase !== "challenge" || acsTransID === null || acsUrl === null) return null
  const creq = challengeRequestOf({ version, threeDSServerTransID: transactionId, acsTransID, frame })
  const text = writeCReq(creq, transactionOfSession(session))
  return { type: "challenge", url: acsUrl, creq: encodeMessage(text) }
}
