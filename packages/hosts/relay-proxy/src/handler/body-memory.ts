import { createHold, type MemoryBudget } from "@sealway/http/ingress"
import { CancelledError, OverloadedError, type TaskOwner } from "@sealway/kernel"
import { type BodyMemory, RelayError } from "@sealway/relay-engine"

/**
 * Memory for the bodies of one exchange: while they are read and changed, and for an answer until its client has read
 * it.
 */
export interface ExchangeMemory extends BodyMemory {
  /**
   * Releases everything taken except what is still held.
   *
   * @throws RelayError `service-unavailable`, with everything released, when that is more than was taken, and too much
   */
  keep(bytes: number): void
  /** Releases everything taken. */
  release(): void
}

/**
 * Creates the memory of one exchange of an app, as part of what its process has: so that many large bodies at a time wait
 * or are refused, instead of ending the process with all other exchanges.
 */
export function createExchangeMemory(
  budget: MemoryBudget,
  owner: TaskOwner,
  { signal }: { readonly signal: AbortSignal },
): ExchangeMemory {
  const hold = createHold(owner)
  /** The part of what was reserved that has not been taken. */
  let reserved = 0
  return {
    receive(bytes) {
      if (!budget.receive(hold, bytes)) throw tooManyBodies()
    },
    async reserve(bytes) {
      const before = hold.working
      // Few bodies need all of it, and where one does, that is refused on the way.
      const most = Math.min(before + bytes, budget.mostForOne)
      try {
        await budget.reserve(hold, most, { signal })
      } catch (error) {
        if (signal.aborted) throw new CancelledError("client")
        throw error instanceof OverloadedError ? tooManyBodies() : error
      }
      reserved += hold.working - before
    },
    take(bytes) {
      const more = Math.max(0, bytes - reserved)
      reserved -= bytes - more
      if (more > 0 && !budget.take(hold, more)) throw tooManyBodies()
    },
    release() {
      reserved = 0
      budget.release(hold)
    },
    keep(bytes) {
      reserved = 0
      if (!budget.keep(hold, bytes)) throw tooManyBodies()
    },
  }
}

function tooManyBodies(): RelayError {
  return new RelayError(
    "service-unavailable",
    "The relay is processing too many large bodies. Try again shortly.",
  )
}
