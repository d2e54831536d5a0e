import type { Clocks } from "@sealway/kernel"
import type { Log, Table } from "@sealway/ports"
import type { Demand, DividedDemand, LimitedAccount } from "./limited-account.ts"
import type { RateLimits, Resource } from "./rate-limits.ts"
import { BURST_SECONDS } from "./token-bucket.ts"
import { EXCHANGE_MS, type TotalDemand, tellDemand } from "./usage-table.ts"

export interface UsageExchangeOptions extends Clocks {
  readonly table: Pick<Table, "tally">
  readonly log: Pick<Log, "warn">
  /** Whether the process is frozen between its requests, as in Lambda. Then `settle` tells; otherwise a timer does. */
  readonly isFrozenBetweenRequests: boolean
}

/** Divides limits among the processes that serve a key or an app. */
export interface UsageExchange {
  /** Has an account told about in time, once it has been used noticeably. Never waits. */
  noticed(account: LimitedAccount): void
  /** Tells what is due, if the process may be frozen after its answer. Null: there is nothing to wait for. Never rejects. */
  settle(): Promise<void> | null
  /** Tells what is due. Call it before the process ends. Never rejects. */
  flush(): Promise<void>
}

/**
 * A demand in 10 seconds below this part of what a bucket holds is not told: processes in little use cost no calls. There
 * are many of them in the cloud, and what all of them are asked for is at most their number times that part.
 */
const NOTICEABLE_PART = 2_000
const MAX_ACCOUNTS = 10_000
const NOTHING: Demand = { requests: 0, values: 0 }

/** What this process has told about an account. */
interface Told {
  interval: number
  current: Demand
  previous: Demand
  stale: readonly string[]
}

export function createUsageExchange({
  table,
  log,
  now,
  wallClock,
  isFrozenBetweenRequests,
}: UsageExchangeOptions): UsageExchange {
  const due = new Set<LimitedAccount>()
  const told = new WeakMap<LimitedAccount, Told>()
  /** Since when the demand is counted that was not told. */
  const countedFrom = new WeakMap<LimitedAccount, number>()
  let telling: Promise<void> | null = null
  /** When the interval between two calls of `settle` that tell has begun. */
  let startedAtMs: number | null = null
  let timer: NodeJS.Timeout | null = null

  function ownOf(account: LimitedAccount, interval: number): Told {
    const known = told.get(account) ?? { interval, current: NOTHING, previous: NOTHING, stale: [] }
    if (known.interval === interval - 1) known.previous = known.current
    else if (known.interval !== interval) known.previous = NOTHING
    if (known.interval !== interval) known.current = NOTHING
    known.interval = interval
    told.set(account, known)
    return known
  }

  async function tell(account: LimitedAccount): Promise<void> {
    const atMs = wallClock()
    const interval = Math.floor(atMs / EXCHANGE_MS)
    const own = ownOf(account, interval)
    const demand = account.report()
    let total: TotalDemand
    try {
      total = await tellDemand(table, account.owner, demand, { interval, stale: own.stale })
    } catch (error) {
      account.note(demand)
      throw error
    }
    own.current = sum(own.current, demand)
    own.stale = total.stale
    account.divide(
      { requests: demandOn("requests", own, total), values: demandOn("values", own, total) },
      now() + 2 * EXCHANGE_MS,
    )
  }

  function start(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (telling !== null) return telling
    const accounts = [...due]
    due.clear()
    telling = Promise.allSettled(accounts.map(tell)).then((results) => {
      telling = null
      const failed = results.find(({ status }) => status === "rejected")
      if (failed?.status === "rejected")
        log.warn("could not tell the use of limits", { error: failed.reason })
    })
    return telling
  }

  function schedule(): void {
    if (timer !== null) return
    timer = setTimeout(() => void start(), EXCHANGE_MS)
    timer.unref()
  }

  /** Forgets a demand of more than 10 seconds that was not noticeable. */
  function forgetEarlier(account: LimitedAccount): void {
    const nowMs = now()
    const fromMs = countedFrom.get(account)
    if (fromMs !== undefined && nowMs - fromMs < EXCHANGE_MS) return
    countedFrom.set(account, nowMs)
    if (fromMs !== undefined) account.report()
  }

  return {
    noticed(account) {
      if (due.has(account) || due.size >= MAX_ACCOUNTS) return
      if (!isNoticeable(account)) {
        forgetEarlier(account)
        return
      }
      due.add(account)
      if (!isFrozenBetweenRequests) schedule()
    },
    settle() {
      if (!isFrozenBetweenRequests) return null
      const nowMs = now()
      startedAtMs ??= nowMs
      if (nowMs - startedAtMs < EXCHANGE_MS) return telling
      // Also when nothing is due: so it is the same request that writes figures and reads caches again.
      startedAtMs = nowMs
      return due.size === 0 ? telling : start()
    },
    async flush() {
      await telling
      await start()
    },
  }
}

/** Returns how many requests in 10 seconds are told of, at least. */
export function noticeableRequests({ requestsPerSecond }: Pick<RateLimits, "requestsPerSecond">): number {
  return (requestsPerSecond * BURST_SECONDS) / NOTICEABLE_PART
}

function isNoticeable({ demand, limits }: LimitedAccount): boolean {
  const values = (limits.valuesPerSecond * BURST_SECONDS) / NOTICEABLE_PART
  return demand.requests >= noticeableRequests(limits) || demand.values >= values
}

function sum(left: Demand, right: Demand): Demand {
  return { requests: left.requests + right.requests, values: left.values + right.values }
}

/**
 * Returns what was asked of this process and of all, per second, in the interval with more demand. The previous one is
 * complete; of the current one, only those are known that have told already.
 */
function demandOn(resource: Resource, own: Told, total: TotalDemand): DividedDemand {
  const interval = total.current[resource] > total.previous[resource] ? "current" : "previous"
  const seconds = EXCHANGE_MS / 1000
  return { own: own[interval][resource] / seconds, all: total[interval][resource] / seconds }
}
