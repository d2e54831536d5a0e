import { formatCount } from "@sealway/kernel"
import type { AccountOwner, LimitedAccount } from "./limited-account.ts"
import { RateLimitError } from "./rate-limit-error.ts"
import type { Resource } from "./rate-limits.ts"
import { BURST_SECONDS } from "./token-bucket.ts"

/** What a request may do, by the limits of its key and its app. */
export interface Allowance {
  /**
   * Takes values that are about to be encrypted, decrypted, rewrapped or fingerprinted.
   *
   * @throws RateLimitError when the key or the app has too few left; nothing is taken then
   */
  takeValues(count: number): void
  /** Counts values that cannot be refused any more; negative for some that were taken and not needed. */
  addValues(count: number): void
  /**
   * Returns what is left of the key's limits, as `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
   * Null for senders who are not told.
   */
  headers(): Readonly<Record<string, string>> | null
}

/** The allowance of requests without limits. */
export const UNLIMITED: Allowance = {
  takeValues: () => undefined,
  addValues: () => undefined,
  headers: () => null,
}

export interface AllowanceOptions {
  /**
   * Of the key and the app, as far as they count. The app is last: what a key is refused is not asked of the app, of which
   * it could otherwise take the share of other keys.
   */
  readonly accounts: readonly LimitedAccount[]
  /** The account that the sender is told about; null for none. */
  readonly told: LimitedAccount | null
  readonly now: () => number
  /** Called when an account was used. */
  readonly onUse: (account: LimitedAccount) => void
}

const REACHED: Readonly<Record<AccountOwner["kind"], string>> = {
  key: "The API key has reached its",
  app: "The app has reached its",
  keyless: "Requests to the app without an API key have reached their",
}

export class LimitedAllowance implements Allowance {
  readonly #options: AllowanceOptions

  constructor(options: AllowanceOptions) {
    this.#options = options
  }

  /** @throws RateLimitError when the key or the app has no request left */
  takeRequest(): void {
    this.#take("requests", 1)
  }

  takeValues(count: number): void {
    this.#take("values", count)
  }

  addValues(count: number): void {
    if (count === 0) return
    const { accounts, now, onUse } = this.#options
    const nowMs = now()
    for (const account of accounts) {
      account.note({ requests: 0, values: count })
      account.takeLate("values", count, nowMs)
      onUse(account)
    }
  }

  headers(): Readonly<Record<string, string>> | null {
    const { told, now } = this.#options
    if (told === null) return null
    const nowMs = now()
    const { requestsPerSecond, valuesPerSecond } = told.limits
    const requests = told.stateOf("requests", nowMs)
    const values = told.stateOf("values", nowMs)
    return {
      ratelimit: `"requests";r=${requests.available};t=${requests.fullInSeconds}, "values";r=${values.available};t=${values.fullInSeconds}`,
      "ratelimit-policy": `"requests";q=${requestsPerSecond * BURST_SECONDS};w=${BURST_SECONDS}, "values";q=${valuesPerSecond * BURST_SECONDS};w=${BURST_SECONDS};qu="values"`,
    }
  }

  #take(resource: Resource, amount: number): void {
    const { accounts, now, onUse } = this.#options
    const nowMs = now()
    for (const account of accounts) {
      const waitMs = account.ask(resource, amount, nowMs)
      onUse(account)
      if (waitMs > 0) throw this.#refusal(account, resource, waitMs)
    }
    for (const account of accounts) account.take(resource, amount)
  }

  #refusal({ owner, limits }: LimitedAccount, resource: Resource, waitMs: number): RateLimitError {
    const limit = resource === "requests" ? limits.requestsPerSecond : limits.valuesPerSecond
    const detail = `${REACHED[owner.kind]} limit of ${formatCount(limit)} ${resource} a second. Try again after the time in Retry-After.`
    return new RateLimitError(detail, waitMs, this.headers() ?? {})
  }
}
