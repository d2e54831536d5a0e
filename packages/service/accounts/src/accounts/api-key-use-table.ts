import { createBoundedMap } from "@sealway/kernel"
import type { RecordKey, Table } from "@sealway/ports"
import * as z from "zod"
import type { ApiKeyRecord } from "./api-key-table.ts"

/** The precision of the time of a key's last use. */
export const KEY_USE_INTERVAL_MS = 60 * 60_000

const MAX_KEYS = 10_000
const itemSchema = z.object({ lastUsedAt: z.number() })

/**
 * When API keys were last used, to within `KEY_USE_INTERVAL_MS`. Kept in the events table, so that noting a use needs
 * no permission to change keys.
 */
export interface ApiKeyUses {
  /** Writes at most once per interval and key. Null: there is nothing to write. */
  note(record: ApiKeyRecord): Promise<void> | null
  /** Epoch milliseconds; null for a key that was never used. */
  lastUsedAt(record: ApiKeyRecord): Promise<number | null>
}

const keyOf = ({ id, teamId, appId }: ApiKeyRecord): RecordKey => ({
  pk: `api-key-use#${appId ?? teamId}`,
  sk: id,
})

/** @param wallClock epoch milliseconds */
export function createApiKeyUses(table: Table, wallClock: () => number): ApiKeyUses {
  const noted = createBoundedMap<number>(MAX_KEYS)
  return {
    note(record) {
      const nowMs = wallClock()
      const notedMs = noted.get(record.id)
      if (notedMs !== undefined && nowMs - notedMs < KEY_USE_INTERVAL_MS) return null
      noted.set(record.id, nowMs)
      return table.put(keyOf(record), { lastUsedAt: nowMs })
    },
    async lastUsedAt(record) {
      const item = await table.get(keyOf(record))
      return item && itemSchema.parse(item).lastUsedAt
    },
  }
}
