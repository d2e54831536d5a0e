import { PENDING_PARTITIONS } from "@sealway/platform"
import type { DeliveryDependencies } from "../dependencies.ts"
import { deliveryRecords, listDeliveries } from "../records/delivery-table.ts"
import { eventRecords, pendingNames } from "../records/webhook-event-table.ts"
import { waitOf } from "./fan-out.ts"
import { sendAttempt, sendEvent } from "./messages.ts"
import { settleEvent } from "./settle-event.ts"

export interface RequeueOptions {
  /**
   * How long something must have been due before its message counts as lost: longer than messages wait and workers
   * take, such as 1,800,000 (30 minutes). 0 where no message can be left and no worker be at work, as when queues in
   * memory begin anew.
   */
  readonly overdueMs: number
}

/** Queues again what was accepted and neither delivered nor failed. Safe at any time: a message too many does nothing. */
export async function requeuePending(
  dependencies: DeliveryDependencies,
  { overdueMs }: RequeueOptions,
): Promise<void> {
  const { eventsTable } = dependencies
  for (const partition of PENDING_PARTITIONS) {
    for await (const { id, appId } of pendingNames(eventsTable, partition)) {
      const event = await eventRecords.find(eventsTable, appId, { id })
      // Either it is just being written or it never was; then its name expires like it would have.
      if (event === null) continue
      if (event.fannedOut) await requeueDeliveries(appId, id, overdueMs, dependencies)
      else if (dependencies.wallClock() - event.createdAt >= overdueMs) {
        await sendEvent(dependencies.queues, { appId, eventId: id })
      }
    }
  }
}

async function requeueDeliveries(
  appId: string,
  eventId: string,
  overdueMs: number,
  dependencies: DeliveryDependencies,
): Promise<void> {
  const { eventsTable, queues, wallClock } = dependencies
  const deliveries = await listDeliveries(eventsTable, appId, eventId)
  const pending = deliveries.filter(({ status }) => status === "pending")
  for (const found of pending) {
    const isAbandoned = overdueMs === 0 && found.claimedUntil !== null
    const delivery = isAbandoned
      ? await deliveryRecords.replace(eventsTable, found.appId, { ...found, claimedUntil: null })
      : found
    if (delivery === null) continue
    const waitMs = waitOf(delivery, wallClock())
    if (overdueMs === 0 || waitMs <= -overdueMs) {
      await sendAttempt(queues, delivery, delivery.attempts + 1, waitMs)
    }
  }
  if (pending.length === 0) await settleEvent(dependencies, appId, eventId)
}
