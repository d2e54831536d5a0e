import { ApiError } from "@sealway/kernel"

/** Makes calls to another service, a bounded number at a time. Further ones wait for their turn, in order. */
export type BoundedCalls = <Result>(call: () => Promise<Result>) => Promise<Result>

export interface BoundedCallsOptions {
  readonly maxInFlight: number
  /** Calls beyond these are refused immediately. */
  readonly maxWaiting: number
  /** A call that has waited so long is refused. */
  readonly maxWaitMs: number
}

interface Waiting {
  readonly start: () => void
  readonly timer: NodeJS.Timeout
}

/** @returns calls that reject with ApiError `service-unavailable` when too many wait, or one has waited too long */
export function createBoundedCalls({
  maxInFlight,
  maxWaiting,
  maxWaitMs,
}: BoundedCallsOptions): BoundedCalls {
  /** In the order in which they came. */
  const waiting = new Set<Waiting>()
  let inFlight = 0

  function takeTurn(): Promise<void> | undefined {
    if (inFlight < maxInFlight) {
      inFlight++
      return undefined
    }
    if (waiting.size >= maxWaiting) throw busy()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(turn)
        reject(busy())
      }, maxWaitMs)
      timer.unref()
      const turn: Waiting = { start: resolve, timer }
      waiting.add(turn)
    })
  }

  /** Passes the turn on to the one that waits longest. */
  function endTurn(): void {
    const [next] = waiting
    if (next === undefined) {
      inFlight--
      return
    }
    waiting.delete(next)
    clearTimeout(next.timer)
    next.start()
  }

  return async (call) => {
    await takeTurn()
    try {
      return await call()
    } finally {
      endTurn()
    }
  }
}

function busy(): ApiError {
  return new ApiError("service-unavailable", "The service is busy. Try again shortly.", {
    headers: { "retry-after": "1" },
  })
}
