import { createBoundedMap } from "@sealway/kernel"
import type { Grant } from "@sealway/ports"
import { type Allowance, LimitedAllowance, UNLIMITED } from "./allowance.ts"
import { type AccountOwner, LimitedAccount } from "./limited-account.ts"
import { APP_LIMITS, type ChosenLimits, KEY_LIMITS, type RateLimits } from "./rate-limits.ts"
import { createUsageExchange, type UsageExchange, type UsageExchangeOptions } from "./usage-exchange.ts"

/** A key or an app. */
interface LimitedOwner {
  readonly id: string
  readonly limits: ChosenLimits
}

/** Whose limits a request counts for. */
export interface LimitedCaller {
  /** Null when no key was sent. Whoever has a token of the app, or uses a relay that is open to all, gets half of its limits. */
  readonly apiKey: LimitedOwner | null
  /** Null when the request acts as no app. */
  readonly app: LimitedOwner | null
}

/** Limits what keys and apps do in a time. Makes no AWS call while a request waits. */
export interface Limiter extends Pick<UsageExchange, "settle" | "flush"> {
  /**
   * Counts a request, and returns what it may do.
   *
   * @throws RateLimitError when its key or its app has no request left
   */
  admit(caller: LimitedCaller): Allowance
}

/** What telling other processes of the use needs. */
export const LIMIT_GRANTS = ["dynamodb:UpdateItem/events"] as const satisfies readonly Grant[]

/** A key that was not used for as long as 10,000 others were starts with a full bucket. */
const MAX_ACCOUNTS = 10_000

/**
 * Creates the limiter of one process. Each process has its own buckets. Once in 10 seconds, those that serve a key or an
 * app noticeably tell each other what was asked of them, and divide the limit in proportion if it is exceeded.
 */
export function createLimiter(options: UsageExchangeOptions): Limiter {
  const exchange = createUsageExchange(options)
  const keys = createBoundedMap<LimitedAccount>(MAX_ACCOUNTS)
  const apps = createBoundedMap<LimitedAccount>(MAX_ACCOUNTS)
  const keyless = createBoundedMap<LimitedAccount>(MAX_ACCOUNTS)

  function accountOf(
    known: typeof keys,
    kind: AccountOwner["kind"],
    { id, limits }: LimitedOwner,
    defaults: RateLimits,
  ): LimitedAccount {
    const account = known.get(id)
    if (account !== undefined) {
      account.follow(limits)
      return account
    }
    const created = new LimitedAccount({ kind, id }, defaults, limits)
    known.set(id, created)
    return created
  }

  return {
    admit({ apiKey, app }) {
      const ofKey = apiKey && accountOf(keys, "key", apiKey, KEY_LIMITS)
      const ofApp = app && accountOf(apps, "app", app, APP_LIMITS)
      const ofOthers = apiKey === null ? app && accountOf(keyless, "keyless", app, APP_LIMITS) : null
      const accounts = [ofKey, ofOthers, ofApp].filter((account) => account !== null)
      if (accounts.length === 0) return UNLIMITED
      const { now } = options
      const allowance = new LimitedAllowance({ accounts, told: ofKey, now, onUse: exchange.noticed })
      allowance.takeRequest()
      return allowance
    },
    settle: exchange.settle,
    flush: exchange.flush,
  }
}
