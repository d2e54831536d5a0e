import { takesEvent } from "@sealway/records"
import { type AuditRecord, auditRecordSchema } from "@sealway/records/audit-chain"
import type { DeliveryDependencies, WorkerDependencies } from "../dependencies.ts"
import { startDelivery } from "../records/delivery.ts"
import type { Delivery } from "../records/delivery-table.ts"
import { deliveryRecords, listDeliveries } from "../records/delivery-table.ts"
import { putIntoInbox } from "../records/listener-inbox.ts"
import { endpointRecords } from "../records/webhook-endpoint-table.ts"
import { eventRecords, type WebhookEvent } from "../records/webhook-event-table.ts"
import { listenerRecords } from "../records/webhook-listener-table.ts"
import { CALLBACK } from "./destination.ts"
import { type EventMessage, sendAttempt } from "./messages.ts"
import { settleEvent } from "./settle-event.ts"

/**
 * Distributes an event: records a delivery for each endpoint that subscribes to it, puts it into the listeners'
 * inboxes, then requests the first attempts. Repeated, it requests those still missing, and ignores endpoints created
 * since.
 */
export async function fanOut(
  { appId, eventId }: EventMessage,
  dependencies: DeliveryDependencies & Pick<WorkerDependencies, "onAuditRecord">,
): Promise<void> {
  const { eventsTable, queues, wallClock, onAuditRecord } = dependencies
  const event = await eventRecords.find(eventsTable, appId, { id: eventId })
  if (event === null) return
  if (!event.fannedOut) {
    const record = auditRecordOf(event)
    if (record !== null) await onAuditRecord?.(record)
    await writeDeliveries(event, dependencies)
  }
  const pending = (await listDeliveries(eventsTable, appId, eventId)).filter(
    ({ status }) => status === "pending",
  )
  await Promise.all(
    pending.map((delivery) =>
      sendAttempt(queues, delivery, delivery.attempts + 1, waitOf(delivery, wallClock())),
    ),
  )
  if (pending.length === 0) await settleEvent(dependencies, appId, eventId)
}

/** Returns null for an event of another type. */
function auditRecordOf({ type, data }: WebhookEvent): AuditRecord | null {
  if (type !== "audit-log.event" || data === null) return null
  return auditRecordSchema.parse(JSON.parse(data))
}

async function writeDeliveries(
  event: WebhookEvent,
  { configTable, eventsTable, wallClock }: DeliveryDependencies,
): Promise<void> {
  const { id: eventId, appId, type, callbackUrl, recipients, toEndpoints, expiresAt } = event
  const [endpoints, listeners] = toEndpoints
    ? await Promise.all([endpointRecords.list(configTable, appId), listenerRecords.list(configTable, appId)])
    : [[], []]
  const takers = endpoints.filter(({ status, events }) => status === "enabled" && takesEvent(events, type))
  const places = [
    ...[...takers, ...recipients].map(({ id }) => id),
    ...(callbackUrl === null ? [] : [CALLBACK]),
  ]
  const listening = listeners.filter(
    ({ listensUntil, events }) => listensUntil > wallClock() && takesEvent(events, type),
  )
  await Promise.all([
    ...places.map((endpointId) =>
      deliveryRecords.create(
        eventsTable,
        appId,
        startDelivery({ appId, eventId, endpointId }, wallClock(), expiresAt),
      ),
    ),
    ...listening.map(({ id }) => putIntoInbox(eventsTable, id, event)),
  ])
  if (await eventRecords.replace(eventsTable, event.appId, { ...event, fannedOut: true })) return
  const changed = await eventRecords.find(eventsTable, appId, { id: eventId })
  if (!changed?.fannedOut) throw new Error("The event was changed while it was handed out")
}

/** Returns the milliseconds until a pending delivery is due; negative when it is overdue. */
export function waitOf({ nextAttemptAt, claimedUntil }: Delivery, nowMs: number): number {
  return Math.max(nextAttemptAt ?? nowMs, claimedUntil ?? 0) - nowMs
}
