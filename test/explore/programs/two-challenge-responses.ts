import { strict as assert } from "node:assert"
import { createEnrolmentWorker, requeueSessions } from "@sealway/payments"
import {
  BROWSER_STEP,
  CHALLENGE_NUMBER,
  resultsOf,
  resultsProofOf,
  THREE_DS_SESSION,
  type Transactions,
} from "../../support/three-d-secure-requests.ts"
import type { Program } from "../program.ts"
import { createAccount, prepare } from "../world/accounts.ts"
import { publishedEvents } from "../world/events.ts"
import type { World } from "../world/world.ts"

const FORM = { "content-type": "application/x-www-form-urlencoded" }
const HOUR_MS = 3_600_000

/** Begins a session whose issuer requires a challenge. */
async function beginChallenge(world: World) {
  const process = world.start()
  const account = await createAccount(process)
  const { app, apiKey } = account
  await prepare(process, "create-webhook-endpoint", {
    apiKey,
    body: { url: "https://example.com/", events: ["payments.*"] },
  })
  const card = { ...THREE_DS_SESSION.card, number: CHALLENGE_NUMBER }
  const { id } = await prepare(process, "create-3ds-session", { apiKey, body: { ...THREE_DS_SESSION, card } })
  const pathParameters = { session_id: String(id) }
  const headers = { "x-service-app-id": app.id }
  for (const body of [BROWSER_STEP, { browserFingerprint: "complete" }]) {
    await prepare(process, "update-3ds-browser-session", { headers, pathParameters, body })
  }
  const session: unknown = await prepare(process, "get-3ds-session", { apiKey, pathParameters })
  return { ...account, pathParameters, session: session as Transactions, process }
}

export const twoChallengeResponses: Program = {
  name: "two challenge responses and the issuer's results come to one 3-D Secure session",
  promises:
    "a session never leaves its end state, succeeds only by the issuer's results, and is published once",
  async prepare(world) {
    const { app, apiKey, pathParameters, session, process } = await beginChallenge(world)
    const { transactionIdentifier } = session.threeDSServer
    const proof = await resultsProofOf(process.platform, app, transactionIdentifier)
    const challengePath = { app_id: app.id, transaction_id: transactionIdentifier }
    const cres = (transStatus: "Y" | "N") => ({
      messageType: "CRes",
      messageVersion: "2.2.0",
      threeDSServerTransID: transactionIdentifier,
      acsTransID: session.accessControlServer.transactionIdentifier,
      transStatus,
    })
    return (world) => {
      const seen: string[] = []
      const look = async () => {
        const answer = await world.start().send("get-3ds-session", { apiKey, pathParameters })
        if (answer?.status !== 200) return null
        const { status, authentication, eci, failureReason, cryptogram } = answer.json
        const state = JSON.stringify({ status, authentication, eci, failureReason })
        if (status !== "success") assert.equal(cryptogram, undefined, "a cryptogram without authentication")
        if (status !== "action-required") seen.push(state)
        return String(status)
      }
      const respond = (transStatus: "Y" | "N") => () => {
        const text = `cres=${Buffer.from(JSON.stringify(cres(transStatus))).toString("base64url")}`
        const request = { headers: FORM, pathParameters: challengePath, text }
        return world.start().send("finish-3ds-challenge", request)
      }
      return {
        actors: {
          passed: respond("Y"),
          refused: respond("N"),
          async issuer() {
            const request = { pathParameters: { ...challengePath, proof }, body: resultsOf(session) }
            await world.start().send("receive-3ds-results", request)
          },
          watch: look,
        },
        async check() {
          await look()
          for (let round = 0; round < 2; round++) {
            await world.sleep(HOUR_MS)
            await requeueSessions(world.start().service.payments, { overdueMs: 1 })
            await world.deliverAll({
              enrolments() {
                const worker = world.start()
                return worker.worker(createEnrolmentWorker(worker.service.payments))
              },
            })
          }
          const status = await look()
          assert.ok(new Set(seen).size <= 1, `the session was ${[...new Set(seen)].join(", then ")}`)
          assert.notEqual(status, "action-required", "the session never ends")
          const told = publishedEvents(world).map(({ type }) => type)
          assert.deepEqual(
            told,
            [`payments.3ds-session.${status}`],
            "the end of the session is not published once",
          )
        },
      }
    }
  },
}
