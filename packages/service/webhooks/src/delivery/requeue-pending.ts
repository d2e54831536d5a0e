import type { Log } from "@sealway/ports"
import { PENDING_PARTITIONS } from "@sealway/records"
import * as z from "zod"
import type { DeliveryDependencies } from "../dependencies.ts"
import { interruptAttempt } from "../records/delivery.ts"
import { deliveryRecords, listDeliveries } from "../records/delivery-table.ts"
import { eventRecords, pendingNames, readPendingName } from "../records/webhook-event-table.ts"
import { waitOf } from "./fan-out.ts"
import { sendAttempt, sendEvent } from "./messages.ts"
import { settleEvent } from "./settle-event.ts"

export interface RequeueOptions {
  /**
   * How long something must be overdue before its message counts as lost: longer than messages wait and workers take,
   * such as 1,800,000 (30 minutes). 0 when no message and no worker can exist, as when in-memory queues start empty.
   */
  readonly overdueMs: number
}

export interface RequeueDependencies extends DeliveryDependencies {
  readonly log: Pick<Log, "warn">
}

/**
 * Queues accepted events again that were neither delivered nor have failed. Safe at any time: an extra message does
 * nothing. An unreadable record is logged and skipped, so that all others are handled.
 */
export async function requeuePending(
  dependencies: RequeueDependencies,
  { overdueMs }: RequeueOptions,
): Promise<void> {
  const { eventsTable, log } = dependencies
  for (const partition of PENDING_PARTITIONS) {
    for await (const item of pendingNames(eventsTable, partition)) {
      try {
        await requeueEvent(readPendingName(item), overdueMs, dependencies)
      } catch (error) {
        if (!(error instanceof z.ZodError)) throw error
        log.warn("a webhook event cannot be read", { requestId: String(item.sk), error })
      }
    }
  }
}

async function requeueEvent(
  { id, appId }: { readonly id: string; readonly appId: string },
  overdueMs: number,
  dependencies: DeliveryDependencies,
): Promise<void> {
  const { eventsTable, queues, wallClock } = dependencies
  const event = await eventRecords.find(eventsTable, appId, { id })
  // Either it is just being written, or it never was; then its entry expires as the event would have.
  if (event === null) return
  if (event.fannedOut) await requeueDeliveries(appId, id, overdueMs, dependencies)
  else if (wallClock() - event.createdAt >= overdueMs) await sendEvent(queues, { appId, eventId: id })
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
      ? await deliveryRecords.replace(eventsTable, found.appId, interruptAttempt(found, wallClock()))
      : found
    if (delivery === null) continue
    const waitMs = waitOf(delivery, wallClock())
    if (overdueMs === 0 || waitMs <= -overdueMs) {
      await sendAttempt(queues, delivery, delivery.attempts + 1, waitMs)
    }
  }
  if (pending.length === 0) await settleEvent(dependencies, appId, eventId)
}
