import type { DatabaseSync } from "node:sqlite"
import type { TableDefinition } from "@sealway/ports"
import { ItemStore, type StoredKey, type TableRecord } from "./item-store.ts"
import { expiryOf, readItem } from "./stored-items.ts"
import { inTransaction } from "./transaction.ts"

const ITEMS_A_STEP = 1_000

/**
 * Creates the missing tables, and notes when items expire in those that had no such attribute before: all of it, or nothing.
 *
 * @param wallClock epoch milliseconds
 * @throws errors of ItemStore
 */
export function ensureTables(
  database: DatabaseSync,
  definitions: readonly TableDefinition[],
  wallClock: () => number,
): void {
  const store = new ItemStore(database)
  inTransaction(database, () => {
    for (const { name, partitionKey, sortKey, timeToLiveAttribute: timeToLive } of definitions) {
      const known = store.findTable(name)
      if (known === null) {
        const createdAt = Math.floor(wallClock() / 1000)
        store.createTable({ name, partitionKey, sortKey, timeToLive, createdAt })
      } else if (known.timeToLive === null && timeToLive !== null) {
        store.setTimeToLive(known, timeToLive)
        noteExpiries(store, { ...known, timeToLive })
      }
    }
  })
}

function noteExpiries(store: ItemStore, table: TableRecord): void {
  let last: StoredKey | null = null
  do {
    const keys: readonly StoredKey[] = store.keysAfter(table, last, ITEMS_A_STEP)
    for (const key of keys) {
      const item = readItem(store, table, key)
      if (item !== null) store.setExpiry(table, key, expiryOf(table, item))
    }
    last = keys.at(-1) ?? null
  } while (last !== null)
}
