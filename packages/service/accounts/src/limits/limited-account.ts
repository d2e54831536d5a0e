import { type ChosenLimits, limitsOf, type RateLimits, type Resource } from "./rate-limits.ts"
import { BURST_SECONDS, TokenBucket } from "./token-bucket.ts"

/** How much of each resource was asked for. */
export type Demand = Readonly<Record<Resource, number>>

/** What was asked of this process and of all processes together, per second. */
export interface DividedDemand {
  readonly own: number
  readonly all: number
}

/** Whose use is limited: a key's, an app's, or that of an app by requests without a key. */
export interface AccountOwner {
  readonly kind: "key" | "app" | "keyless"
  readonly id: string
}

/** The part of an app's limits that requests without a key may use: the rest is for those who hold its keys. */
const KEYLESS_SHARE = 1 / 2

/** The smallest share of a limit that a process is left with. */
const MIN_SHARE = 0.01

/** What this process knows about the use of a key or an app. */
export class LimitedAccount {
  readonly owner: AccountOwner
  readonly #defaults: RateLimits
  readonly #buckets = { requests: new TokenBucket(), values: new TokenBucket() }
  readonly #demand = { requests: 0, values: 0 }
  #shares: Demand = { requests: 1, values: 1 }
  #sharesEndMs = 0
  #chosen: ChosenLimits
  #limits: RateLimits

  constructor(owner: AccountOwner, defaults: RateLimits, chosen: ChosenLimits) {
    this.owner = owner
    this.#defaults = defaults
    this.#chosen = chosen
    this.#limits = this.#limitsOf(chosen)
  }

  get limits(): RateLimits {
    return this.#limits
  }

  /** Applies the limits of the owner's record, which may have been read again. */
  follow(chosen: ChosenLimits): void {
    if (chosen === this.#chosen) return
    this.#chosen = chosen
    this.#limits = this.#limitsOf(chosen)
  }

  /** Notes what is asked for, and returns the milliseconds until it may be taken; 0 for now. */
  ask(resource: Resource, amount: number, nowMs: number): number {
    this.#demand[resource] += amount
    return this.#buckets[resource].waitMs(amount, this.#rateOf(resource, nowMs), nowMs)
  }

  take(resource: Resource, amount: number): void {
    this.#buckets[resource].take(amount)
  }

  /**
   * Takes what cannot be refused any more. An app is shared: its other keys wait at most 20 seconds for what one has done,
   * which itself waits as long as that takes.
   */
  takeLate(resource: Resource, amount: number, nowMs: number): void {
    const rate = this.#rateOf(resource, nowMs)
    const maxDebt = this.owner.kind === "app" ? rate * BURST_SECONDS : Number.POSITIVE_INFINITY
    this.#buckets[resource].takeLate(amount, rate, nowMs, maxDebt)
  }

  stateOf(resource: Resource, nowMs: number) {
    return this.#buckets[resource].state(this.#rateOf(resource, nowMs), nowMs)
  }

  /** What was asked for since the last `report`, as far as it was not given back. */
  get demand(): Demand {
    return this.#demand
  }

  /** Returns the demand, and starts from zero. */
  report(): Demand {
    const reported = { ...this.#demand }
    this.#demand.requests = 0
    this.#demand.values = 0
    return reported
  }

  /** Notes demand without asking for it: it was served already, or could not be reported. */
  note({ requests, values }: Demand): void {
    this.#demand.requests += requests
    this.#demand.values += values
  }

  /**
   * Leaves this process its share of the limits until an instant, where all processes together ask for more than those.
   *
   * @param endsMs of the clock of `ask`
   */
  divide({ requests, values }: Readonly<Record<Resource, DividedDemand>>, endsMs: number): void {
    this.#shares = {
      requests: shareOf(requests, this.limits.requestsPerSecond),
      values: shareOf(values, this.limits.valuesPerSecond),
    }
    this.#sharesEndMs = endsMs
  }

  #limitsOf(chosen: ChosenLimits): RateLimits {
    const limits = limitsOf(chosen, this.#defaults)
    if (this.owner.kind !== "keyless") return limits
    return {
      requestsPerSecond: Math.ceil(limits.requestsPerSecond * KEYLESS_SHARE),
      valuesPerSecond: Math.ceil(limits.valuesPerSecond * KEYLESS_SHARE),
    }
  }

  #rateOf(resource: Resource, nowMs: number): number {
    const { requestsPerSecond, valuesPerSecond } = this.#limits
    const limit = resource === "requests" ? requestsPerSecond : valuesPerSecond
    return nowMs < this.#sharesEndMs ? limit * this.#shares[resource] : limit
  }
}

function shareOf({ own, all }: DividedDemand, limit: number): number {
  return all > limit ? Math.max(own / all, MIN_SHARE) : 1
}
