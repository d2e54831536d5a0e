import { setTimeout as delay } from "node:timers/promises"
import type { Message } from "@aws-sdk/client-sqs"
import type { Log, Sqs } from "@sealway/platform"
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda"

export interface QueuePollerOptions {
  readonly client: Sqs
  readonly queueUrl: string
  readonly region: string
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

/** The most that SQS returns at a time. */
const MAX_MESSAGES = 10
/** The longest that SQS lets a call wait for messages. */
const WAIT_SECONDS = 20
/** A waiting call takes longer than others may. */
const REQUEST_TIMEOUT_MS = (WAIT_SECONDS + 5) * 1000
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5_000

/**
 * Does what Lambda does for a function with a queue: receives messages, passes them to the handler, deletes those that
 * succeeded and leaves the others, which SQS delivers again after the visibility timeout and finally moves to the
 * dead-letter queue. Unlike Lambda it makes a batch of each message: they share a process, and one that is done does
 * not wait for the slowest.
 */
export function startQueuePoller(options: QueuePollerOptions): QueuePoller {
  const { log, concurrency = 100 } = options
  const stop = new AbortController()

  async function poll(): Promise<void> {
    const inHand = new Set<Promise<void>>()
    let freed = Promise.withResolvers<void>()
    let pauseMs = FIRST_PAUSE_MS
    while (!stop.signal.aborted) {
      try {
        const messages = await receive(options, concurrency - inHand.size, stop.signal)
        pauseMs = FIRST_PAUSE_MS
        for (const message of messages) {
          const work = handle(message, options).finally(() => {
            inHand.delete(work)
            freed.resolve()
          })
          inHand.add(work)
        }
        if (inHand.size >= concurrency) {
          freed = Promise.withResolvers()
          await freed.promise
        }
      } catch (error) {
        if (stop.signal.aborted) break
        log.error("queue poller failed", { error })
        await delay(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined)
        pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
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

async function receive(
  { client, queueUrl }: QueuePollerOptions,
  room: number,
  stopped: AbortSignal,
): Promise<readonly Message[]> {
  const { Messages = [] } = await client.call(
    "ReceiveMessage",
    {
      QueueUrl: queueUrl,
      MaxNumberOfMessages: Math.min(room, MAX_MESSAGES),
      WaitTimeSeconds: WAIT_SECONDS,
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["All"],
    },
    { abortSignal: stopped, requestTimeout: REQUEST_TIMEOUT_MS },
  )
  return Messages
}

/** Passes a message on and deletes it unless it failed. Never rejects. */
async function handle(message: Message, options: QueuePollerOptions): Promise<void> {
  const { client, queueUrl, handler, log } = options
  try {
    const record = toRecord(message, options)
    const { batchItemFailures } = await handler({ Records: [record] })
    if (batchItemFailures.length > 0) return
    // Not aborted on close: a message that is done but not deleted would be processed again.
    await client.call("DeleteMessage", { QueueUrl: queueUrl, ReceiptHandle: record.receiptHandle })
  } catch (error) {
    log.error("queue message failed", { error })
  }
}

function toRecord(message: Message, { queueUrl, region }: QueuePollerOptions): SQSRecord {
  const { MessageId = "", ReceiptHandle = "", Body = "", MD5OfBody = "" } = message
  const system: Partial<Record<string, string>> = message.Attributes ?? {}
  const attributes = Object.entries(message.MessageAttributes ?? {})
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    md5OfBody: MD5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN: `arn:aws:sqs:${region}:${accountAndName(queueUrl)}`,
    awsRegion: region,
    attributes: {
      ...system,
      ApproximateReceiveCount: system.ApproximateReceiveCount ?? "1",
      SentTimestamp: system.SentTimestamp ?? "",
      SenderId: system.SenderId ?? "",
      ApproximateFirstReceiveTimestamp: system.ApproximateFirstReceiveTimestamp ?? "",
    },
    messageAttributes: Object.fromEntries(
      attributes.map(([name, { DataType = "String", StringValue, BinaryValue }]) => [
        name,
        {
          dataType: DataType,
          ...(StringValue !== undefined && { stringValue: StringValue }),
          ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString("base64") }),
        },
      ]),
    ),
  }
}

/** Parses a queue's URL, which ends with both: `https://<host>/<account>/<name>`. */
function accountAndName(queueUrl: string): string {
  return queueUrl.split("/").slice(-2).join(":")
}
