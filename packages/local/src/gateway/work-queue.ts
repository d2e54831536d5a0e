import { MB } from "@sealway/kernel"
import { SMALL_BYTES } from "./load.ts"

/** How long work is started before the event loop has a turn, in milliseconds. One piece of work may take longer. */
const SLICE_MS = 3

/**
 * Of one endpoint's large work, what may be under way at a time. Work that waits for the same answer of another service,
 * such as a look-up that a cache has forgotten, goes on all at once when that comes.
 */
const MAX_LARGE_BYTES_UNDER_WAY = 2 * MB

/**
 * After a turn of the event loop that took long, large work waits for this part of its time. Meanwhile small requests
 * whose work takes several turns, such as those that look something up, get on with it.
 */
const PAUSE_SHARE = 1 / 8

/** What has waited for so long is started at the next turn, whatever is under way: nothing waits for good. */
const MAX_WAIT_MS = 5000

const CLASS_COUNT = 18

/** In the place of a slice's end that is not known yet. */
const AFTER_THE_OLDEST = Number.NEGATIVE_INFINITY

/** One request's work. */
export interface Work {
  readonly functionName: string
  /** Of the request's body. What takes long takes it because of these, mostly. */
  readonly bytes: number
  /** Begins the work, which goes on in promise jobs. Must not throw. Once it has ended, `WorkQueue.end` is called. */
  readonly start: () => void
}

interface WaitingWork extends Work {
  readonly order: number
  /** When it is to be started at the latest. */
  readonly dueAt: number
}

export interface WorkQueueOptions {
  /** After which large work is no longer put off, in milliseconds. Default: 5,000. */
  readonly maxWaitMs?: number
}

/**
 * Starts work at once while there is little of it. Under load it waits here, and smaller work overtakes larger: a small
 * request does not wait for all large ones that came before it. Between two slices of work the event loop has a turn, so
 * that what arrives meanwhile can overtake, and answers leave.
 */
export class WorkQueue {
  readonly #maxWaitMs: number
  /** By size; each first in, first out. */
  readonly #classes: WaitingWork[][] = Array.from({ length: CLASS_COUNT }, () => [])
  readonly #largeBytesUnderWay = new Map<string, number>()
  #waiting = 0
  #nextOrder = 0
  #sliceEndsAt = 0
  #isTurnDue = false
  /** When the turn of the event loop began that ends with the next slice. */
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

  /** Work that was started has ended. */
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
    // What has waited longest is first, whatever its size: small work must not keep it waiting for good. Then a slice of
    // time is for the smallest, however long the oldest took.
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
    // One time for all: a pause that ended between two looks would leave nothing that starts the rest.
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
    // A tick asked for by a promise job comes when no promise job is left: this work has gone as far as it can.
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

  /** Nothing may start. The end of other work changes that, or the end of the pause, or of the longest wait. */
  #awaitTime({ dueAt }: WaitingWork, now: number): void {
    const nextAt = this.#noLargeBefore > now ? Math.min(this.#noLargeBefore, dueAt) : dueAt
    clearTimeout(this.#timer)
    // Whoever waits holds a connection open; the timer itself is no reason for the process to stay.
    this.#timer = setTimeout(() => this.#armTurn(), Math.ceil(nextAt - now)).unref()
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

/** 0 for less than 1 KiB, and one more for each doubling. */
function classOf(bytes: number): number {
  return Math.min(32 - Math.clz32(bytes >>> 10), CLASS_COUNT - 1)
}
