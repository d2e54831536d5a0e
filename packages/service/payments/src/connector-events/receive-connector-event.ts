import { createHash } from "node:crypto"
import type { App } from "@sealway/accounts"
import {
  InvalidRequestError,
  invalidField,
  isId,
  PayloadTooLargeError,
  parseStrictJson,
  UnauthorizedError,
} from "@sealway/kernel"
import { appPartition, type RecordKey, type Table } from "@sealway/ports"
import { verifySignature } from "@sealway/webhooks"
import { SUBSCRIPTIONS } from "../account-updater/subscription-kind.ts"
import { applyUpdate } from "../account-updater/take-update.ts"
import { ACQUIRERS } from "../acquirers/acquirer-kind.ts"
import { CARDS, cardDecisionOf } from "../cards/card-kind.ts"
import { applyEnrolmentNews } from "../enrolments/apply-news.ts"
import type { EnrolmentDependencies } from "../enrolments/enrolled-kind.ts"
import { parseReference } from "../enrolments/enrolled-record.ts"
import { MERCHANTS } from "../merchants/merchant-kind.ts"
import { NETWORK_TOKENS, tokenDecisionOf } from "../network-tokens/network-token-kind.ts"
import type { ConnectorDirectory } from "../networks/connector/connector-directory.ts"
import { MAX_CONNECTOR_MESSAGE_BYTES } from "../networks/connector/connector-operation.ts"
import { type ConnectorEvent, connectorEventSchema } from "../networks/connector/protocol.ts"
import type { UnreadMessage } from "../networks/messages/authenticate.ts"
import { receiveAlert } from "../pre-chargeback-alerts/receive-alert.ts"
import { applySignal } from "../retries/signal-retry-watch.ts"
import { receiveResults } from "../three-d-secure-sessions/steps/receive-results.ts"

export interface ConnectorEventDependencies extends EnrolmentDependencies {
  readonly connectors: Pick<ConnectorDirectory, "find">
}

/** A received message, not authenticated yet. */
export interface ConnectorMessage {
  readonly appId: string
  readonly webhookId: string
  readonly webhookTimestamp: string
  readonly webhookSignature: string
  readonly body: Buffer
}

const MAX_DEPTH = 16
/** Matches the detail of an Erro that names elements. */
const ELEMENT_NAMES = /^[A-Za-z0-9.]+(,[A-Za-z0-9.]+)*$/
/** How long the id of a message is remembered: signatures are valid for minutes. */
const KNOWN_SECONDS = 24 * 60 * 60

/**
 * Processes what a connector reports, once: a repeated message with the same id has no effect.
 *
 * @throws UnauthorizedError alike for an app that is unknown, disabled or has no connector, and for a wrong signature
 * @throws InvalidRequestError, PayloadTooLargeError
 */
export async function receiveConnectorEvent(
  message: ConnectorMessage,
  dependencies: ConnectorEventDependencies,
): Promise<void> {
  if (message.body.length > MAX_CONNECTOR_MESSAGE_BYTES) {
    throw new PayloadTooLargeError(`The body is larger than ${MAX_CONNECTOR_MESSAGE_BYTES} bytes.`)
  }
  const { app, connectorId } = await authenticate(message, dependencies)
  const event = parseEvent(message.body)
  const seen = seenKey(app, connectorId, message.webhookId)
  if ((await dependencies.paymentsTable.get(seen)) !== null) return
  await apply(event, app, dependencies)
  await noteSeen(dependencies, seen)
}

async function authenticate(
  { appId, webhookId, webhookTimestamp, webhookSignature, body }: ConnectorMessage,
  { directory, connectors, wallClock }: ConnectorEventDependencies,
): Promise<{ readonly app: App; readonly connectorId: string }> {
  const app = isId("app", appId) ? await directory.app(appId) : null
  const target = app === null || app.status === "disabled" ? null : await connectors.find(app)
  const signed = { id: webhookId, timestamp: webhookTimestamp, signature: webhookSignature, body }
  if (app === null || target === null || !verifySignature(signed, target.secrets, wallClock())) {
    throw new UnauthorizedError()
  }
  return { app, connectorId: target.connectorId }
}

