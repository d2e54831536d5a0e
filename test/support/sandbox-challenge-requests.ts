import type { Grant } from "@sealway/ports"
import type { GrantRequests, Prerequisites } from "./grant-request.ts"
import { BROWSER_STEP, CHALLENGE_NUMBER, THREE_DS_SESSION } from "./three-d-secure-requests.ts"

const FORM = { auth: "nobody", headers: { "content-type": "application/x-www-form-urlencoded" } } as const

/** Prepares the page of a challenge that a browser is sent to, and its fields. */
async function challenge(given: Prerequisites) {
  const body = { ...THREE_DS_SESSION, card: { ...THREE_DS_SESSION.card, number: CHALLENGE_NUMBER } }
  const { id = "" } = await given.prepare("create-3ds-session", { body })
  const headers = { "x-service-app-id": given.app.id }
  const request = { auth: "nobody", headers, path: { session_id: id } } as const
  await given.prepare("update-3ds-browser-session", { ...request, body: BROWSER_STEP })
  const told: unknown = await given.prepare("update-3ds-browser-session", {
    ...request,
    body: { browserFingerprint: "complete" },
  })
  const { nextAction } = told as { readonly nextAction: { readonly url: string; readonly creq: string } }
  return { path: { capability: nextAction.url.split("/").at(-1) ?? "" }, creq: nextAction.creq }
}

const methodData = () => {
  const data = {
    threeDSServerTransID: "11111111-1111-4111-8111-111111111111",
    threeDSMethodNotificationURL: "http://localhost/taken",
  }
  return Buffer.from(JSON.stringify(data)).toString("base64url")
}

export const SANDBOX_CHALLENGE_REQUESTS: GrantRequests = {
  "open-sandbox-challenge": async (given) => {
    const { path, creq } = await challenge(given)
    return { ...FORM, path, text: `creq=${creq}` }
  },
  "answer-sandbox-challenge": async (given) => {
    const { path } = await challenge(given)
    return { ...FORM, path, text: "action=succeed" }
  },
  "take-sandbox-fingerprint": ({ app }) => ({
    ...FORM,
    path: { app_id: app.id },
    text: `threeDSMethodData=${methodData()}`,
  }),
}

/** A challenge whose time was over before its page was opened. */
export const SELDOM_OF_SANDBOX_CHALLENGES: Readonly<Record<string, readonly Grant[]>> = {
  "open-sandbox-challenge": [
    "dynamodb:DeleteItem/payments",
    "dynamodb:Query/config",
    "dynamodb:PutItem/events",
    "sqs:SendMessage/events",
  ],
}
