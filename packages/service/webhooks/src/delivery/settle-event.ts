import type { Table } from "@sealway/ports"
import type { DeliveryDependencies } from "../dependencies.ts"
import { listDeliveries } from "../records/delivery-table.ts"
import {
  eventRecords,
  findPendingName,
  putFailedName,
  removeFailedName,
  removePendingName,
} from "../records/webhook-event-table.ts"

/** As many workers as may finish deliveries of one event at the same moment. */
const MAX_TRIES = 10

/**
 * Records the outcome of an event once all its deliveries have ended. Does nothing before that, and is safe to repeat.
 *
 * @throws Error when others keep changing the event: it must be retried
 */
export async function settleEvent(
  { eventsTable }: Pick<DeliveryDependencies, "eventsTable">,
  appId: string,
  eventId: string,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (await trySettle(eventsTable, appId, eventId)) return
  }
  throw new Error("The event was changed while it was settled")
}

/** Returns false when the event was changed first. */
async function trySettle(eventsTable: Table, appId: string, eventId: string): Promise<boolean> {
  // Read first, because a replay lists the event again, and that entry must stay.
  const pendingRevision = await findPendingName(eventsTable, eventId)
  const event = await eventRecords.find(eventsTable, appId, { id: eventId })
  if (event === null || !event.fannedOut) return true
  const deliveries = await listDeliveries(eventsTable, appId, eventId)
  if (deliveries.some(({ status }) => status === "pending")) return true

  const status = deliveries.some((delivery) => delivery.status === "failed") ? "failed" : "delivered"
  if (status === "failed") await putFailedName(eventsTable, event)
  if (event.status !== status) {
    const settled = { ...event, status, hasFailed: event.hasFailed || status === "failed" } as const
    if (!(await eventRecords.replace(eventsTable, settled.appId, settled))) return false
  }
  if (status === "delivered" && event.hasFailed) await removeFailedName(eventsTable, event)
  if (pendingRevision !== null) await removePendingName(eventsTable, eventId, pendingRevision)
  return true
}
