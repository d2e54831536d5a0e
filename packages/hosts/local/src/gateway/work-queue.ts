import { SMALL_BYTES } from "@sealway/http/ingress"
import { MB } from "@sealway/kernel"

/** How long work is started before yielding to the event loop, in milliseconds. One piece of work may take longer. */
const SLICE_MS = 3

/**
 * The limit for large work of one endpoint in progress. Work that waits for the same answer of another service, such as
 * a look-up of an evicted cache entry, continues all at once when that arrives.
 */
const MAX_LARGE_BYTES_UNDER_WAY = 2 * MB

/**
 * After a long turn of the event loop, large work waits for this fraction of its time. Meanwhile small requests whose
 * work takes several turns, such as those with look-ups, can continue.
 */
const PAUSE_SHARE = 1 / 8

/** Work that has waited this long starts in the next turn, whatever is in progress, so nothing waits forever. */
const MAX_WAIT_MS = 5000

const CLASS_COUNT = 18

/** Marks that the end of the slice is not known yet. */
const AFTER_THE_OLDEST = Number.NEGATIVE_INFINITY

/** One request's work. */
export interface Work {
  readonly functionName: string
  /** The size of the request body, which mostly determines how long the work takes. */
  readonly bytes: number
  /** Starts the work, which continues in promise jobs. Must not throw. Once it has ended, `WorkQueue.end` is called. */
  readonly start: () => void
}

interface WaitingWork extends Work {
  readonly order: number
  /** When it must start at the latest. */
  readonly dueAt: number
}

export interface WorkQueueOptions {
  /** After this time, large work is no longer delayed, in milliseconds. Default: 5,000. */
  readonly maxWaitMs?: number
}

/**
 * Starts work immediately while there is little of it. Under load work waits here, and smaller work overtakes larger: a
 * small request does not wait for all large ones before it. Between two slices of work it yields to the event loop, so
 * that new arrivals can overtake, and answers leave.
 */
