import type { SQSBatchResponse, SQSEvent } from "aws-lambda"
import { type DeadLetterQueueName, QUEUES, type QueueName, type QueueSender } from "../../ports/queues.ts"
import { sqsRecord } from "../sqs-record.ts"
import { REPEATED_WRITE } from "./faults.ts"
import type { Deliverable, Reach } from "./scheduler.ts"

const MAX_DELAY_SECONDS = 900

export interface QueuedMessage {
  readonly id: string
  readonly queue: QueueName | DeadLetterQueueName
  readonly body: string
  readonly visibleAtMs: number
  readonly receives: number
}

/** By their ids. */
export type Messages = Map<string, QueuedMessage>

/** Takes the messages of a queue. Null: its process has died. */
export type Worker = (event: SQSEvent) => Promise<SQSBatchResponse | null>

export function createSender(
  messages: Messages,
  sent: { count: number },
  nowMs: () => number,
  reach: Reach,
): QueueSender {
  return {
    send: (queue, message, { delaySeconds = 0 } = {}) =>
      reach({ text: `sqs.send ${queue}`, access: null, faults: REPEATED_WRITE }, () => {
        if (delaySeconds > MAX_DELAY_SECONDS) throw new Error("SQS takes no longer delay")
        const id = `${queue}/${sent.count++}`
        const visibleAtMs = nowMs() + delaySeconds * 1000
        messages.set(id, { id, queue, body: JSON.stringify(message), visibleAtMs, receives: 0 })
      }),
  }
}

export interface DeliveryRules {
  readonly messages: Messages
  readonly nowMs: () => number
  readonly start: (name: string, act: () => Promise<unknown>) => void
  /** Starts a process that takes the messages of a queue; null when nobody does. */
  readonly workerOf: (queue: string) => Worker | null
}

/** Whether a message was received as often as its queue delivers it. */
export function isSpent({ queue, receives }: QueuedMessage): boolean {
  const definition = QUEUES.find(({ name }) => name === queue)
  return definition !== undefined && receives >= definition.maxReceiveCount
}

/** Returns the messages that somebody takes. A worker that fails or dies gets its message again after a while. */
export function deliverables({ messages, nowMs, start, workerOf }: DeliveryRules): readonly Deliverable[] {
  return [...messages.values()].flatMap((message) => {
    const definition = QUEUES.find(({ name }) => name === message.queue)
    const worker = definition === undefined || isSpent(message) ? null : workerOf(message.queue)
    if (definition === undefined || worker === null) return []
    const { id, body, visibleAtMs } = message
    const deliver = (isTwice: boolean) => {
      const receives = message.receives + 1
      const hiddenMs = isTwice ? 0 : definition.visibilityTimeoutSeconds * 1000
      messages.set(id, { ...message, visibleAtMs: nowMs() + hiddenMs, receives })
      start(`worker ${id}`, async () => {
        const result = await worker({ Records: [sqsRecord({ id, body, receives })] })
        // What is delivered twice comes again after its worker, if it did not come while it ran.
        if (result?.batchItemFailures.length === 0 && !isTwice) messages.delete(id)
      })
    }
    return [{ label: `message ${id}`, visibleAtMs, deliver }]
  })
}
