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
   *
   * @param cancellation ends the work at its next turn: the reason is thrown where it waits. Default: it is never
   * cancelled
   */
  run<Result>(work: Work<Result>, cancellation?: Cancellation): MaybePromise<Result>
  /** Waits for a turn. For streams, which take one per piece. Rejects with the reason when the work is cancelled. */
  next(cancellation?: Cancellation): Promise<void>
}

/** Says whether work is still wanted. Unlike an `AbortSignal`, it costs nothing where nobody asks. */
export interface Cancellation {
  /** Why the work is no longer wanted: its client has left, or its time is over. Null while it is wanted. */
  readonly cancelled: Error | null
}

export interface TurnsOptions {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Calls a task after the event loop had its turn. */
  readonly defer: (task: () => void) => void
  /** The slice of each piece of work, in milliseconds. Default: 1. */
  readonly sliceMs?: number
}

const NEVER: Cancellation = { cancelled: null }

/** A small request takes about ten turns of the loop from its first byte to its last. */
const DEFAULT_SLICE_MS = 1

export function createTurns({ now, defer, sliceMs = DEFAULT_SLICE_MS }: TurnsOptions): Turns {
  /** First in, first out. */
  const waiting: (() => void)[] = []

  function give(): void {
    waiting.shift()?.()
    if (waiting.length > 0) defer(give)
  }

  function turn(): Promise<void> {
    return new Promise((resolve) => {
      if (waiting.push(resolve) === 1) defer(give)
    })
  }

  async function next(cancellation: Cancellation = NEVER): Promise<void> {
    await turn()
    if (cancellation.cancelled !== null) throw cancellation.cancelled
  }

  async function goOn<Result>(
    work: Work<Result>,
    first: Promise<unknown> | undefined,
    firstEndsAt: number,
    cancellation: Cancellation,
  ): Promise<Result> {
    let pending = first
    let endsAt = firstEndsAt
    for (;;) {
      const failure = pending === undefined ? null : await failureOf(pending)
      if (now() >= endsAt) {
        await turn()
        endsAt = now() + sliceMs
      }
      const { cancelled } = cancellation
      const thrown = cancelled === null ? failure : { error: cancelled }
      const { done, value } = thrown === null ? work.next() : work.throw(thrown.error)
      if (done === true) return value
      pending = value
    }
  }

  return {
    next,
    run(work, cancellation = NEVER) {
      if (cancellation.cancelled !== null) throw cancellation.cancelled
      const startedAt = now()
      const endsAt = waiting.length === 0 ? startedAt + sliceMs : startedAt
      for (;;) {
        const { done, value } = work.next()
        if (done === true) return value
        if (value !== undefined || now() >= endsAt) return goOn(work, value, endsAt, cancellation)
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
