/** One pending deadline. */
export interface Deadline {
  readonly atMs: number
  readonly expire: () => void
  previous: Deadline | null
  next: Deadline | null
  isOver: boolean
}

/**
 * Deadlines that all have the same delay. One timer for each would be the obvious way, but costs a busy server a good
 * part of its work per request. These expire in the order in which they were set, so one timer and a linked list,
 * oldest first, serve all of them.
 */
export class Deadlines {
  readonly #afterMs: number
  #oldest: Deadline | null = null
  #newest: Deadline | null = null
  #isArmed = false

  constructor(afterMs: number) {
    this.#afterMs = afterMs
  }

  /** Calls `expire` after the common delay, unless the returned deadline is cancelled before. */
  set(expire: () => void): Deadline {
    const atMs = performance.now() + this.#afterMs
    const deadline: Deadline = { atMs, expire, previous: this.#newest, next: null, isOver: false }
    if (this.#newest === null) this.#oldest = deadline
    else this.#newest.next = deadline
    this.#newest = deadline
    if (!this.#isArmed) this.#arm(this.#afterMs)
    return deadline
  }

  /** Returns false when the deadline had already expired. */
  cancel(deadline: Deadline): boolean {
    if (deadline.isOver) return false
    deadline.isOver = true
    if (deadline.previous === null) this.#oldest = deadline.next
    else deadline.previous.next = deadline.next
    if (deadline.next === null) this.#newest = deadline.previous
    else deadline.next.previous = deadline.previous
    // An old deadline would keep all later ones alive, until the old generation is collected.
    deadline.previous = null
    deadline.next = null
    return true
  }

  #arm(afterMs: number): void {
    this.#isArmed = true
    // Anything that waits holds a connection open; the timer itself must not keep the process alive.
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