function parseEvent(body: Buffer): ConnectorEvent {
  let parsed: unknown
  try {
    parsed = parseStrictJson(body, MAX_DEPTH)
  } catch (cause) {
    throw new InvalidRequestError("The body is not valid JSON.", { cause })
  }
  const event = connectorEventSchema.safeParse(parsed)
  if (event.success) return event.data
  throw new InvalidRequestError("The event does not match the schema.", {
    fields: event.error.issues.map(({ path }) => ({
      pointer: path.map((part) => `/${String(part)}`).join(""),
      reason: "The value does not match the schema.",
    })),
  })
}

async function apply(
  event: ConnectorEvent,
  app: App,
  dependencies: ConnectorEventDependencies,
): Promise<void> {
  if (event.type === "3ds-challenge.results") return takeResults(event.rreq, app, dependencies)
  if (event.type === "pre-chargeback-alert.created") return receiveAlert(app, event.alert, dependencies)
  const reference = parseReference(event.reference)
  if (reference === null) throw unknownReference()
  const told = { ...reference, occurredAt: event.occurredAt }
  const { id } = reference
  if (event.type === "card.updated") {
    if (!isId("card", id)) throw unknownReference()
    const answer = cardDecisionOf(event.card, id, dependencies.wallClock())
    return applyEnrolmentNews(CARDS, app, { ...told, answer }, dependencies)
  }
  if (event.type === "account.updated") {
    if (!isId("card_subscription", id)) throw unknownReference()
    const { sequence, update } = event
    return applyUpdate(app, { ...told, sequence, update }, dependencies)
  }
  if (event.type === "network-token.updated") {
    if (!isId("network_token", id)) throw unknownReference()
    return applyEnrolmentNews(
      NETWORK_TOKENS,
      app,
      { ...told, answer: tokenDecisionOf(event.token) },
      dependencies,
    )
  }
  if (event.type === "retry-watch.signal") {
    if (!isId("retry_watch", id)) throw unknownReference()
    const { signal, confidence } = event
    return applySignal(app, { ...told, signal, confidence }, dependencies)
  }
  const news = { ...told, answer: event.enrolment }
  if (isId("merchant", id)) return applyEnrolmentNews(MERCHANTS, app, news, dependencies)
  if (isId("acquirer", id)) return applyEnrolmentNews(ACQUIRERS, app, news, dependencies)
  if (isId("card_subscription", id)) return applyEnrolmentNews(SUBSCRIPTIONS, app, news, dependencies)
  throw unknownReference()
}

/** Handles results. A connector passes an Erro on to its directory server, so it gets what that must say. */
async function takeResults(
  rreq: UnreadMessage,
  app: App,
  dependencies: ConnectorEventDependencies,
): Promise<void> {
  const answer = await receiveResults(dependencies, app, rreq)
  if (answer.messageType === "RRes") return
  const { errorCode, errorDescription, errorDetail } = answer
  const reason = `${errorDescription} (${errorCode}).`
  const names = ELEMENT_NAMES.test(errorDetail) ? errorDetail.split(",") : []
  const pointers = names.length === 0 ? ["/rreq"] : names.map((name) => `/rreq/${name.replaceAll(".", "/")}`)
  throw new InvalidRequestError("The results cannot be accepted.", {
    fields: pointers.map((pointer) => ({ pointer, reason })),
  })
}

function unknownReference(): InvalidRequestError {
  return invalidField("/reference", "The reference does not belong to a request from Sealway.")
}

/** Ids come from outside, so only their hash is stored. A new connector may use the same ids as the one before it. */
function seenKey(app: App, connectorId: string, webhookId: string): RecordKey {
  const hash = createHash("sha256").update(`${connectorId}\0${webhookId}`).digest("base64url")
  return { pk: appPartition(app.id), sk: `connector-event#${hash}` }
}

async function noteSeen(
  { paymentsTable, wallClock }: { readonly paymentsTable: Table; readonly wallClock: () => number },
  key: RecordKey,
): Promise<void> {
  const expiresAt = Math.floor(wallClock() / 1000) + KNOWN_SECONDS
  await paymentsTable.create(key, { expiresAt, revision: 1 })
}
