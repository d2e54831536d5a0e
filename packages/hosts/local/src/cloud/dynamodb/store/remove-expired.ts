import type { ItemStore, StoredKey, TableRecord } from "./item-store.ts"
import { isDamage } from "./store-errors.ts"
import { expiryOf, readItem } from "./stored-items.ts"
import { inTransaction } from "./transaction.ts"

/** DynamoDB keeps items that expired longer ago: a wrong unit is more likely than such an age. */
const MAX_AGE_SECONDS = 5 * 365 * 24 * 60 * 60

/**
 * Removes expired items, oldest first.
 *
 * @param limit the maximum number
 * @param onDamage called for items that cannot be read; they stay
 * @returns whether there may be more
 */
export function removeExpired(
  store: ItemStore,
  nowSeconds: number,
  limit: number,
  onDamage: (error: unknown) => void,
): boolean {
  return inTransaction(store.database, () => {
    let left = limit
    for (const table of store.listTables()) {
      if (table.timeToLive === null || left === 0) continue
      const keys = store.expired(table, nowSeconds - MAX_AGE_SECONDS, nowSeconds, left)
      for (const key of keys) removeOne(store, table, key, nowSeconds, onDamage)
      left -= keys.length
    }
    return left === 0
  })
}

function removeOne(
  store: ItemStore,
  table: TableRecord,
  key: StoredKey,
  nowSeconds: number,
  onDamage: (error: unknown) => void,
): void {
  try {
    const item = readItem(store, table, key)
    // The column has no checksum, but the item does, so the item decides.
    const expiresAt = item && expiryOf(table, item)
    if (expiresAt !== null && expiresAt < nowSeconds) store.remove(table, key)
    else store.setExpiry(table, key, expiresAt)
  } catch (error) {
    if (!isDamage(error)) throw error
    onDamage(error)
    store.setExpiry(table, key, null)
  }
}
