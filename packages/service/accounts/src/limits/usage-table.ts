import type { Item, RecordKey, Table } from "@sealway/ports"
import type { AccountOwner, Demand } from "./limited-account.ts"
import type { Resource } from "./rate-limits.ts"

/** How often a process tells the others its demand. */
export const EXCHANGE_MS = 10_000

const KEPT_SECONDS = 120
const LETTERS: Readonly<Record<Resource, string>> = { requests: "r", values: "v" }
const COUNTER = /^[rv](\d+)$/

/** The demand of all processes that have told theirs. */
export interface TotalDemand {
  /** The counted interval, and the one before it. */
  readonly current: Demand
  readonly previous: Demand
  /** Counters of earlier intervals, to be removed by the next call. */
  readonly stale: readonly string[]
}

/**
 * Adds the demand of this process to that of the others.
 *
 * @param interval the number of the current interval of `EXCHANGE_MS`
 * @param stale what the previous call has returned
 */
export async function tellDemand(
  table: Pick<Table, "tally">,
  owner: AccountOwner,
  { requests, values }: Demand,
  { interval, stale }: { readonly interval: number; readonly stale: readonly string[] },
): Promise<TotalDemand> {
  const item = await table.tally(keyOf(owner), {
    add: { [`r${interval}`]: requests, [`v${interval}`]: values },
    remove: stale,
    when: {},
    expiresAt: Math.floor((interval * EXCHANGE_MS) / 1000) + KEPT_SECONDS,
  })
  const found = item ?? {}
  const isStale = (name: string) => Number(COUNTER.exec(name)?.[1] ?? interval) < interval - 1
  return {
    current: demandIn(found, interval),
    previous: demandIn(found, interval - 1),
    stale: Object.keys(found).filter(isStale),
  }
}

/** In the events table: counting a use needs no permission to change keys or apps. */
function keyOf({ kind, id: accountId }: AccountOwner): RecordKey {
  return { pk: `limits#${accountId}`, sk: kind }
}

function demandIn(item: Item, interval: number): Demand {
  const count = (resource: Resource) => Number(item[LETTERS[resource] + interval] ?? 0)
  return { requests: count("requests"), values: count("values") }
}