export class WorkQueue {
  readonly #maxWaitMs: number
  /** By size class, each first in, first out. */
  readonly #classes: WaitingWork[][] = Array.from({ length: CLASS_COUNT }, () => [])
  readonly #largeBytesUnderWay = new Map<string, number>()
  #waiting = 0
  #nextOrder = 0
  #sliceEndsAt = 0
  #isTurnDue = false
  /** The start of the event loop turn that ends with the next slice. */
  #turnBeganAt = 0
  #noLargeBefore = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ maxWaitMs = MAX_WAIT_MS }: WorkQueueOptions = {}) {
    this.#maxWaitMs = maxWaitMs
  }

  run(work: Work): void {
    const now = performance.now()
    if (this.#waiting === 0 && this.#hasTime() && this.#mayStart(work, now)) {
      this.#start(work)
      return
    }
    const waiting = { ...work, order: this.#nextOrder++, dueAt: now + this.#maxWaitMs }
    this.#classes[classOf(work.bytes)]?.push(waiting)
    this.#waiting += 1
    this.#armTurn()
  }

  /** Call it when started work has ended. */
  end({ functionName, bytes }: Pick<Work, "functionName" | "bytes">): void {
    if (bytes <= SMALL_BYTES) return
    this.#largeBytesUnderWay.set(functionName, this.#underWay(functionName) - bytes)
    if (this.#waiting > 0) this.#armTurn()
  }

  #hasTime(): boolean {
    if (this.#isTurnDue) return performance.now() < this.#sliceEndsAt
    this.#sliceEndsAt = performance.now() + SLICE_MS
    this.#armTurn()
    return true
  }

  #armTurn(): void {
    if (this.#isTurnDue) return
    this.#isTurnDue = true
    this.#turnBeganAt = performance.now()
    setImmediate(this.#takeTurn)
  }

  readonly #takeTurn = () => {
    this.#isTurnDue = false
    if (this.#waiting === 0) return
    const now = performance.now()
    const turnMs = now - this.#turnBeganAt
    if (turnMs > 2 * SLICE_MS) this.#noLargeBefore = now + turnMs * PAUSE_SHARE
    this.#turnBeganAt = now
    // The work that has waited longest goes first, whatever its size, so that small work cannot starve it. After that,
    // a slice of time is for the smallest, however long the oldest took.
    this.#sliceEndsAt = AFTER_THE_OLDEST
    this.#startNext("oldest")
  }

  readonly #goOn = () => {
    const now = performance.now()
    if (this.#sliceEndsAt === AFTER_THE_OLDEST) this.#sliceEndsAt = now + SLICE_MS
    if (now < this.#sliceEndsAt) this.#startNext("smallest")
    else if (!this.#isTurnDue) {
      this.#isTurnDue = true
      setImmediate(this.#takeTurn)
    }
  }

  /** Starts the smallest work that may start, or the oldest. */
  #startNext(which: "smallest" | "oldest"): void {
    // One time for all checks: if a pause ended between two of them, nothing would start the rest.
    const now = performance.now()
    const oldest = this.#oldest()
    const isOverdue = which === "oldest" && oldest !== undefined && oldest.dueAt <= now
    const next = isOverdue ? oldest : this.#firstThatMayStart(which, now)
    if (next === undefined) {
      if (oldest !== undefined) this.#awaitTime(oldest, now)
      return
    }
    const waiting = this.#classes[classOf(next.bytes)]
    waiting?.splice(waiting.indexOf(next), 1)
    this.#waiting -= 1
    this.#start(next)
    // A tick requested by a promise job comes when no promise job is left: this work has gone as far as it can.
    if (this.#waiting > 0) queueMicrotask(() => process.nextTick(this.#goOn))
  }

  #firstThatMayStart(which: "smallest" | "oldest", now: number): WaitingWork | undefined {
    let next: WaitingWork | undefined
    for (const waiting of this.#classes) {
      const first = waiting.find((work) => this.#mayStart(work, now))
      if (first !== undefined && (next === undefined || first.order < next.order)) next = first
      if (next !== undefined && which === "smallest") break
    }
    return next
  }

  #oldest(): WaitingWork | undefined {
    let oldest: WaitingWork | undefined
    for (const [first] of this.#classes) {
      if (first !== undefined && (oldest === undefined || first.order < oldest.order)) oldest = first
    }
    return oldest
  }

  /** Nothing may start until other work ends, the pause ends, or the longest wait is over. */
  #awaitTime({ dueAt }: WaitingWork, now: number): void {
    const nextAt = this.#noLargeBefore > now ? Math.min(this.#noLargeBefore, dueAt) : dueAt
    clearTimeout(this.#timer)
    // It may be overdue already, behind work that may not start. The timer must not keep the process alive: waiting work
    // holds a connection open.
    this.#timer = setTimeout(() => this.#armTurn(), Math.max(0, Math.ceil(nextAt - now))).unref()
  }

  #start({ functionName, bytes, start }: Work): void {
    if (bytes > SMALL_BYTES) this.#largeBytesUnderWay.set(functionName, this.#underWay(functionName) + bytes)
    start()
  }

  #mayStart({ functionName, bytes }: Work, now: number): boolean {
    if (bytes <= SMALL_BYTES) return true
    if (now < this.#noLargeBefore) return false
    const underWay = this.#underWay(functionName)
    return underWay === 0 || underWay + bytes <= MAX_LARGE_BYTES_UNDER_WAY
  }

  #underWay(functionName: string): number {
    return this.#largeBytesUnderWay.get(functionName) ?? 0
  }
}

/** Returns 0 for less than 1 KiB, and one more for each doubling. */
function classOf(bytes: number): number {
  return Math.min(32 - Math.clz32(bytes >>> 10), CLASS_COUNT - 1)
}
