import { MAX_DELAY_SECONDS, type QueueName, type QueueSender } from "@sealway/platform"
import * as z from "zod"
import type { Delivery } from "../records/delivery-table.ts"

/** Sent by the platform's events: an event is to be handed out to the endpoints that take it. */
const eventMessageSchema = z.object({ appId: z.string(), eventId: z.string() })

/** An attempt of a delivery is to be made. */
const attemptMessageSchema = z.object({
  appId: z.string(),
  eventId: z.string(),
  endpointId: z.string(),
  /** From 1. */
  attempt: z.int().positive(),
})

const messageSchema = z.union([attemptMessageSchema, eventMessageSchema])

export type EventMessage = z.infer<typeof eventMessageSchema>
export type AttemptMessage = z.infer<typeof attemptMessageSchema>

/** @throws Error when it is no message of the queues `events` and `slow-events` */
export function parseMessage(body: string): EventMessage | AttemptMessage {
  return messageSchema.parse(JSON.parse(body))
}

export function sendEvent(queues: QueueSender, { appId, eventId }: EventMessage): Promise<void> {
  return queues.send("events", { appId, eventId })
}

/**
 * Asks for an attempt. SQS lets a message wait for 15 minutes at most; whoever receives it too early sends it again.
 *
 * @param waitMs when it is due
 * @param queue default: `events`, where every delivery begins
 */
export function sendAttempt(
  queues: QueueSender,
  { appId, eventId, endpointId }: Pick<Delivery, "appId" | "eventId" | "endpointId">,
  attempt: number,
  waitMs: number,
  queue: QueueName = "events",
): Promise<void> {
  const delaySeconds = Math.min(Math.max(Math.ceil(waitMs / 1000), 0), MAX_DELAY_SECONDS)
  return queues.send(queue, { appId, eventId, endpointId, attempt }, { delaySeconds })
}

/** Says that a delivery has failed for good. */
export function sendDeadLetter(
  queues: QueueSender,
  { appId, eventId, endpointId }: Pick<Delivery, "appId" | "eventId" | "endpointId">,
): Promise<void> {
  return queues.send("events-dead-letters", { appId, eventId, endpointId })
}
