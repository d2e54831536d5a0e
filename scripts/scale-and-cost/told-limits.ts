import { APP_LIMITS, KEY_LIMITS, noticeableRequests } from "@sealway/accounts"
import type { OperationCounts } from "./count-operations.ts"
import type { Counts } from "./counted-service.ts"

/** How many requests of a key, and of an app, an environment gets between two refreshes before it tells of them. */
const TOLD_FROM = [noticeableRequests(KEY_LIMITS), noticeableRequests(APP_LIMITS)]
const TELLING = "dynamodb:UpdateItem/events"

/**
 * Returns the calls of the first request after a refresh, in an environment that gets so many requests of each app between
 * two: the counted one gets enough to tell of its key and its app.
 */
export function refreshedAfter(requests: number, { refreshed, warm }: OperationCounts): Counts {
  const told = (refreshed[TELLING] ?? 0) - (warm[TELLING] ?? 0)
  const untold = Math.min(told, TOLD_FROM.filter((least) => requests < least).length)
  return untold <= 0 ? refreshed : { ...refreshed, [TELLING]: (refreshed[TELLING] ?? 0) - untold }
}
