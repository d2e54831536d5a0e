import { type LimitedCaller, type Limiter, RateLimitError } from "@sealway/accounts"
import { RelayError } from "@sealway/relay-engine"

/** What an exchange may do, by the limits of its key and of the relay's app. */
export interface RelayAllowance {
  /**
   * Counts values that are sealed or opened. Those of an answer are never refused, because the destination has done its
   * work; they delay later requests instead.
   *
   * @throws RelayError `too-many-requests` when the key or the app has too few left for those of a request
   */
  count(values: number, direction: "request" | "response"): void
  /**
   * Called before a request is passed on whose body is still arriving and being changed. Its further values are counted and
   * never refused: half a request would have reached the destination.
   *
   * @throws RelayError `too-many-requests` when no value is left
   */
  passOn(): void
  /** Refuses an exchange whose answer would be changed while no value is left. @throws RelayError `too-many-requests` */
  requireValue(): void
}

/** Counts an exchange. @throws RelayError `too-many-requests` when its key or its app has no request left */
export function admitExchange(limiter: Pick<Limiter, "admit">, caller: LimitedCaller): RelayAllowance {
  const allowance = asRelayError(() => limiter.admit(caller))
  const take = (values: number) => asRelayError(() => allowance.takeValues(values))
  const requireValue = () => {
    take(1)
    allowance.addValues(-1)
  }
  let isPassedOn = false
  return {
    count(values, direction) {
      if (direction === "request" && !isPassedOn) take(values)
      else allowance.addValues(values)
    },
    passOn() {
      requireValue()
      isPassedOn = true
    },
    requireValue,
  }
}

function asRelayError<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RateLimitError)) throw error
    const { message, retryAfterSeconds } = error
    throw new RelayError("too-many-requests", message, { retryAfterSeconds, cause: error })
  }
}
