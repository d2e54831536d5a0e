import type { App } from "@sealway/accounts"
import { type FilteredPage, pageFiltered, type RecordPageRequest } from "@sealway/ports"
import type { EnrolledKind } from "./enrolled-kind.ts"
import type { EnrolledRecord } from "./enrolled-record.ts"
import type { EnrolmentDecision } from "./enrolment.ts"
import type { KeepingDependencies } from "./keep-enrolled.ts"

/** Records that one page opens to find matching ones. */
const MAX_LOOKED_AT = 1_000

/**
 * Returns an app's undeleted records that match a filter, newest first. Reads 1,000 of them at most, so a page may have
 * few or none although more follow.
 */
export async function pageEnrolled<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "log">,
  app: App,
  { limit, startingAfter }: RecordPageRequest,
  takes: (record: EnrolledRecord<Details>) => boolean,
): Promise<FilteredPage<EnrolledRecord<Details>>> {
  return pageFiltered(kind.table.newestFirst(dependencies, app, startingAfter), {
    limit,
    maxLookedAt: MAX_LOOKED_AT,
    takes: (record) => record.deletedAt === null && takes(record),
  })
}
