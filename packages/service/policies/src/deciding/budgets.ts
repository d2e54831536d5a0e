import { createBoundedMap } from "@sealway/kernel"
import { appPartition, type RecordKey, type Table } from "@sealway/ports"
import type { Budget } from "../rules/conditions.ts"
import { budgetWindow } from "./budget-window.ts"

/** Which values are counted together. */
export interface BudgetAccount {
  readonly appId: string
  readonly role: string
  readonly policyId: string
  /** Null: all requests without an API key share one account. */
  readonly apiKeyId: string | null
  readonly budget: Budget
}

/** Counted values that can be given back. */
export interface BudgetSpending {
  /** Gives the values back to this process only. The deployment's count only ever grows. */
  giveBack(): void
}

export interface Budgets {
  /**
   * Counts values against a budget. Returns null, and counts nothing, when too few are left.
   *
   * @throws what the table throws; it is unknown then how many are left
   */
  spend(account: BudgetAccount, values: number): Promise<BudgetSpending | null>
}

export interface BudgetsDependencies {
  readonly table: Pick<Table, "add">
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  /** Called when a prefetch failed, which does no harm: the next request counts for itself. */
  readonly onFailure: (error: unknown) => void
}

/** What this process has counted in the table for one window and not spent yet. */
interface Lease {
  readonly windowStartMs: number
  readonly key: RecordKey
  readonly expiresAt: number
  remaining: number
  /** How much the requests that wait for the table want in total. */
  wanted: number
  /** The table refused this much. Its count only grows, so it refuses as much until the window ends. */
  refused: number
  counting: Promise<void> | null
}

const MAX_LEASES = 10_000
/** One prefetch counts the limit divided by this. */
const SHARE = 100
/** Prefetched at most: the limit divided by this. */
const MAX_SHARE = 10
/** Kept longer than the window, for processes whose clocks are behind. */
const KEPT_SECONDS = 24 * 60 * 60

/**
 * Creates budgets that are counted atomically in the table. To spare warm requests the wait, a process counts part of
 * the limit in advance and spends it from memory: 1 %, or as much as the request wants, up to 10 %. So the limit is
 * never exceeded; less may be spent, by what other processes hold in advance and by what a process held when it ended.
 * A limit below 100 is counted exactly.
 */
export function createBudgets({ table, wallClock, onFailure }: BudgetsDependencies): Budgets {
  const leases = createBoundedMap<Lease>(MAX_LEASES)

  function leaseOf(account: BudgetAccount): Lease {
    const { appId, role, policyId, apiKeyId, budget } = account
    const { startMs, endMs } = budgetWindow(budget.per, wallClock())
    const id = JSON.stringify([appId, role, policyId, apiKeyId, budget.per, budget.values])
    const known = leases.get(id)
    if (known?.windowStartMs === startMs) return known
    const lease: Lease = {
      windowStartMs: startMs,
      key: {
        pk: appPartition(appId),
        sk: `budget#${policyId}#${role}#${apiKeyId ?? "-"}#${budget.per}#${startMs}`,
      },
      expiresAt: endMs / 1000 + KEPT_SECONDS,
      remaining: 0,
      wanted: 0,
      refused: Number.POSITIVE_INFINITY,
      counting: null,
    }
    leases.set(id, lease)
    return lease
  }

  async function count(lease: Lease, amount: number, limit: number): Promise<boolean> {
    if (amount >= lease.refused) return false
    const { key, expiresAt } = lease
    const total = await table.add(key, { attribute: "values", amount, limit, expiresAt })
    if (total === null) lease.refused = Math.min(lease.refused, amount)
    else lease.remaining += amount
    return total !== null
  }

  /** One at a time: what the first one counts may be enough for those who wait. */
  function counting(lease: Lease, work: () => Promise<unknown>): Promise<void> {
    const done = work()
      .then(() => {})
      .finally(() => {
        lease.counting = null
      })
    lease.counting = done
    return done
  }

  function countAhead(lease: Lease, limit: number, values: number): void {
    const amount = aheadOf(limit, values)
    if (lease.counting !== null || amount === 0 || lease.remaining * 2 >= amount) return
    counting(lease, () => count(lease, amount, limit)).catch(onFailure)
  }

  return {
    async spend(account, values) {
      const limit = account.budget.values
      const lease = leaseOf(account)
      lease.wanted += values
      try {
        while (lease.remaining < values) {
          if (values - lease.remaining >= lease.refused) return null
          if (lease.counting !== null) {
            // The request that counted gets the failure; those who waited count for themselves.
            await lease.counting.catch(() => {})
            continue
          }
          await counting(lease, async () => {
            const missing = values - lease.remaining
            const generous = Math.max(lease.wanted - lease.remaining, aheadOf(limit, values))
            if (generous > missing && (await count(lease, generous, limit))) return
            await count(lease, missing, limit)
          })
        }
        lease.remaining -= values
      } finally {
        lease.wanted -= values
      }
      countAhead(lease, limit, values)
      return {
        giveBack: () => {
          lease.remaining += values
        },
      }
    },
  }
}

/** Returns how much to count in advance; 0 when the limit is too small for it. */
function aheadOf(limit: number, values: number): number {
  const share = Math.max(Math.floor(limit / SHARE), values)
  return limit >= SHARE && share <= limit / MAX_SHARE ? share : 0
}
