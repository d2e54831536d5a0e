import type { App } from "@sealway/accounts"
import { ConflictError } from "@sealway/kernel"
import { type AuditAuthor, audited } from "@sealway/records"
import { sendAttempt } from "../delivery/messages.ts"
import type { WebhookDependencies } from "../dependencies.ts"
import { requireEndpoint } from "../management/webhook-endpoints.ts"
import { startDelivery } from "../records/delivery.ts"
import { deliveryRecords } from "../records/delivery-table.ts"
import { eventRecords, putPendingName, type WebhookEvent } from "../records/webhook-event-table.ts"

/** A test shows its result immediately, and its record is not interesting for long. */
const KEPT_SECONDS = 2 * 24 * 60 * 60

/**
 * Sends an event of type `webhook.test` to one endpoint, regardless of its subscriptions.
 *
 * @throws NotFoundError when the app has no such endpoint, ConflictError when it is disabled
 */
export async function sendTestEvent(
  dependencies: WebhookDependencies,
  app: App,
  endpointId: string,
  author: AuditAuthor,
): Promise<WebhookEvent> {
  const { eventsTable, queues, audit, draws, wallClock } = dependencies
  const { status } = await requireEndpoint(dependencies, app, endpointId)
  if (status === "disabled") throw new ConflictError("The webhook endpoint is disabled.")
  const createdAt = wallClock()
  const event: WebhookEvent = {
    id: draws.newId("webhook_event", createdAt),
    teamId: app.teamId,
    appId: app.id,
    type: "webhook.test",
    data: JSON.stringify({ endpoint: endpointId }),
    callbackUrl: null,
    recipients: [],
    toEndpoints: true,
    createdAt,
    status: "pending",
    fannedOut: true,
    hasFailed: false,
    expiresAt: Math.floor(createdAt / 1000) + KEPT_SECONDS,
    revision: 1,
  }
  const place = { appId: app.id, eventId: event.id, endpointId }
  const delivery = startDelivery(place, createdAt, event.expiresAt)
  const entry = {
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: "webhook-endpoint.test",
    target: { type: "webhook-endpoint", id: endpointId },
  }
  return audited(audit, entry, async () => {
    // The event last: once it can be found it is complete.
    await putPendingName(eventsTable, event)
    await deliveryRecords.create(eventsTable, delivery.appId, delivery)
    await eventRecords.create(eventsTable, event.appId, event)
    await sendAttempt(queues, delivery, 1, 0)
    return event
  })
}
