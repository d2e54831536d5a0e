import type { App } from "@sealway/accounts"
import { isId, NotFoundError, requireDestinationUrl } from "@sealway/kernel"
import type { Draws, Table } from "@sealway/ports"
import {
  type AuditAuthor,
  type AuditLog,
  appEntry,
  audited,
  type Events,
  recordChanges,
} from "@sealway/records"
import { requireRelay } from "../records/require-relay.ts"
import { activityLink, dashboardUrlOf } from "./activity-link.ts"
import { alertBody, alertFields } from "./alert-message.ts"
import { MAX_ALERTS, type RelayAlert } from "./relay-alert.ts"
import { alertRecordKey, alertRecords, listRelayAlerts, withinRelay } from "./relay-alert-table.ts"

export interface AlertDependencies {
  readonly configTable: Table
  readonly audit: AuditLog
  readonly draws: Draws
  readonly events: Pick<Events, "publish" | "forget">
  /** Whether alerts may go to private addresses, and without TLS. */
  readonly allowPrivateDestinations: boolean
  /** Whether alerts can link to a dashboard. */
  readonly hasDashboard: boolean
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

const alertChanges = recordChanges({
  records: alertRecords,
  max: MAX_ALERTS,
  tooMany: `The relay has ${MAX_ALERTS} alerts, the maximum.`,
  changedMeanwhile: "Another request is changing this alert. Try again.",
  within: withinRelay,
})

export type AlertSettings = Pick<RelayAlert, "type" | "url">

/** Finds an alert. @throws NotFoundError when the app has no such relay, or the relay no such alert */
export async function requireRelayAlert(
  dependencies: Pick<AlertDependencies, "configTable">,
  app: App,
  relayId: string,
  id: string,
): Promise<RelayAlert> {
  const relay = await requireRelay(dependencies, app, relayId)
  const name = { relayId: relay.id, id }
  const alert = isId("relay_alert", id)
    ? await alertRecords.find(dependencies.configTable, app.id, name)
    : null
  if (alert === null) throw new NotFoundError("The alert")
  return alert
}

/**
 * Creates an alert.
 *
 * @throws NotFoundError when the app has no such relay, InvalidRequestError when the URL is not allowed, ConflictError
 * when the relay has 10 alerts
 */
export async function addRelayAlert(
  dependencies: AlertDependencies,
  app: App,
  relayId: string,
  settings: AlertSettings,
  author: AuditAuthor,
): Promise<RelayAlert> {
  const { configTable, draws, wallClock } = dependencies
  const relay = await requireRelay(dependencies, app, relayId)
  requireUrl(settings.url, dependencies)
  alertChanges.requireRoom(await listRelayAlerts(configTable, app.id, relay.id))
  const createdAt = wallClock()
  const alert: RelayAlert = {
    ...settings,
    id: draws.newId("relay_alert", createdAt),
    appId: app.id,
    relayId: relay.id,
    createdAt,
    updatedAt: createdAt,
    revision: 1,
  }
  return alertChanges.create(dependencies, entryOf(app, alert, "create", author), app.id, alert)
}

/**
 * Changes an alert.
 *
 * @throws NotFoundError when there is no such alert, InvalidRequestError when the URL is not allowed, ConflictError
 * when another call changes the alert at the same time
 */
export async function changeRelayAlert(
  dependencies: AlertDependencies,
  app: App,
  place: { readonly relayId: string; readonly id: string },
  changes: Partial<AlertSettings>,
  author: AuditAuthor,
): Promise<RelayAlert> {
  const alert = await requireRelayAlert(dependencies, app, place.relayId, place.id)
  if (changes.url !== undefined) requireUrl(changes.url, dependencies)
  const changed = { ...alert, ...changes, updatedAt: dependencies.wallClock() }
  return alertChanges.replace(dependencies, entryOf(app, changed, "update", author), app.id, changed)
}

/**
 * Deletes an alert.
 *
 * @throws NotFoundError when there is no such alert, ConflictError when another call changes it first
 */
export async function dropRelayAlert(
  dependencies: AlertDependencies,
  app: App,
  place: { readonly relayId: string; readonly id: string },
  author: AuditAuthor,
): Promise<void> {
  const alert = await requireRelayAlert(dependencies, app, place.relayId, place.id)
  await alertChanges.remove(dependencies, entryOf(app, alert, "delete", author), app.id, alert)
}

/**
 * Sends an alert marked as a test to one alert's receiver only.
 *
 * @param browserUrl where browsers reach the API
 * @returns the id of the event, to look up its delivery
 * @throws NotFoundError when there is no such alert
 */
export async function sendTestAlert(
  dependencies: AlertDependencies,
  app: App,
  place: { readonly relayId: string; readonly id: string },
  author: AuditAuthor,
  browserUrl: string,
): Promise<string> {
  const { audit, draws, events, hasDashboard, wallClock } = dependencies
  const relay = await requireRelay(dependencies, app, place.relayId)
  const alert = await requireRelayAlert(dependencies, app, place.relayId, place.id)
  const timestamp = wallClock()
  const fields = alertFields(relay, {
    errorMessage: "This is a test.",
    evMessage: "No request met an error.",
    activityLink: activityLink(dashboardUrlOf(browserUrl, hasDashboard), relay, null),
    timestamp,
    errorType: "test",
    statusCode: 200,
  })
  const id = draws.newId("webhook_event", timestamp)
  await audited(audit, entryOf(app, alert, "test", author), () =>
    events.publish({
      id,
      teamId: app.teamId,
      appId: app.id,
      type: "relay.alert.test",
      data: fields,
      recipients: [{ id: alert.id, recordKey: alertRecordKey(alert), body: alertBody(alert.type, fields) }],
      toEndpoints: false,
    }),
  )
  return id
}
function requireUrl(url: string, { allowPrivateDestinations }: AlertDependencies): void {
  requireDestinationUrl(url, "/url", { allowPrivate: allowPrivateDestinations })
}

/** Shows only the host of the URL: paths and parameters of receivers are often secrets. */
function entryOf(app: App, { id, relayId, type, url }: RelayAlert, verb: string, author: AuditAuthor) {
  const details = { relay: relayId, type, host: URL.parse(url)?.host ?? null }
  return appEntry(app, { type: "relay-alert", id }, verb, author, details)
}
