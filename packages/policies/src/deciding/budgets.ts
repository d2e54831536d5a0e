import { createBoundedMap } from "@sealway/kernel"
import { appPartition, type RecordKey, type Table } from "@sealway/platform"
import type { Budget } from "../rules/conditions.ts"
import { budgetWindow } from "./budget-window.ts"

/** Which values are counted together. */
export interface BudgetAccount {
  readonly appId: string
  readonly role: string
  readonly policyId: string
  /** Null: requests with no API key behind them share one. */
  readonly apiKeyId: string | null
  readonly budget: Budget
}

/** Values that were counted and can be given back. */
export interface BudgetSpending {
  /** Not in the deployment's count, which only ever grows, but to what this process may still spend. */
  giveBack(): void
}

export interface Budgets {
  /**
   * Counts values against a budget. Null: there is not enough left, and nothing is counted.
   *
   * @throws what the table throws: nobody knows then what is left
   */
  spend(account: BudgetAccount, values: number): Promise<BudgetSpending | null>
}

export interface BudgetsDependencies {
  readonly table: Pick<Table, "add">
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  /** Told when counting ahead failed, which does no harm: the next request counts for itself. */
  readonly onFailure: (error: unknown) => void
}

/** What this process has counted in the table for one window and not spent. */
interface Lease {
  readonly windowStartMs: number
  readonly key: RecordKey
  readonly expiresAt: number
  remaining: number
  /** What requests that wait for the table want in all. */
  wanted: number
  /** The table refused this much, and its count only grows: it refuses as much until the window ends. */
  refused: number
  counting: Promise<void> | null
}

const MAX_LEASES = 10_000
/** A share of the limit that is counted ahead in one go. */
const SHARE = 100
/** More than this share of the limit is not counted ahead. */
const MAX_SHARE = 10
/** Kept a while longer than its window, for processes whose clocks are behind. */
const KEPT_SECONDS = 24 * 60 * 60

/**
 * Budgets, counted in one atomic step in the table. So that a warm request need not wait for it, a process counts some
 * of the limit ahead and spends that from memory: 1 %, or as much as the request wants, up to 10 %. So never more is
 * spent than the limit; less can be, by what other processes have counted ahead, and by what one had when it ended.
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

  /** One at a time: what the first counts may be enough for those who wait. */
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
            // Its failure is told to who asked for it; who waits asks for himself.
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

/** How much is counted ahead; 0 where the limit is too small for it. */
function aheadOf(limit: number, values: number): number {
  const share = Math.max(Math.floor(limit / SHARE), values)
  return limit >= SHARE && share <= limit / MAX_SHARE ? share : 0
}
