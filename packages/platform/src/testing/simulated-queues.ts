import type { SQSBatchResponse, SQSEvent } from "aws-lambda"
import type { MortalProcess } from "./mortal-process.ts"
import { sqsRecord } from "./sqs-record.ts"

const START_MS = 1_700_000_000_000
const MAX_DELAY_SECONDS = 900
const MAX_BATCH = 10
/** More batches than any history needs. */
const MAX_BATCHES = 2_000

export interface QueuedMessage {
  readonly id: string
  readonly queue: string
  readonly body: string
  visibleAt: number
  receives: number
}

export interface SimulatedQueuesOptions {
  /** Sends messages, and takes them from the queues. */
  readonly process: MortalProcess
  /** Default: none. */
  readonly deadLetterQueue?: string
  /** How long a message that was received stays invisible. */
  readonly visibilityMs: number
  /** After so many receives a message is lost. */
  readonly maxReceives: number
  /** Whether to deliver a processed message once more. */
  readonly isDuplicated: () => boolean
  /** Returns what takes the messages of a queue. */
  readonly workerOf: (queue: string) => (event: SQSEvent) => Promise<SQSBatchResponse>
  /** Whether later messages are delivered before earlier ones, as SQS may do. Default: no. */
  readonly isNewestFirst?: boolean
  /** How much later each batch is than the one before it. Default: 0. */
  readonly batchMs?: number
}

/** Queues with a clock of their own, so that days pass instantly. */
export class SimulatedQueues {
  readonly messages: QueuedMessage[] = []
  readonly deadLetters: object[] = []
  readonly #options: SimulatedQueuesOptions
  #nowMs = START_MS
  #sent = 0

  constructor(options: SimulatedQueuesOptions) {
    this.#options = options
  }

  get nowMs(): number {
    return this.#nowMs
  }

  pass(ms: number): void {
    this.#nowMs += ms
  }

  send(
    queue: string,
    message: object,
    { delaySeconds = 0 }: { readonly delaySeconds?: number } = {},
  ): Promise<void> {
    return this.#options.process.reach(() => {
      if (delaySeconds > MAX_DELAY_SECONDS) throw new Error("SQS takes no longer delay")
      if (queue === this.#options.deadLetterQueue) {
        this.deadLetters.push(message)
        return
      }
      this.#sent += 1
      const visibleAt = this.#nowMs + delaySeconds * 1000
      this.messages.push({
        id: String(this.#sent),
        queue,
        body: JSON.stringify(message),
        visibleAt,
        receives: 0,
      })
    })
  }

  /** Delivers messages as they become visible, until none is left or the time is over. */
  async deliver(forMs: number): Promise<void> {
    const untilMs = this.#nowMs + forMs
    for (let batches = 0; ; batches++) {
      if (batches > MAX_BATCHES) throw new Error("Messages never end")
      const next = Math.min(...this.messages.map(({ visibleAt }) => visibleAt))
      if (next > untilMs || this.messages.length === 0) break
      this.#nowMs = Math.max(this.#nowMs, next)
      await this.#deliverBatch()
      this.#nowMs += this.#options.batchMs ?? 0
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs)
  }

  /**
   * Delivers each message in a separate batch as soon as it is visible, concurrently, while the clock stands still.
   *
   * @returns a function that stops this and waits for the batches in progress
   */
  deliverConcurrently(): () => Promise<void> {
    const inHand = new Set<Promise<void>>()
    const timer = setInterval(() => {
      for (const message of this.#visible()) {
        this.#receive(message)
        const work = this.#work(message.queue, [message]).then((failed) => {
          if (failed.size === 0) this.#delete(message)
          inHand.delete(work)
        })
        inHand.add(work)
      }
    })
    return async () => {
      clearInterval(timer)
      await Promise.all(inHand)
    }
  }

  /** Delivers the first messages of one queue. A process that dies deletes none of them. */
  async #deliverBatch(): Promise<void> {
    const { process, isDuplicated, maxReceives, isNewestFirst = false } = this.#options
    const visible = isNewestFirst ? this.#visible().toReversed() : this.#visible()
    const [{ queue } = { queue: "" }] = visible
    const batch = visible.filter((message) => message.queue === queue).slice(0, MAX_BATCH)
    for (const message of batch) this.#receive(message)
    let failed: ReadonlySet<string> = new Set()
    const hasDied = await process.live(async () => {
      failed = await this.#work(queue, batch)
    })
    for (const message of batch) {
      const isDone = !hasDied && !failed.has(message.id) && !isDuplicated()
      if (isDone || message.receives >= maxReceives) this.#delete(message)
    }
  }

  /** Returns the ids of the messages that failed. */
  async #work(queue: string, batch: readonly QueuedMessage[]): Promise<ReadonlySet<string>> {
    const { batchItemFailures } = await this.#options.workerOf(queue)({ Records: batch.map(sqsRecord) })
    return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  }

  #visible(): readonly QueuedMessage[] {
    return this.messages.filter(({ visibleAt }) => visibleAt <= this.#nowMs)
  }

  #receive(message: QueuedMessage): void {
    message.visibleAt = this.#nowMs + this.#options.visibilityMs
    message.receives += 1
  }

  #delete(message: QueuedMessage): void {
    this.messages.splice(this.messages.indexOf(message), 1)
  }
}
