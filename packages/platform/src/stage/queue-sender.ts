import type { Sqs } from "./aws-clients.ts"
import type { DeadLetterQueueName, QueueName } from "./queues.ts"

/** The longest delay that SQS supports. */
export const MAX_DELAY_SECONDS = 900

export interface QueueSender {
  /**
   * Sends a message as JSON. Once this resolves it is in the queue, and will be delivered at least once.
   *
   * @param options.delaySeconds how long it waits before it is delivered, up to `MAX_DELAY_SECONDS`; default 0
   */
  send(
    queue: QueueName | DeadLetterQueueName,
    message: object,
    options?: { readonly delaySeconds?: number },
  ): Promise<void>
}

/** @param urls the queues that this process may send to */
export function createQueueSender(
  client: Sqs,
  urls: ReadonlyMap<QueueName | DeadLetterQueueName, string>,
): QueueSender {
  return {
    async send(queue, message, { delaySeconds = 0 } = {}) {
      const url = urls.get(queue)
      if (url === undefined) throw new Error(`The configuration names no URL of the queue ${queue}`)
      await client.call("SendMessage", {
        QueueUrl: url,
        MessageBody: toAscii(JSON.stringify(message)),
        ...(delaySeconds > 0 && { DelaySeconds: Math.min(Math.ceil(delaySeconds), MAX_DELAY_SECONDS) }),
      })
    },
  }
}

/**
 * SQS refuses some characters (U+FFFE, and beyond the basic plane in some implementations). JSON can escape them all.
 */
function toAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
