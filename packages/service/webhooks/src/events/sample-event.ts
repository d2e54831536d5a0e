import type { App } from "@sealway/accounts"
import type { Draws } from "@sealway/ports"
import { EMPTY_CHAIN, linkAuditRecord } from "@sealway/records/audit-chain"
import type { NamedEvent } from "@sealway/records/event-types"
import {
  sampleAccountUpdate,
  sampleAcquirer,
  sampleAlert,
  sampleCard,
  sampleMerchant,
  sampleNetworkToken,
  sampleRetrySignal,
  sampleThreeDSSession,
} from "./sample-payments.ts"

const FUNCTION = "example-function"
const DEPLOYMENT = 1
const RUN_MS = 250

/**
 * Returns sample data of an event, with every field that a real one of the type has. The field `test` marks it, which
 * real events never have: the things it names do not exist.
 *
 * @param nowMs epoch milliseconds
 */
export function sampleData(
  type: NamedEvent,
  app: App,
  { newId }: Pick<Draws, "newId">,
  nowMs: number,
): object {
  return { ...dataOf(type, app, (prefix) => newId(prefix, nowMs), nowMs), test: true }
}

function dataOf(
  type: NamedEvent,
  { id: appId, teamId }: App,
  newId: (
    prefix:
      | "func"
      | "func_run"
      | "relay"
      | "relay_activity"
      | "key"
      | "merchant"
      | "acquirer"
      | "card"
      | "card_subscription"
      | "network_token"
      | "retry_watch"
      | "chargeback_alert"
      | "tds"
      | "honey_token"
      | "honey_touch",
  ) => string,
  nowMs: number,
): object {
  switch (type) {
    case "function.run.completed": {
      const run = newId("func_run")
      return { run, function: FUNCTION, status: "success", createdAt: nowMs - RUN_MS, completedAt: nowMs }
    }
    case "function.deployment.started":
    case "function.deployment.updated":
    case "function.deployment.finished": {
      const status = type === "function.deployment.finished" ? "ready" : "deploying"
      const functionId = newId("func")
      return { function: FUNCTION, functionId, deployment: DEPLOYMENT, status, error: null }
    }
    case "relay.error": {
      const relay = newId("relay")
      return {
        relayUuid: relay,
        teamUuid: teamId,
        errorMessage: "This is a test.",
        evMessage: "No request met an error.",
        activityLink: `/relays/${relay}/activity/${newId("relay_activity")}`,
        timestamp: nowMs,
        errorType: "request-timeout",
        statusCode: 504,
        statusGroup: "5XX",
        inboundDomain: "example-com.relay.example",
      }
    }
    case "audit-log.event": {
      const record = {
        at: nowMs,
        teamId,
        appId,
        action: "data-role.create",
        actor: { type: "api-key", id: newId("key") },
        target: { type: "data-role", id: "example-role" },
        ip: "192.0.2.1",
        requestId: null,
        details: { test: true },
      } as const
      return linkAuditRecord(record, EMPTY_CHAIN)
    }
    case "honey-token.touched": {
      return {
        honeyToken: { id: newId("honey_token"), name: "Example", role: null },
        touch: newId("honey_touch"),
        actor: { type: "api-key", id: newId("key") },
        way: { endpoint: "decrypt" },
        ip: "192.0.2.1",
        requestId: null,
        at: nowMs,
      }
    }
    case "payments.merchant.updated":
      return sampleMerchant(newId("merchant"), nowMs)
    case "payments.acquirer.updated":
      return sampleAcquirer(newId("acquirer"), nowMs)
    case "payments.3ds-session.success":
      return sampleThreeDSSession(newId("tds"), "success", nowMs)
    case "payments.3ds-session.failure":
      return sampleThreeDSSession(newId("tds"), "failure", nowMs)
    case "payments.network-token.updated":
      return sampleNetworkToken(newId("network_token"), newId("merchant"), nowMs)
    case "payments.card.updated":
      return sampleCard(newId("card"), newId("card"), nowMs)
    case "payments.account-updater.updated":
      return sampleAccountUpdate(newId("card_subscription"), nowMs)
    case "payments.intelligent-retries.signal":
      return sampleRetrySignal(newId("retry_watch"), nowMs)
    case "payments.pre-chargeback-alert.created":
    case "payments.pre-chargeback-alert.reminder":
      return sampleAlert(newId("chargeback_alert"), newId("merchant"), "open", nowMs)
    case "payments.pre-chargeback-alert.updated":
      return sampleAlert(newId("chargeback_alert"), newId("merchant"), "resolved", nowMs)
  }
}
