import type { RelayErrorCode } from "@sealway/kernel"
import type { RecordPageRequest, Table } from "@sealway/ports"
import type { Activity } from "./activity.ts"
import { type RelayPlace, readActivityBlocks } from "./activity-block-table.ts"

/** Answers by the first digit of their status. */
export const STATUS_CLASSES = ["1XX", "2XX", "3XX", "4XX", "5XX"] as const

export interface ActivityFilter {
  readonly statusClass?: (typeof STATUS_CLASSES)[number] | undefined
  readonly errorCode?: RelayErrorCode | undefined
}

export interface ActivityPage {
  readonly data: readonly Activity[]
  /** Whether there may be older ones. */
  readonly hasMore: boolean
  /** The cursor of the next page; null when there is none. */
  readonly continueAfter: string | null
  /** How many requests in the page's time were dropped. Each counts on one page. */
  readonly dropped: number
}

/** How many entries one call may examine to find matching ones. */
const MAX_LOOKED_AT = 1_000

/** Finds the activity of a relay by id; null when there is none, or it has expired. */
export async function findActivity(
  table: Pick<Table, "page">,
  place: RelayPlace,
  id: string,
): Promise<Activity | null> {
  for await (const { newestId, entries } of readActivityBlocks(table, place, id)) {
    if (newestId < id) return null
    const found = entries.find((entry) => entry.id === id)
    if (found !== undefined) return found
  }
  return null
}

/** Lists a relay's activity, newest first. A filtered page may have few entries or none although more follow. */
export async function listActivity(
  table: Pick<Table, "page">,
  place: RelayPlace,
  { limit, startingAfter }: RecordPageRequest,
  { statusClass, errorCode }: ActivityFilter,
): Promise<ActivityPage> {
  const data: Activity[] = []
  let dropped = 0
  let lookedAt = 0
  let last: string | null = null
  for await (const entry of newestFirst(table, place, startingAfter ?? null)) {
    // One more than the page holds: there is a next page.
    if (data.length === limit || lookedAt === MAX_LOOKED_AT) {
      return { data, hasMore: true, continueAfter: last, dropped }
    }
    const { activity } = entry
    lookedAt++
    last = activity.id
    dropped += entry.dropped
    const isWanted =
      (statusClass === undefined || `${Math.floor(activity.status / 100)}XX` === statusClass) &&
      (errorCode === undefined || activity.error?.code === errorCode)
    if (isWanted) data.push(activity)
  }
  return { data, hasMore: false, continueAfter: null, dropped }
}

interface ReadEntry {
  readonly activity: Activity
  /** What its block dropped, for the newest entry of the block; 0 for the others. */
  readonly dropped: number
}

/** Blocks of several processes overlap: an entry is yielded when no remaining block can hold a newer one. */
async function* newestFirst(
  table: Pick<Table, "page">,
  place: RelayPlace,
  before: string | null,
): AsyncGenerator<ReadEntry> {
  let waiting: ReadEntry[] = []
  for await (const { newestId, entries, dropped } of readActivityBlocks(table, place, before)) {
    const firstWaiting = waiting.findIndex(({ activity }) => activity.id <= newestId)
    const ready = firstWaiting === -1 ? waiting : waiting.slice(0, firstWaiting)
    yield* ready
    const older = entries
      .filter(({ id }) => before === null || id < before)
      .map((activity) => ({ activity, dropped: activity.id === newestId ? dropped : 0 }))
    waiting = [...waiting.slice(ready.length), ...older].sort((left, right) =>
      left.activity.id < right.activity.id ? 1 : -1,
    )
  }
  yield* waiting
}
