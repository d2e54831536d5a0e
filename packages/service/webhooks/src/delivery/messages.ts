import { MAX_DELAY_SECONDS, type QueueName, type QueueSender } from "@sealway/ports"
import * as z from "zod"
import type { Delivery } from "../records/delivery-table.ts"

/** Sent by the platform's events: distribute an event to the endpoints that subscribe to it. */
const eventMessageSchema = z.object({ appId: z.string(), eventId: z.string() })

/** Make an attempt of a delivery. */
const attemptMessageSchema = z.object({
  appId: z.string(),
  eventId: z.string(),
  endpointId: z.string(),
  /** Starts at 1. */
  attempt: z.int().positive(),
})

const messageSchema = z.union([attemptMessageSchema, eventMessageSchema])

export type EventMessage = z.infer<typeof eventMessageSchema>
export type AttemptMessage = z.infer<typeof attemptMessageSchema>

/** Parses a message. @throws Error when it is not a message of the queues `events` and `slow-events` */
export function parseMessage(body: string): EventMessage | AttemptMessage {
  return messageSchema.parse(JSON.parse(body))
}

export function sendEvent(queues: QueueSender, { appId, eventId }: EventMessage): Promise<void> {
  return queues.send("events", { appId, eventId })
}

/**
 * Requests an attempt. SQS delays a message for at most 15 minutes; a worker that receives it too early sends it again.
 *
 * @param waitMs how long until it is due
 * @param queue default: `events`, where every delivery starts
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

/** Reports that a delivery has failed permanently. */
export function sendDeadLetter(
  queues: QueueSender,
  { appId, eventId, endpointId }: Pick<Delivery, "appId" | "eventId" | "endpointId">,
): Promise<void> {
  return queues.send("events-dead-letters", { appId, eventId, endpointId })
}
