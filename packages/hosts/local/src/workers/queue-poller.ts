import { setImmediate as nextTurn } from "node:timers/promises"
import type { Log } from "@sealway/ports"
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda"
import type { Delivery, MessageQueue } from "../cloud/queues/message-queue.ts"

export interface QueuePollerOptions {
  readonly queue: MessageQueue
  /**
   * A Lambda handler that reports which messages of its batch failed. It receives one at a time; if it throws, that one
   * has failed.
   */
  readonly handler: (event: SQSEvent) => Promise<SQSBatchResponse>
  readonly log: Pick<Log, "error">
  /** How many messages are processed concurrently, so that a slow one blocks no other. Default: 100. */
  readonly concurrency?: number
}

export interface QueuePoller {
  /** Stops receiving immediately, and resolves when the current messages are done. Safe to call twice. */
  close(): Promise<void>
}

/** As many as SQS returns at a time. */
const MAX_MESSAGES = 10
const WAIT_MS = 20_000

/**
 * Does what Lambda does for a function with a queue: receives messages, passes them to the handler, deletes those that
 * succeeded and leaves the others, which the queue delivers again after the visibility timeout and finally moves to the
 * dead-letter queue. Unlike Lambda it makes a batch of each message: they share a process, and one that is done does
 * not wait for the slowest.
 */
export function startQueuePoller(options: QueuePollerOptions): QueuePoller {
  const { queue, concurrency = 100 } = options
  const stop = new AbortController()

  async function poll(): Promise<void> {
    const inHand = new Set<Promise<void>>()
    let freed = Promise.withResolvers<void>()
    while (!stop.signal.aborted) {
      const room = Math.min(concurrency - inHand.size, MAX_MESSAGES)
      for (const delivery of await queue.receive(room, WAIT_MS, stop.signal)) {
        const work = handle(delivery, options).finally(() => {
          inHand.delete(work)
          freed.resolve()
        })
        inHand.add(work)
      }
      // Messages that are there come without a wait.
      await nextTurn()
      if (inHand.size >= concurrency) {
        freed = Promise.withResolvers()
        await freed.promise
      }
    }
    await Promise.all(inHand)
  }

  const polling = poll()
  return {
    async close() {
      stop.abort()
      await polling
    },
  }
}

/** Passes a message on and deletes it unless it failed. Never rejects. */
async function handle(delivery: Delivery, { queue, handler, log }: QueuePollerOptions): Promise<void> {
  try {
    const { batchItemFailures } = await handler({ Records: [recordOf(delivery)] })
    if (batchItemFailures.length === 0) queue.delete(delivery.receiptHandle)
  } catch (error) {
    log.error("queue message failed", { error })
  }
}

/** Returns a message as Lambda describes it, as far as the service's workers read that. */
function recordOf({ message, receiptHandle }: Delivery): SQSRecord {
  const { id, body, receiveCount, sentAt, firstReceivedAt } = message
  return {
    messageId: id,
    receiptHandle,
    body,
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
      SenderId: "",
      SentTimestamp: String(sentAt),
    },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "",
    awsRegion: "",
  }
}
