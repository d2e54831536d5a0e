import type { App } from "@sealway/accounts"
import { idsFrom } from "@sealway/kernel"
import { type FilteredPage, pageFiltered, type RecordPageRequest, type Table } from "@sealway/ports"
import { type AccessRecord, readAccessLog } from "@sealway/records"

export interface AccessFilter {
  /** Slug of a data role. */
  readonly role?: string | undefined
  /** Id of an API key or a token. */
  readonly keyId?: string | undefined
  /** Epoch milliseconds, inclusive. */
  readonly from?: number | undefined
  /** Epoch milliseconds, exclusive. */
  readonly to?: number | undefined
}

/** How many records one page may examine. */
const MAX_LOOKED_AT = 5_000

/** Lists an app's access records, newest first. */
export function pageAccessLog(
  table: Pick<Table, "page">,
  { id: appId, teamId }: App,
  { limit, startingAfter, from, to, ...filter }: AccessFilter & RecordPageRequest,
): Promise<FilteredPage<AccessRecord>> {
  const notBefore = from === undefined ? null : idsFrom("access", from)
  const records = readAccessLog(table, { teamId, appId }, { before: beginOf(startingAfter, to), notBefore })
  return pageFiltered(records, {
    limit,
    maxLookedAt: MAX_LOOKED_AT,
    takes: (record) => takes(filter, record),
  })
}

/** Returns the lower of the two: ids sort by their time. */
function beginOf(startingAfter: string | undefined, to: number | undefined): string | null {
  const end = to === undefined ? null : idsFrom("access", to)
  if (startingAfter === undefined || end === null) return startingAfter ?? end
  return startingAfter < end ? startingAfter : end
}

function takes({ role, keyId }: AccessFilter, { roles, actor, apiKeyId }: AccessRecord): boolean {
  return (
    (role === undefined || Object.hasOwn(roles, role)) &&
    (keyId === undefined || actor.id === keyId || apiKeyId === keyId)
  )
}
