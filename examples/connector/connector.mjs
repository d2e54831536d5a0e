// A small connector: answers Sealway for the card networks, over mutual TLS, and tells it of decisions.
//
//   node connector.mjs --port 8443 --key server.key --cert server.crt --client-ca client-ca.crt \
//     --secret-file signing-secret.txt
//
// It needs Node.js 20 and nothing else. A real one asks a processor where this one looks into its memory.
import { createHmac, timingSafeEqual } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:https"
import { parseArgs } from "node:util"

const MAX_BYTES = 64 * 1024
const MAX_AGE_SECONDS = 5 * 60

/** The signature of a message by the Standard Webhooks scheme. @param secret `whsec_…` */
export function sign(secret, id, timestamp, body) {
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`
}

/** Whether Sealway has signed a request. During a rotation it signs with two secrets. */
function isSigned(headers, body, secret, nowSeconds) {
  const {
    "webhook-id": id = "",
    "webhook-timestamp": timestamp = "",
    "webhook-signature": given = "",
  } = headers
  if (Math.abs(nowSeconds - Number(timestamp)) > MAX_AGE_SECONDS) return false
  const expected = Buffer.from(sign(secret, id, timestamp, body))
  return given.split(" ").some((each) => {
    const signature = Buffer.from(each)
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
}

/**
 * What this connector knows: nothing of cards, so that it says so, and what it has decided about enrolments. Asked for a
 * reference again, it answers as before.
 */
export function createAnswers({
  decide = () => ({ status: "active" }),
  registerCard = () => ({ status: "active", automaticUpdates: "enabled" }),
  subscribeUpdates = () => ({ status: "active" }),
  provisionToken = () => ({ result: "refused", reason: "provider-unavailable" }),
  tokenStanding = () => ({ status: "active" }),
  watchRetry = () => ({ status: "watching" }),
  answerAlert = () => ({ result: "taken" }),
} = {}) {
  const enrolments = new Map()
  const enrol = ({ reference, service = "" }) => {
    if (!enrolments.has(reference)) enrolments.set(reference, decide({ reference, service }))
    return enrolments.get(reference)
  }
  const withdraw = ({ reference }) => {
    enrolments.delete(reference)
    return { status: "withdrawn" }
  }
  return {
    "/ping": () => ({ status: "ok" }),
    "/bin": () => ({ range: null }),
    "/par": () => ({ paymentAccountReference: null }),
    "/verify": () => ({}),
    "/enrol-merchant": enrol,
    "/withdraw-merchant": withdraw,
    "/register-domain": enrol,
    "/withdraw-domain": withdraw,
    "/enrol-acquirer": enrol,
    "/withdraw-acquirer": withdraw,
    // No directory server knows the card, so that none is asked to authenticate its holder.
    "/3ds-range": () => ({ range: null }),
    "/authenticate": ({ areq }) => ({ message: notConnected(areq) }),
    "/register-card": registerCard,
    "/deregister-card": () => ({ status: "deregistered" }),
    "/subscribe-updates": subscribeUpdates,
    "/unsubscribe-updates": () => ({ status: "unsubscribed" }),
    "/watch-retry": watchRetry,
    "/unwatch-retry": () => ({ status: "unwatched" }),
    "/answer-alert": answerAlert,
    "/provision-token": provisionToken,
    "/token-standing": tokenStanding,
    "/delete-token": () => ({ status: "deleted" }),
    "/cryptogram": () => ({ result: "refused", reason: "token-not-active" }),
    "/card-art": () => ({ art: null }),
  }
}

/** What a 3DS server says when it has no directory server. A real connector answers with the ARes of its directory server. */
const notConnected = ({ messageVersion, threeDSServerTransID }) => ({
  messageType: "Erro",
  messageVersion,
  threeDSServerTransID,
  errorCode: "405",
  errorComponent: "S",
  errorDescription: "The system cannot be reached",
  errorDetail: "No directory server is connected",
  errorMessageType: "AReq",
})

/** Answers callers that show a client certificate from the authority and sign with the secret. */
export async function startConnector({ port, key, cert, clientCa, secret, answers, onRequest = () => {} }) {
  const tls = { key, cert, ca: clientCa, requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.2" }
  const server = createServer(tls, async (request, response) => {
    const chunks = []
    let bytes = 0
    for await (const chunk of request) {
      bytes += chunk.length
      if (bytes > MAX_BYTES) return response.writeHead(413).end()
      chunks.push(chunk)
    }
    const body = Buffer.concat(chunks).toString()
    if (!isSigned(request.headers, body, secret(), Date.now() / 1000)) return response.writeHead(401).end()
    const answer = answers[request.url]
    if (answer === undefined) return response.writeHead(404).end()
    onRequest(request, body)
    const told = JSON.stringify(await answer(JSON.parse(body)))
    response.writeHead(200, { "content-type": "application/json" }).end(told)
  })
  await new Promise((resolve) => server.listen(port, resolve))
  return server
}

/** Tells Sealway what became of an enrolment. Send it again, with the same id, until it is answered with 204. */
export function tellEnrolment({ reference, enrolment, occurredAt = Date.now(), ...to }) {
  return tell({ type: "enrolment.updated", occurredAt, reference, enrolment }, to)
}

/** Tells Sealway how a card stands that is registered for updates. */
export function tellCard({ reference, card, occurredAt = Date.now(), ...to }) {
  return tell({ type: "card.updated", occurredAt, reference, card }, to)
}

/**
 * Reports to Sealway that the card of a subscription has changed. `sequence` counts the updates of the subscription from 1,
 * so that they can be sent in any order and repeated.
 */
export function tellUpdate({ reference, sequence, update, occurredAt = Date.now(), ...to }) {
  return tell({ type: "account.updated", occurredAt, reference, sequence, update }, to)
}

/** Tells Sealway what is new of a network token. */
export function tellToken({ reference, token, occurredAt = Date.now(), ...to }) {
  return tell({ type: "network-token.updated", occurredAt, reference, token }, to)
}

/** Tells Sealway when a payment that was declined may pass, or that it will not. */
export function tellSignal({ reference, signal, confidence, occurredAt = Date.now(), ...to }) {
  return tell({ type: "retry-watch.signal", occurredAt, reference, signal, confidence }, to)
}

/** Tells Sealway of a dispute. Told again, by the same `alert.reference`, it is the same alert. */
export function tellAlert({ alert, occurredAt = Date.now(), ...to }) {
  return tell({ type: "pre-chargeback-alert.created", occurredAt, alert }, to)
}

/**
 * Takes the results of a challenge to Sealway, as the directory server sent them. 204: answer the directory server with an
 * RRes whose resultsStatus is 01. 400: answer with an Erro, whose code and elements are in the `fields` of the problem.
 */
export function tellResults({ rreq, ...to }) {
  return tell({ type: "3ds-challenge.results", rreq }, to)
}

async function tell(event, { sealway, appId, secret, id }) {
  const body = JSON.stringify(event)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const { status } = await fetch(`${sealway}/payments/connector-events`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-service-app-id": appId,
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": sign(secret, id, timestamp, body),
    },
    body,
  })
  return status
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "8443" },
      key: { type: "string" },
      cert: { type: "string" },
      "client-ca": { type: "string" },
      "secret-file": { type: "string" },
    },
  })
  await startConnector({
    port: Number(values.port),
    key: readFileSync(values.key),
    cert: readFileSync(values.cert),
    clientCa: readFileSync(values["client-ca"]),
    secret: () => readFileSync(values["secret-file"], "utf8").trim(),
    answers: createAnswers(),
    onRequest: ({ url }) => process.stdout.write(`${url}\n`),
  })
  process.stdout.write(`The connector listens on port ${values.port}\n`)
}
