import { type FilteredPage, pageFiltered, type RecordPageRequest } from "@sealway/platform"
import type { DeliveryDependencies } from "../dependencies.ts"
import { type EventStatus, readEvents, type WebhookEvent } from "../records/webhook-event-table.ts"

/** How many events one call looks at, to find those that are asked for. */
const MAX_LOOKED_AT = 1_000

export interface EventFilter {
  readonly status?: EventStatus | undefined
  readonly type?: string | undefined
}

/**
 * A page of an app's events, newest first. Looks at 1,000 of them at most, so that a page with a filter may have few,
 * or none, and more behind it. Failed ones are found without looking at others.
 */
export function listEvents(
  { eventsTable }: Pick<DeliveryDependencies, "eventsTable">,
  appId: string,
  { limit, startingAfter }: RecordPageRequest,
  { status, type }: EventFilter,
): Promise<FilteredPage<WebhookEvent>> {
  return pageFiltered(readEvents(eventsTable, appId, status === "failed", startingAfter), {
    limit,
    maxLookedAt: MAX_LOOKED_AT,
    takes: (event) =>
      (status === undefined || event.status === status) && (type === undefined || event.type === type),
  })
}
