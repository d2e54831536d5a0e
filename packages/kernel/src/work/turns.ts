import type { MaybePromise } from "./maybe-promise.ts"
import type { Work } from "./work.ts"

/**
 * Shares one event loop among long-running work and everything else. Between two turns of the loop, one piece of work
 * gets a slice of time, and the waiting ones get theirs one after another: together they take one slice per turn,
 * however many there are, and new arrivals wait no longer than that.
 */
export interface Turns {
  /**
   * Runs work: immediately if it is done within a slice, so that small work costs no promise, and otherwise in slices.
   * While others wait, it only does its first step immediately.
   */
  run<Result>(work: Work<Result>): MaybePromise<Result>
  /** Waits for a turn. For streams, which take one per piece. */
  next(): Promise<void>
}

export interface TurnsOptions {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Calls a task after the event loop had its turn. */
  readonly defer: (task: () => void) => void
  /** The slice of each piece of work, in milliseconds. Default: 1. */
  readonly sliceMs?: number
}

/** A small request takes about ten turns of the loop from its first byte to its last. */
const DEFAULT_SLICE_MS = 1

export function createTurns({ now, defer, sliceMs = DEFAULT_SLICE_MS }: TurnsOptions): Turns {
  /** First in, first out. */
  const waiting: (() => void)[] = []

  function give(): void {
    waiting.shift()?.()
    if (waiting.length > 0) defer(give)
  }

  function next(): Promise<void> {
    return new Promise((resolve) => {
      if (waiting.push(resolve) === 1) defer(give)
    })
  }

  async function goOn<Result>(
    work: Work<Result>,
    first: Promise<unknown> | undefined,
    firstEndsAt: number,
  ): Promise<Result> {
    let pending = first
    let endsAt = firstEndsAt
    for (;;) {
      const failure = pending === undefined ? null : await failureOf(pending)
      if (now() >= endsAt) {
        await next()
        endsAt = now() + sliceMs
      }
      const { done, value } = failure === null ? work.next() : work.throw(failure.error)
      if (done === true) return value
      pending = value
    }
  }

  return {
    next,
    run(work) {
      const startedAt = now()
      const endsAt = waiting.length === 0 ? startedAt + sliceMs : startedAt
      for (;;) {
        const { done, value } = work.next()
        if (done === true) return value
        if (value !== undefined || now() >= endsAt) return goOn(work, value, endsAt)
      }
    },
  }
}

function failureOf(pending: Promise<unknown>): Promise<{ readonly error: unknown } | null> {
  return pending.then(
    () => null,
    (error: unknown) => ({ error }),
  )
}
