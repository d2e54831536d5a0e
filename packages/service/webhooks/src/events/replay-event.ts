import type { App } from "@sealway/accounts"
import { ApiError, ConflictError, isId, NotFoundError } from "@sealway/kernel"
import { type AuditAuthor, appEntry, audited } from "@sealway/records"
import { CALLBACK } from "../delivery/destination.ts"
import { sendAttempt } from "../delivery/messages.ts"
import type { WebhookDependencies } from "../dependencies.ts"
import { requireEndpoint } from "../management/webhook-endpoints.ts"
import { startDelivery } from "../records/delivery.ts"
import type { Delivery } from "../records/delivery-table.ts"
import { deliveryRecords, listDeliveries } from "../records/delivery-table.ts"
import { endpointRecords } from "../records/webhook-endpoint-table.ts"
import { eventRecords, putPendingName, type WebhookEvent } from "../records/webhook-event-table.ts"

/** How long a replayed event is kept at least: longer than its attempts take. */
const KEPT_SECONDS = 2 * 24 * 60 * 60
const MAX_TRIES = 5

/** Finds an event. @throws NotFoundError when the app has no such event, or it has expired */
export async function requireEvent(
  { eventsTable }: Pick<WebhookDependencies, "eventsTable">,
  app: App,
  id: string,
): Promise<WebhookEvent> {
  const event = isId("webhook_event", id) ? await eventRecords.find(eventsTable, app.id, { id }) : null
  if (event === null) throw new NotFoundError("The webhook event")
  return event
}

/**
 * Sends an event again, with a fresh count of attempts.
 *
 * @param endpointId the endpoint, whatever happened to the event there; null for all enabled endpoints where it failed,
 * and the event's callback and own recipients if they failed
 * @throws NotFoundError when the app has no such event or endpoint, ConflictError when there is nothing to send again
 */
export async function replayEvent(
  dependencies: WebhookDependencies,
  app: App,
  eventId: string,
  endpointId: string | null,
  author: AuditAuthor,
): Promise<WebhookEvent> {
  const { eventsTable, audit, wallClock } = dependencies
  const event = await requireEvent(dependencies, app, eventId)
  if (!event.fannedOut) throw new ConflictError("The event has not been sent yet.")
  const known = await listDeliveries(eventsTable, app.id, eventId)
  const expiresAt = Math.max(event.expiresAt, Math.floor(wallClock() / 1000) + KEPT_SECONDS)
  const anew = (id: string): Delivery => {
    const place = { appId: app.id, eventId, endpointId: id }
    const revision = known.find((delivery) => delivery.endpointId === id)?.revision ?? 0
    return { ...startDelivery(place, wallClock(), expiresAt), revision }
  }
  const targets =
    endpointId === null
      ? await failedEndpoints(dependencies, known, event)
      : [await replayableEndpoint(dependencies, known, event, app, endpointId)]
  if (targets.length === 0) {
    throw new ConflictError("No enabled endpoint has a failed delivery of this event.")
  }
  const details = { endpoints: targets.join(" ") }
  const entry = appEntry(app, { type: "webhook-event", id: eventId }, "replay", author, details)
  return audited(audit, entry, () => restart({ ...event, expiresAt }, targets.map(anew), dependencies))
}

/** After a crash between any two steps, the event is found again. */
async function restart(
  event: WebhookEvent,
  deliveries: readonly Delivery[],
  { eventsTable, queues }: WebhookDependencies,
): Promise<WebhookEvent> {
  await putPendingName(eventsTable, { ...event, revision: event.revision + 1 })
  const started = await Promise.all(
    deliveries.map((delivery) =>
      delivery.revision === 0
        ? deliveryRecords.create(eventsTable, delivery.appId, { ...delivery, revision: 1 })
        : deliveryRecords
            .replace(eventsTable, delivery.appId, delivery)
            .then((replaced) => replaced !== null),
    ),
  )
  const own = deliveries.filter((_, index) => started[index])
  if (own.length === 0) throw new ConflictError("Another request is replaying this event. Try again.")
  const pending = await markPending(event, { eventsTable })
  await Promise.all(own.map((delivery) => sendAttempt(queues, delivery, 1, 0)))
  return pending
}

async function markPending(
  event: WebhookEvent,
  { eventsTable }: Pick<WebhookDependencies, "eventsTable">,
): Promise<WebhookEvent> {
  let current: WebhookEvent | null = event
  for (let tries = 0; tries < MAX_TRIES && current !== null; tries++) {
    const pending: WebhookEvent = { ...current, status: "pending", expiresAt: event.expiresAt }
    if (await eventRecords.replace(eventsTable, pending.appId, pending)) return pending
    current = await eventRecords.find(eventsTable, event.appId, { id: event.id })
  }
  throw new ApiError("service-unavailable", "The event is being changed. Try again shortly.")
}

async function failedEndpoints(
  { configTable }: WebhookDependencies,
  known: readonly Delivery[],
  event: WebhookEvent,
): Promise<readonly string[]> {
  const failed = new Set(known.filter(({ status }) => status === "failed").map((each) => each.endpointId))
  const endpoints = await endpointRecords.list(configTable, event.appId)
  const enabled = endpoints.filter(({ status }) => status === "enabled").map(({ id }) => id)
  return [...enabled, ...ownRecipients(event)].filter((id) => failed.has(id))
}

async function replayableEndpoint(
  dependencies: WebhookDependencies,
  known: readonly Delivery[],
  event: WebhookEvent,
  app: App,
  id: string,
): Promise<string> {
  const delivery = known.find(({ endpointId }) => endpointId === id)
  if (delivery === undefined || !ownRecipients(event).includes(id)) {
    const { status } = await requireEndpoint(dependencies, app, id)
    if (status === "disabled") throw new ConflictError("The webhook endpoint is disabled.")
  }
  if (delivery?.status === "pending")
    throw new ConflictError("The event is still being delivered to this endpoint.")
  return id
}

/** Returns the recipients that belong to the event itself. */
function ownRecipients({ recipients }: WebhookEvent): readonly string[] {
  return [CALLBACK, ...recipients.map(({ id }) => id)]
}
