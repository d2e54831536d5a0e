import type { App } from "@sealway/accounts"
import { ApiError } from "@sealway/kernel"
import { appPartition, type RecordKey, type Table } from "@sealway/ports"

/** How many sessions an app may start in each ten-minute window: a hundred per second, continuously. */
export const MAX_SESSIONS = 60_000
export const WINDOW_MS = 10 * 60_000

/** Returns the key of the count of an app's started sessions in a window. @param atMs epoch milliseconds */
export const roomKey = ({ id }: Pick<App, "id">, atMs: number): RecordKey => ({
  pk: appPartition(id),
  sk: `3ds-started#${Math.floor(atMs / WINDOW_MS)}`,
})

/**
 * Counts a session that is about to start: before its network is asked, which costs the merchant money.
 *
 * @throws ApiError `too-many-requests` when the app has reached its maximum
 */
export async function takeRoom(table: Pick<Table, "add">, app: Pick<App, "id">, atMs: number): Promise<void> {
  const endsAtMs = (Math.floor(atMs / WINDOW_MS) + 1) * WINDOW_MS
  const total = await table.add(roomKey(app, atMs), {
    attribute: "sessions",
    amount: 1,
    limit: MAX_SESSIONS,
    // A process with a slower clock still finds the count.
    expiresAt: Math.ceil((endsAtMs + WINDOW_MS) / 1000),
  })
  if (total !== null) return
  const reason = `The app has started ${MAX_SESSIONS} 3-D Secure sessions within ten minutes, which is as many as an app can. Try again later.`
  const retryAfter = String(Math.max(Math.ceil((endsAtMs - atMs) / 1000), 1))
  throw new ApiError("too-many-requests", reason, { headers: { "retry-after": retryAfter } })
}
