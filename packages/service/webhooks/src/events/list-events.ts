import { type FilteredPage, pageFiltered, type RecordPageRequest } from "@sealway/ports"
import type { DeliveryDependencies } from "../dependencies.ts"
import { type EventStatus, readEvents, type WebhookEvent } from "../records/webhook-event-table.ts"

/** How many events one call may examine to find matching ones. */
const MAX_LOOKED_AT = 1_000

export interface EventFilter {
  readonly status?: EventStatus | undefined
  readonly type?: string | undefined
}

/**
 * Lists an app's events, newest first. Examines at most 1,000 of them, so a filtered page may have few or none although
 * more follow. Failed ones are found without examining others.
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
