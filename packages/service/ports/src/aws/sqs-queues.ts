import { SendMessageCommand, SQSClient, type SQSClientConfig } from "@aws-sdk/client-sqs"
import { type DeadLetterQueueName, delayOf, type QueueName, type QueueSender } from "../ports/queues.ts"

/** Queues are called where the region's are, and not where their URLs say. */
export function createSqsClient(config: SQSClientConfig): SQSClient {
  return new SQSClient({ ...config, useQueueUrlAsEndpoint: false })
}

/**
 * Queues of SQS. The SDK repeats a message whose answer was lost: it may then be in the queue twice.
 *
 * @param urls the queues that this process may send to
 */
export function createSqsQueues(
  client: SQSClient,
  urls: ReadonlyMap<QueueName | DeadLetterQueueName, string>,
): QueueSender {
  return {
    async send(queue, message, { delaySeconds = 0 } = {}) {
      const url = urls.get(queue)
      if (url === undefined) throw new Error(`The configuration names no URL of the queue ${queue}`)
      await client.send(
        new SendMessageCommand({
          QueueUrl: url,
          MessageBody: toAscii(JSON.stringify(message)),
          ...(delaySeconds > 0 && { DelaySeconds: delayOf(delaySeconds) }),
        }),
      )
    },
  }
}

/**
 * SQS refuses some characters (U+FFFE, and beyond the basic plane in some implementations). JSON can escape them all.
 */
function toAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
