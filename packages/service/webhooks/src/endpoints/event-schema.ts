import { idParameter } from "@sealway/http"
import * as z from "zod"
import type { Delivery } from "../records/delivery-table.ts"
import type { WebhookEvent } from "../records/webhook-event-table.ts"

export const eventPathSchema = z.object({
  webhook_event_id: idParameter("webhook_event", "Id of the event, as in `webhook-id`"),
})

export const eventStatusSchema = z
  .enum(["pending", "delivered", "failed"])
  .describe("`failed` when at least one endpoint did not accept the event and no attempts are left")

const eventFields = {
  id: z.string(),
  type: z.string(),
  status: eventStatusSchema,
  createdAt: z.int().describe("Epoch milliseconds"),
}

export const eventSchema = z.object(eventFields).meta({ id: "WebhookEvent" })

const timeSchema = z.int().nullable().describe("Epoch milliseconds; null for never")

const deliverySchema = z
  .object({
    endpoint: z
      .string()
      .describe("Id of the webhook endpoint or relay alert; `callback` for a function's callback URL"),
    status: z
      .enum(["pending", "delivered", "failed", "cancelled"])
      .describe("`cancelled` when the endpoint was deleted or disabled before the event reached it"),
    attempts: z.int().describe("Attempts since the event was sent or last replayed"),
    lastAttemptAt: timeSchema,
    lastStatusCode: z.int().nullable().describe("Null when there was no response"),
    lastFailure: z
      .enum(["destination-refused", "timeout", "unreachable", "status-code"])
      .nullable()
      .describe("Why the last attempt failed: `destination-refused` when the address is not public"),
    nextAttemptAt: timeSchema,
  })
  .meta({ id: "WebhookDelivery" })

export const eventWithDeliveriesSchema = z
  .object({
    ...eventFields,
    data: z.unknown().describe("The event's payload; null when only receivers may read it"),
    deliveries: z.array(deliverySchema),
  })
  .meta({ id: "WebhookEventWithDeliveries" })

export function showEvent({
  id,
  type,
  status,
  createdAt,
}: Pick<WebhookEvent, "id" | "type" | "status" | "createdAt">) {
  return { id, type, status, createdAt }
}

export function showWithDeliveries(event: WebhookEvent, deliveries: readonly Delivery[]) {
  const data: unknown = event.data === null ? null : JSON.parse(event.data)
  return { ...showEvent(event), data, deliveries: deliveries.map(showDelivery) }
}

function showDelivery(delivery: Delivery) {
  const { endpointId: endpoint, status, attempts, nextAttemptAt } = delivery
  const { lastAttemptAt, lastStatusCode, lastFailure } = delivery
  return { endpoint, status, attempts, lastAttemptAt, lastStatusCode, lastFailure, nextAttemptAt }
}
