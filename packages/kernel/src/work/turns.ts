import type { MaybePromise } from "./maybe-promise.ts"
import type { Work } from "./work.ts"

/**
 * Shares one event loop among long pieces of work and everything else. Between two turns of the loop, one piece of work
 * gets a slice of time, and those that wait get theirs one after the other: however many there are, together they take
 * one slice a turn, and what arrives meanwhile waits no longer than that.
 */
export interface Turns {
  /**
   * Does a work: at once when it is done within a slice, so that small work costs no promise, and in slices otherwise.
   * While others wait, it does no more than its first step at once.
   */
  run<Result>(work: Work<Result>): MaybePromise<Result>
  /** Waits for a turn. For streams, which take one for each piece. */
  next(): Promise<void>
}

export interface TurnsOptions {
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** Calls a task when the event loop has had its turn. */
  readonly defer: (task: () => void) => void
  /** Of each piece of work, in milliseconds. Default: 1. */
  readonly sliceMs?: number
}

/** A small request takes some ten turns of the loop from its first byte to its last. */
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
