/** Of one of those who wait. */
export interface Deadline {
  readonly atMs: number
  readonly expire: () => void
  previous: Deadline | null
  next: Deadline | null
  isOver: boolean
}

/**
 * Deadlines that all lie equally far ahead. A timer each would be the plain way, and costs a busy server a good part
 * of what it does for a request. These come due in the order in which they were set, so that one timer and a linked
 * list, oldest first, do for all of them.
 */
export class Deadlines {
  readonly #afterMs: number
  #oldest: Deadline | null = null
  #newest: Deadline | null = null
  #isArmed = false

  constructor(afterMs: number) {
    this.#afterMs = afterMs
  }

  /** Calls `expire` when the time, the same for all, is over, unless the deadline returned is cancelled before. */
  set(expire: () => void): Deadline {
    const atMs = performance.now() + this.#afterMs
    const deadline: Deadline = { atMs, expire, previous: this.#newest, next: null, isOver: false }
    if (this.#newest === null) this.#oldest = deadline
    else this.#newest.next = deadline
    this.#newest = deadline
    if (!this.#isArmed) this.#arm(this.#afterMs)
    return deadline
  }

  /** False when the deadline was over already. */
  cancel(deadline: Deadline): boolean {
    if (deadline.isOver) return false
    deadline.isOver = true
    if (deadline.previous === null) this.#oldest = deadline.next
    else deadline.previous.next = deadline.next
    if (deadline.next === null) this.#newest = deadline.previous
    else deadline.next.previous = deadline.previous
    return true
  }

  #arm(afterMs: number): void {
    this.#isArmed = true
    // Whoever waits holds a connection open; the timer itself is no reason for the process to stay.
    setTimeout(() => this.#sweep(), afterMs).unref()
  }

  #sweep(): void {
    this.#isArmed = false
    const nowMs = performance.now()
    for (let deadline = this.#oldest; deadline !== null; deadline = this.#oldest) {
      if (deadline.atMs > nowMs) {
        this.#arm(deadline.atMs - nowMs)
        return
      }
      this.cancel(deadline)
      deadline.expire()
    }
  }
}
