/** How many seconds of its rate a bucket holds: what may be taken at once after a pause. */
export const BURST_SECONDS = 10

/** What additions of fractions may be off by. */
const ROUNDING = 1e-6

/**
 * A token bucket: it fills at a rate, and holds `BURST_SECONDS` of it. More than it holds can be taken from a full one,
 * which then has to fill up from below zero. So no amount is too large, and the average never exceeds the rate.
 */
export class TokenBucket {
  #level = Number.POSITIVE_INFINITY
  #filledMs = 0

  /** Returns the milliseconds until an amount may be taken; 0 for now. @param nowMs of a monotonic clock */
  waitMs(amount: number, perSecond: number, nowMs: number): number {
    const missing = Math.min(amount, perSecond * BURST_SECONDS) - this.#fill(perSecond, nowMs)
    return amount <= 0 || missing <= ROUNDING ? 0 : Math.ceil((missing / perSecond) * 1000)
  }

  /** Takes an amount, whatever is there; a negative one is given back. */
  take(amount: number): void {
    this.#level -= amount
  }

  /** Takes an amount that was not asked for before, but leaves no larger debt than `maxDebt`. */
  takeLate(amount: number, perSecond: number, nowMs: number, maxDebt: number): void {
    const level = this.#fill(perSecond, nowMs)
    this.#level = Math.max(level - amount, Math.min(level, -maxDebt))
  }

  /** Returns how much may be taken now, and the seconds until the bucket is full. */
  state(perSecond: number, nowMs: number): { readonly available: number; readonly fullInSeconds: number } {
    const level = this.#fill(perSecond, nowMs)
    return {
      available: Math.max(0, Math.floor(level)),
      fullInSeconds: Math.ceil(BURST_SECONDS - level / perSecond),
    }
  }

  #fill(perSecond: number, nowMs: number): number {
    const filled = this.#level + (Math.max(0, nowMs - this.#filledMs) / 1000) * perSecond
    this.#level = Math.min(filled, perSecond * BURST_SECONDS)
    this.#filledMs = nowMs
    return this.#level
  }
}
