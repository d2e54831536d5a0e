import { type FilteredPage, pageFiltered } from "@sealway/ports"
import type { AuditRecord } from "@sealway/records/audit-chain"

export interface AuditFilter {
  /** One action, or with a trailing `*` all that start with it. */
  readonly action?: string | undefined
  readonly appId?: string | undefined
  readonly actorId?: string | undefined
  /** Epoch milliseconds, inclusive. */
  readonly from?: number | undefined
  /** Epoch milliseconds, exclusive. */
  readonly to?: number | undefined
}

/** How many records one page may examine. */
const MAX_LOOKED_AT = 1_000

/** Returns the first records that match a filter, newest first. */
export function pageAuditLog(
  records: AsyncIterable<AuditRecord>,
  limit: number,
  filter: AuditFilter,
): Promise<FilteredPage<AuditRecord>> {
  const takesRecord = (record: AuditRecord) => takes(filter, record)
  return pageFiltered(records, { limit, maxLookedAt: MAX_LOOKED_AT, takes: takesRecord })
}

function takes({ action, appId, actorId, from, to }: AuditFilter, record: AuditRecord): boolean {
  return (
    (action === undefined || matches(action, record.action)) &&
    (appId === undefined || record.appId === appId) &&
    (actorId === undefined || record.actor.id === actorId) &&
    (from === undefined || record.at >= from) &&
    (to === undefined || record.at < to)
  )
}

function matches(pattern: string, action: string): boolean {
  return pattern.endsWith("*") ? action.startsWith(pattern.slice(0, -1)) : action === pattern
}
