import { MB } from "@sealway/kernel"
import { delayOf, type QueueDefinition, type QueueSender } from "@sealway/ports"
import { MessageQueue } from "./message-queue.ts"

/** The limit of SQS. */
const MAX_MESSAGE_BYTES = MB

/** The queues of this process, in memory. */
export interface LocalQueues extends QueueSender {
  /** Returns a queue, or a dead-letter queue, by its name: `events-dead-letters`. @throws TypeError */
  queue(name: string): MessageQueue
  /** Drops all messages. */
  close(): void
}

/** @param wallClock epoch milliseconds */
export function createLocalQueues(
  definitions: readonly QueueDefinition[],
  wallClock: () => number,
): LocalQueues {
  const queues = new Map<string, MessageQueue>()
  for (const { name, visibilityTimeoutSeconds, maxReceiveCount } of definitions) {
    const visibilityTimeoutMs = visibilityTimeoutSeconds * 1_000
    const deadLetters = new MessageQueue({ visibilityTimeoutMs, redrive: null, wallClock })
    const redrive = { maxReceiveCount, move: deadLetters.accept.bind(deadLetters) }
    queues.set(name, new MessageQueue({ visibilityTimeoutMs, redrive, wallClock }))
    queues.set(`${name}-dead-letters`, deadLetters)
  }

  function queue(name: string): MessageQueue {
    const found = queues.get(name)
    if (found === undefined) throw new TypeError(`There is no queue ${name}`)
    return found
  }

  return {
    queue,
    async send(name, message, { delaySeconds = 0 } = {}) {
      const body = JSON.stringify(message)
      if (Buffer.byteLength(body) > MAX_MESSAGE_BYTES) throw new TypeError("A message has at most a megabyte")
      queue(name).send(body, delayOf(delaySeconds) * 1_000)
    },
    close() {
      for (const each of queues.values()) each.close()
    },
  }
}
