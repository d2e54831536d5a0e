import { createHmac } from "node:crypto"
import type { App } from "@sealway/accounts"
import type { Platform } from "@sealway/http"
import type { Grant } from "@sealway/ports"
import type { GrantRequests, Prerequisites } from "./grant-request.ts"

/** A card that is authenticated without a challenge, and one that needs one. */
export const FRICTIONLESS_NUMBER = "4000000000003014"
export const CHALLENGE_NUMBER = "4000000000003030"

export const THREE_DS_SESSION = {
  merchant: { name: "Shop", website: "https://shop.example.com", categoryCode: "5411", country: "ie" },
  card: { number: FRICTIONLESS_NUMBER, expiry: { month: "09", year: "39" } },
  payment: { type: "one-off", amount: 1_000, currency: "eur" },
} as const

export const BROWSER_STEP = {
  frame: { width: 500, height: 600 },
  browser: {
    javaEnabled: false,
    javaScriptEnabled: true,
    language: "en-GB",
    colorDepth: 24,
    screenHeight: 1_080,
    screenWidth: 1_920,
    timeZone: -60,
  },
} as const

/** Returns the end of the URL for results, which only networks know. */
export async function resultsProofOf(platform: Platform, app: App, transactionId: string): Promise<string> {
  const { deriveKey } = await platform.keyring.open(app, 1, "secret")
  return createHmac("sha256", deriveKey("three-d-secure-results")).update(transactionId).digest("base64url")
}

/** What is read of a session that has been answered, by the ids of its messages. */
export interface Transactions {
  readonly threeDSServer: { readonly transactionIdentifier: string }
  readonly accessControlServer: { readonly transactionIdentifier: string }
  readonly directoryServer: { readonly transactionIdentifier: string }
}

/** Returns an issuer's results of a challenge. */
export function resultsOf(session: Transactions, transStatus: "Y" | "N" = "Y") {
  return {
    messageType: "RReq",
    messageVersion: "2.2.0",
    messageCategory: "01",
    threeDSServerTransID: session.threeDSServer.transactionIdentifier,
    dsTransID: session.directoryServer.transactionIdentifier,
    acsTransID: session.accessControlServer.transactionIdentifier,
    interactionCounter: "01",
    authenticationType: "02",
    transStatus,
    ...(transStatus === "Y"
      ? { authenticationValue: Buffer.alloc(20, 7).toString("base64"), eci: "05" }
      : { transStatusReason: "01" }),
  }
}

const merchantInitiated = { ...THREE_DS_SESSION, initiator: { type: "merchant", reason: "other-payment" } }

const headersOf = ({ app }: Prerequisites) => ({ "x-service-app-id": app.id })

async function begin(given: Prerequisites, number = FRICTIONLESS_NUMBER) {
  const body = { ...THREE_DS_SESSION, card: { ...THREE_DS_SESSION.card, number } }
  const { id = "" } = await given.prepare("create-3ds-session", { body })
  return { session_id: id }
}

async function tellBrowser(given: Prerequisites, path: Readonly<Record<string, string>>, body: object) {
  const request = { auth: "nobody", headers: headersOf(given), path, body } as const
  return given.prepare("update-3ds-browser-session", request)
}

/** Creates a session whose issuer requires a challenge. */
async function challenge(given: Prerequisites) {
  const path = await begin(given, CHALLENGE_NUMBER)
  await tellBrowser(given, path, BROWSER_STEP)
  await tellBrowser(given, path, { browserFingerprint: "complete" })
  const session: unknown = await given.prepare("get-3ds-session", { path })
  const { threeDSServer, ...servers } = session as Transactions
  return { session: { threeDSServer, ...servers }, transactionId: threeDSServer.transactionIdentifier }
}

export const THREE_DS_REQUESTS: GrantRequests = {
  "create-3ds-session": async () => [{ body: THREE_DS_SESSION }, { body: merchantInitiated }],
  "list-3ds-sessions": async (given) => {
    const { session_id: startingAfter } = await begin(given)
    return [{ query: { limit: "1" } }, { query: { startingAfter } }]
  },
  "get-3ds-session": async (given) => ({ path: await begin(given) }),
  "list-3ds-messages": async (given) => ({ path: await begin(given) }),
  "get-3ds-browser-session": async (given) => ({
    auth: "nobody",
    headers: headersOf(given),
    path: await begin(given),
  }),
  "update-3ds-browser-session": async (given) => {
    const path = await begin(given, CHALLENGE_NUMBER)
    await tellBrowser(given, path, BROWSER_STEP)
    const body = { browserFingerprint: "complete" }
    return { auth: "nobody", headers: headersOf(given), path, body }
  },
  "open-3ds-page": async (given) => {
    const session: unknown = await given.prepare("create-3ds-session", { body: THREE_DS_SESSION })
    const { nextAction } = session as { readonly nextAction: { readonly url: string } }
    return { auth: "nobody", path: { token: nextAction.url.split("/").at(-1) ?? "" } }
  },
  "finish-3ds-challenge": async (given) => {
    const { session, transactionId } = await challenge(given)
    const cres = {
      messageType: "CRes",
      messageVersion: "2.2.0",
      threeDSServerTransID: transactionId,
      acsTransID: session.accessControlServer.transactionIdentifier,
      transStatus: "Y",
    }
    return {
      auth: "nobody",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      path: { app_id: given.app.id, transaction_id: transactionId },
      text: `cres=${Buffer.from(JSON.stringify(cres)).toString("base64url")}`,
    }
  },
  "finish-3ds-fingerprint": async ({ app }) => ({
    auth: "nobody",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    path: { app_id: app.id, transaction_id: "x" },
    text: "threeDSMethodData=e30",
  }),
  "receive-3ds-results": async (given) => {
    const { session, transactionId } = await challenge(given)
    const proof = await resultsProofOf(given.platform, given.app, transactionId)
    const path = { app_id: given.app.id, transaction_id: transactionId, proof }
    return { auth: "nobody", path, body: resultsOf(session) }
  },
}

/** A session that is decided while it is read. */
const DECIDED_MEANWHILE = [
  "dynamodb:PutItem/payments",
  "dynamodb:DeleteItem/payments",
  "dynamodb:Query/config",
  "dynamodb:PutItem/events",
  "sqs:SendMessage/events",
] as const satisfies readonly Grant[]

const WITHOUT_CHANGE = DECIDED_MEANWHILE.filter((grant) => grant !== "dynamodb:PutItem/payments")

export const SELDOM_OF_THREE_DS: Readonly<Record<string, readonly Grant[]>> = {
  "get-3ds-session": DECIDED_MEANWHILE,
  "list-3ds-messages": DECIDED_MEANWHILE,
  "get-3ds-browser-session": DECIDED_MEANWHILE,
  // Its issuer requires a challenge: another request changes nothing.
  "update-3ds-browser-session": WITHOUT_CHANGE,
  "finish-3ds-challenge": WITHOUT_CHANGE,
}
