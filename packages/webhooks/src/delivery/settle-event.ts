import type { Table } from "@sealway/platform"
import type { DeliveryDependencies } from "../dependencies.ts"
import { listDeliveries } from "../records/delivery-table.ts"
import {
  eventRecords,
  findPendingName,
  putFailedName,
  removeFailedName,
  removePendingName,
} from "../records/webhook-event-table.ts"

/** As many workers as may end deliveries of one event at the same moment. */
const MAX_TRIES = 10

/**
 * Writes down what became of an event once all its deliveries have ended. Does nothing before, and the same when it is
 * done twice.
 *
 * @throws Error when others go on changing the event meanwhile: it is to be tried again
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

/** False: the event was changed meanwhile. */
async function trySettle(eventsTable: Table, appId: string, eventId: string): Promise<boolean> {
  // Read first: a replay names the event anew, and that name is to stay.
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
