import type { AuditRecord } from "@sealway/platform/audit-chain"

export interface AuditFilter {
  /** One action, or with a `*` at its end all that begin like it. */
  readonly action?: string | undefined
  readonly appId?: string | undefined
  readonly actorId?: string | undefined
  /** Epoch milliseconds, inclusive. */
  readonly from?: number | undefined
  /** Epoch milliseconds, exclusive. */
  readonly to?: number | undefined
}

export interface AuditPage {
  data: AuditRecord[]
  hasMore: boolean
  continueAfter: string | null
}

/** How many records one page looks at. */
const MAX_LOOKED_AT = 1_000

/** The first records that a filter takes, of records that come newest first. */
export async function pageAuditLog(
  records: AsyncIterable<AuditRecord>,
  limit: number,
  filter: AuditFilter,
): Promise<AuditPage> {
  const data: AuditRecord[] = []
  let lookedAt = 0
  let last: AuditRecord | null = null
  for await (const record of records) {
    if (last !== null && (data.length === limit || lookedAt === MAX_LOOKED_AT)) {
      return { data, hasMore: true, continueAfter: last.id }
    }
    lookedAt++
    last = record
    if (takes(filter, record)) data.push(record)
  }
  return { data, hasMore: false, continueAfter: null }
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
