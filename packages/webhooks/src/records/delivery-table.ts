import { appPartition, type Item, type RecordKey, type Table } from "@sealway/platform"
import * as z from "zod"
import type { Delivery } from "./delivery.ts"

const itemSchema = z.object({
  appId: z.string(),
  eventId: z.string(),
  endpointId: z.string(),
  status: z.enum(["pending", "delivered", "failed", "cancelled"]),
  attempts: z.number(),
  nextAttemptAt: z.number().nullable(),
  claimedUntil: z.number().nullable(),
  lastAttemptAt: z.number().nullable(),
  lastStatusCode: z.number().nullable(),
  lastFailure: z.enum(["destination-refused", "timeout", "unreachable", "status-code"]).nullable(),
  expiresAt: z.number(),
  revision: z.number(),
})

const prefixOf = (eventId: string) => `webhook-delivery#${eventId}#`

/** One an event and endpoint, so that handing out an event twice makes no second one. */
const keyOf = ({
  appId,
  eventId,
  endpointId,
}: Pick<Delivery, "appId" | "eventId" | "endpointId">): RecordKey => ({
  pk: appPartition(appId),
  sk: prefixOf(eventId) + endpointId,
})

const parse = (item: Item): Delivery => itemSchema.parse(item)

export async function findDelivery(
  table: Table,
  place: Pick<Delivery, "appId" | "eventId" | "endpointId">,
): Promise<Delivery | null> {
  const item = await table.get(keyOf(place))
  return item && parse(item)
}

/** The deliveries of an event, to the newest endpoint first. */
export async function listDeliveries(
  table: Table,
  appId: string,
  eventId: string,
): Promise<readonly Delivery[]> {
  return (await table.list(appPartition(appId), prefixOf(eventId))).map(parse)
}

/** False: the event has a delivery to this endpoint, and it is as it was. */
export function createDelivery(table: Table, delivery: Delivery): Promise<boolean> {
  return table.create(keyOf(delivery), { ...delivery })
}

/**
 * Writes a delivery over the revision that it was made from.
 *
 * @returns what is stored now; null when that revision was changed meanwhile
 */
export async function replaceDelivery(table: Table, delivery: Delivery): Promise<Delivery | null> {
  const isReplaced = await table.replace(keyOf(delivery), { ...delivery }, delivery.revision)
  return isReplaced ? { ...delivery, revision: delivery.revision + 1 } : null
}
