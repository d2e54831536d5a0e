import { EMBEDDED_ACCOUNT_ID, EMBEDDED_REGION } from "../credentials.ts"
import { MessageQueue } from "./message-queue.ts"
import { SqsError } from "./sqs-error.ts"

/** The attributes that a queue is created with, in seconds. */
export interface QueueAttributes {
  readonly visibilityTimeoutSeconds: number
  readonly redrive: { readonly deadLetterTargetArn: string; readonly maxReceiveCount: number } | null
}

export interface NamedQueue extends QueueAttributes {
  readonly name: string
  readonly arn: string
  readonly messages: MessageQueue
}

/** The queues of the embedded SQS, by name. */
export class Queues {
  readonly #queues = new Map<string, NamedQueue>()
  readonly #wallClock: () => number

  constructor(wallClock: () => number) {
    this.#wallClock = wallClock
  }

  /**
   * Creates a queue unless it exists.
   *
   * @throws SqsError QueueNameExists when it exists with other attributes, InvalidParameterValue when its dead-letter queue
   * does not exist
   */
  create(name: string, { visibilityTimeoutSeconds, redrive }: QueueAttributes): NamedQueue {
    const known = this.#queues.get(name)
    if (known !== undefined) {
      const isSame =
        known.visibilityTimeoutSeconds === visibilityTimeoutSeconds &&
        known.redrive?.deadLetterTargetArn === redrive?.deadLetterTargetArn &&
        known.redrive?.maxReceiveCount === redrive?.maxReceiveCount
      if (isSame) return known
      throw new SqsError("QueueNameExists", "A queue with this name and other attributes exists.")
    }
    const messages = new MessageQueue({
      visibilityTimeoutMs: visibilityTimeoutSeconds * 1000,
      redrive: redrive && {
        maxReceiveCount: redrive.maxReceiveCount,
        move: this.#moveTo(redrive.deadLetterTargetArn),
      },
      wallClock: this.#wallClock,
    })
    const created = { ...{ name, arn: arnOf(name), messages }, visibilityTimeoutSeconds, redrive }
    this.#queues.set(name, created)
    return created
  }

  /** @throws SqsError QueueDoesNotExist */
  require(name: string): NamedQueue {
    const queue = this.#queues.get(name)
    if (queue === undefined) throw new SqsError("QueueDoesNotExist", "The specified queue does not exist.")
    return queue
  }

  delete({ name, messages }: NamedQueue): void {
    messages.close()
    this.#queues.delete(name)
  }

  close(): void {
    for (const queue of this.#queues.values()) this.delete(queue)
  }

  #moveTo(arn: string): (message: Parameters<MessageQueue["accept"]>[0]) => void {
    const find = () => [...this.#queues.values()].find((queue) => queue.arn === arn)
    if (find() === undefined) {
      throw new SqsError("InvalidParameterValue", "The dead-letter queue does not exist.")
    }
    // It may have been deleted since.
    return (message) => find()?.messages.accept(message)
  }
}

function arnOf(name: string): string {
  return `arn:aws:sqs:${EMBEDDED_REGION}:${EMBEDDED_ACCOUNT_ID}:${name}`
}
