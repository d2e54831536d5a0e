import type { App } from "@sealway/accounts"
import { escapeHtml } from "@sealway/kernel"
import { encodeMessage, hostedPage, postingPage } from "@sealway/three-d-secure"
import { CHALLENGE_MS, type Challenge, ONE_TIME_CODE } from "./challenge.ts"

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:24rem;padding:1rem}" +
  "label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}" +
  "input,button{margin:.5rem 0;padding:.5rem}[role=alert]{color:#a40000}"

/** Ends the challenge when its time is over, even if nobody does anything. */
const SCRIPT =
  "setTimeout(function(){document.forms[1].submit()},Number(document.forms[1].dataset.remainingMs))"

export interface ChallengePage {
  readonly app: App
  readonly challenge: Challenge
  /** The path of this service to which the page's forms are posted. */
  readonly action: string
  /** The requestor's own data, returned unchanged. */
  readonly threeDSSessionData: string | undefined
  /** Whether the last code tried was wrong. */
  readonly isWrong: boolean
  /** Epoch milliseconds. */
  readonly nowMs: number
}

/** Renders the page on which the test issuer asks the cardholder. */
export function challengePage(page: ChallengePage): ReturnType<typeof hostedPage> {
  const { app, challenge, action, threeDSSessionData, isWrong, nowMs } = page
  const { merchantName, amount, lastFour } = challenge.facts
  const remainingMs = Math.max(challenge.createdAt + CHALLENGE_MS - nowMs, 0)
  const sessionData =
    threeDSSessionData === undefined
      ? ""
      : `<input type="hidden" name="threeDSSessionData" value="${escapeHtml(threeDSSessionData)}">`
  const purpose = [
    ...(amount === null ? [] : [`pay ${amount}`]),
    ...(merchantName === null ? [] : [`${amount === null ? "confirm your card " : ""}at ${merchantName}`]),
  ].join(" ")
  const form = `method="post" action="${escapeHtml(action)}"`
  const body =
    "<h1>Test issuer</h1>" +
    `<p>Card ending ${escapeHtml(lastFour)}: ${escapeHtml(purpose === "" ? "confirm your card" : purpose)}.</p>` +
    `<p>This is a sandbox. The one-time code is ${ONE_TIME_CODE}.</p>` +
    (isWrong ? '<p role="alert">The code is wrong. Try again.</p>' : "") +
    `<form ${form}><label for="code">One-time code</label>` +
    '<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="10">' +
    '<button name="action" value="code">Submit code</button>' +
    '<button name="action" value="succeed">Succeed</button>' +
    '<button name="action" value="fail">Fail</button>' +
    `<button name="action" value="cancel">Cancel</button>${sessionData}</form>` +
    `<form ${form} data-remaining-ms="${remainingMs}"><input type="hidden" name="action" value="leave">${sessionData}</form>`
  return hostedPage({
    title: "Test issuer",
    body,
    style: STYLE,
    script: SCRIPT,
    formAction: "'self'",
    framedBy: app.allowedOrigins,
  })
}

/** Sends the browser back to the requestor. @param message the text of the final CRes, or of an Erro */
export function finalPage(
  app: App,
  { facts }: Challenge,
  message: string,
  threeDSSessionData: string | undefined,
): ReturnType<typeof hostedPage> {
  return postingPage({
    title: "Back to the shop",
    url: facts.notificationURL,
    fields: { cres: encodeMessage(message), ...(threeDSSessionData !== undefined && { threeDSSessionData }) },
    framedBy: app.allowedOrigins,
  })
}
