import { type RecordOf, recordsOf, type Table } from "@sealway/ports"
import * as z from "zod"

/** The delivery of one event to one endpoint. */
const deliverySchema = z.object({
  appId: z.string(),
  eventId: z.string(),
  endpointId: z.string(),
  /** `cancelled`: the endpoint was removed or disabled before the event reached it. */
  status: z.enum(["pending", "delivered", "failed", "cancelled"]),
  /** How many attempts were started since the last replay, without the interrupted ones. */
  attempts: z.number(),
  /** How many attempts were started whose outcome is unknown, because their worker died. */
  interruptions: z.number().default(0),
  /** Epoch milliseconds; null when there will be no further attempt. */
  nextAttemptAt: z.number().nullable(),
  /** Epoch milliseconds until which an attempt counts as in progress; null when none is. */
  claimedUntil: z.number().nullable(),
  /** Epoch milliseconds; null before the first attempt. */
  lastAttemptAt: z.number().nullable(),
  /** Null when there was no response. */
  lastStatusCode: z.number().nullable(),
  /** Why the last attempt failed: no answer, or one that is not a 2xx. */
  lastFailure: z.enum(["destination-refused", "timeout", "unreachable", "status-code"]).nullable(),
  /** Epoch seconds. */
  expiresAt: z.number(),
  revision: z.number(),
})

export type Delivery = RecordOf<typeof deliverySchema>
export type AttemptFailure = NonNullable<Delivery["lastFailure"]>

const prefixOf = (eventId: string) => `${eventId}#`

/** One per event and endpoint, so distributing an event twice creates no second one. */
export const deliveryRecords = recordsOf<Delivery, "eventId" | "endpointId">({
  prefix: "webhook-delivery#",
  schema: deliverySchema,
  nameOf: ({ eventId, endpointId }) => prefixOf(eventId) + endpointId,
})

/** Lists the deliveries of an event, to the newest endpoint first. */
export function listDeliveries(table: Table, appId: string, eventId: string): Promise<readonly Delivery[]> {
  return deliveryRecords.list(table, appId, prefixOf(eventId))
}
