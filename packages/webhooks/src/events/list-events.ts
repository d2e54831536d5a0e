import type { Page, PageRequest, RecordPageRequest } from "@sealway/platform"
import type { DeliveryDependencies } from "../dependencies.ts"
import {
  type EventStatus,
  findWebhookEvent,
  pageFailedEvents,
  pageWebhookEvents,
  parseWebhookEvent,
  type WebhookEvent,
} from "../records/webhook-event-table.ts"

/** How many events one call looks at, to find those that are asked for. */
const MAX_LOOKED_AT = 1_000
const BATCH = 100

export interface EventFilter {
  readonly status?: EventStatus | undefined
  readonly type?: string | undefined
}

export interface EventPage {
  readonly data: readonly WebhookEvent[]
  /** Whether there may be older ones. */
  readonly hasMore: boolean
  /** Where the next page begins; null when there is none. */
  readonly continueAfter: string | null
}

/**
 * A page of an app's events, newest first. Looks at 1,000 of them at most, so that a page with a filter may have few,
 * or none, and more behind it. Failed ones are found without looking at others.
 */
export async function listEvents(
  { eventsTable }: Pick<DeliveryDependencies, "eventsTable">,
  appId: string,
  { limit, startingAfter }: RecordPageRequest,
  { status, type }: EventFilter,
): Promise<EventPage> {
  const isFailedWanted = status === "failed"
  const read = (request: PageRequest): Promise<Page> =>
    isFailedWanted
      ? pageFailedEvents(eventsTable, appId, request)
      : pageWebhookEvents(eventsTable, appId, request)

  const data: WebhookEvent[] = []
  let after = startingAfter
  for (let lookedAt = 0; lookedAt < MAX_LOOKED_AT; lookedAt += BATCH) {
    const { items, hasMore } = await read({ limit: BATCH, after })
    const events = isFailedWanted
      ? await Promise.all(items.map(({ id }) => findWebhookEvent(eventsTable, appId, String(id))))
      : items.map(parseWebhookEvent)
    for (const [index, item] of items.entries()) {
      const event = events[index]
      after = String(item.id)
      const isWanted =
        event &&
        (status === undefined || event.status === status) &&
        (type === undefined || event.type === type)
      if (!isWanted) continue
      data.push(event)
      const isLast = index === items.length - 1 && !hasMore
      if (data.length === limit) return { data, hasMore: !isLast, continueAfter: isLast ? null : after }
    }
    if (!hasMore) return { data, hasMore: false, continueAfter: null }
  }
  return { data, hasMore: true, continueAfter: after ?? null }
}
