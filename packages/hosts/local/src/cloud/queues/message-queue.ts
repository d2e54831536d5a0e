import { randomUUID } from "node:crypto"

/** How long a message may stay in a queue: the default of AWS. */
const RETENTION_MS = 4 * 24 * 60 * 60 * 1000

export interface Message {
  readonly id: string
  readonly body: string
  /** Epoch milliseconds. */
  readonly sentAt: number
  receiveCount: number
  /** Epoch milliseconds; null before the first delivery. */
  firstReceivedAt: number | null
}

/** A message as one receiver gets it. */
export interface Delivery {
  readonly message: Readonly<Message>
  readonly receiptHandle: string
}

export interface Redrive {
  /** How often a message is delivered before it is moved. */
  readonly maxReceiveCount: number
  /** Moves a message to the dead-letter queue. */
  readonly move: (message: Message) => void
}

export interface QueueSettings {
  readonly visibilityTimeoutMs: number
  /** Null: messages are delivered until they are deleted or too old. */
  readonly redrive: Redrive | null
  readonly wallClock: () => number
}

/**
 * A queue in memory: messages are delivered at least once, about in the order in which they became visible. A delivered
 * message is hidden until it is deleted or its visibility timeout ends.
 */
export class MessageQueue {
  readonly #settings: QueueSettings
  /** Deliverable messages, those that became visible first at the front. */
  readonly #visible = new Set<Message>()
  /** Messages that wait for the end of a delay, by id. */
  readonly #delayed = new Map<string, Hidden>()
  /** Messages that were delivered and are not deleted, by id. */
  readonly #inFlight = new Map<string, Hidden>()
  /** Receivers that wait for a message, the first to come at the front. */
  readonly #waiting = new Set<() => void>()

  constructor(settings: QueueSettings) {
    this.#settings = settings
  }

  /** Returns how many messages could be delivered now, wait for the end of their delay, and are in flight. */
  get counts(): { readonly visible: number; readonly delayed: number; readonly inFlight: number } {
    return { visible: this.#visible.size, delayed: this.#delayed.size, inFlight: this.#inFlight.size }
  }

  /** Adds a message. @returns its id */
  send(body: string, delayMs: number): string {
    this.#dropExpired()
    const message: Message = {
      id: randomUUID(),
      body,
      sentAt: this.#settings.wallClock(),
      receiveCount: 0,
      firstReceivedAt: null,
    }
    if (delayMs === 0) this.#show(message)
    else this.#hide(this.#delayed, message, delayMs)
    return message.id
  }

  /** Takes a message from the queue whose dead letters this one holds. */
  accept(message: Message): void {
    this.#dropExpired()
    this.#show({ ...message, receiveCount: 0, firstReceivedAt: null })
  }

  /**
   * Delivers up to `max` messages. Without any, waits for the first one.
   *
   * @param signal ends the wait; aborted when the receiver has gone away
   */
  async receive(max: number, waitMs: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    const deadline = performance.now() + waitMs
    for (;;) {
      // What is delivered to a receiver that is gone would be hidden from all others.
      if (signal.aborted) {
        this.#wakeReceiver()
        return []
      }
      const deliveries = this.#deliver(max)
      const leftMs = deadline - performance.now()
      if (deliveries.length > 0 || leftMs <= 0) return deliveries
      await this.#arrival(leftMs, signal)
    }
  }

  /** Deletes a delivered message. Has no effect if it was delivered again since, or is deleted. */
  delete(receiptHandle: string): void {
    const [id = ""] = receiptHandle.split("#")
    const hidden = this.#inFlight.get(id)
    if (hidden === undefined || receiptHandleOf(hidden.message) !== receiptHandle) return
    clearTimeout(hidden.timer)
    this.#inFlight.delete(id)
  }

  /** Drops all messages and lets receivers go. */
  close(): void {
    for (const { timer } of [...this.#delayed.values(), ...this.#inFlight.values()]) clearTimeout(timer)
    for (const messages of [this.#visible, this.#delayed, this.#inFlight]) messages.clear()
  }

  #deliver(max: number): readonly Delivery[] {
    this.#dropExpired()
    const { redrive, wallClock, visibilityTimeoutMs } = this.#settings
    const deliveries: Delivery[] = []
    for (const message of this.#visible) {
      if (deliveries.length === max) break
      this.#visible.delete(message)
      if (redrive !== null && message.receiveCount >= redrive.maxReceiveCount) {
        redrive.move(message)
        continue
      }
      message.receiveCount++
      message.firstReceivedAt ??= wallClock()
      this.#hide(this.#inFlight, message, visibilityTimeoutMs)
      deliveries.push({ message, receiptHandle: receiptHandleOf(message) })
    }
    return deliveries
  }

  #show(message: Message): void {
    this.#visible.add(message)
    this.#wakeReceiver()
  }

  #wakeReceiver(): void {
    const [first] = this.#waiting
    if (this.#visible.size > 0) first?.()
  }

  #hide(place: Map<string, Hidden>, message: Message, durationMs: number): void {
    const show = () => {
      place.delete(message.id)
      this.#show(message)
    }
    // The process may end before: messages do not outlive it.
    place.set(message.id, { message, timer: setTimeout(show, durationMs).unref() })
  }

  /** Resolves when a message becomes visible, after a time, or when the signal is aborted. */
  #arrival(waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake)
        clearTimeout(timer)
        signal.removeEventListener("abort", wake)
        resolve()
      }
      const timer = setTimeout(wake, waitMs).unref()
      signal.addEventListener("abort", wake)
      this.#waiting.add(wake)
    })
  }

  /** Drops messages that are too old. Those behind a younger one stay until it is their turn. */
  #dropExpired(): void {
    const oldest = this.#settings.wallClock() - RETENTION_MS
    for (const message of this.#visible) {
      if (message.sentAt >= oldest) break
      this.#visible.delete(message)
    }
  }
}

interface Hidden {
  readonly message: Message
  /** Makes it visible. */
  readonly timer: NodeJS.Timeout
}

/** Returns the handle of a message's last delivery. */
function receiptHandleOf({ id, receiveCount }: Message): string {
  return `${id}#${receiveCount}`
}
