import { type Item, parseItem } from "../values/attribute-value.ts"
import { invalid } from "../values/invalid-record.ts"
import { itemSize, MAX_ITEM_BYTES } from "../values/item-size.ts"
import { keyOfItem } from "./item-key.ts"
import type { ItemStore, StoredKey, TableRecord } from "./item-store.ts"

export function readItem(store: ItemStore, table: TableRecord, key: StoredKey): Item | null {
  const stored = store.read(table, key)
  return stored === null ? null : parseStoredItem(stored.item)
}

/**
 * @throws InvalidRecordError when the key does not match the table's, or the item is larger than 400 KB
 */
export function writeItem(store: ItemStore, table: TableRecord, item: Item): void {
  const key = keyOfItem(table, item)
  const size = itemSize(item)
  if (size > MAX_ITEM_BYTES) throw invalid("Item size has exceeded the maximum allowed size.")
  store.write(table, key, { size, item: Buffer.from(itemText(item)) }, expiryOf(table, item))
}

/** Returns the item as JSON. */
export function itemText(item: Item): string {
  return JSON.stringify(Object.fromEntries(item))
}

export function parseStoredItem(item: Uint8Array): Item {
  return parseItem(JSON.parse(Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString()))
}

/** Returns epoch seconds; null when the item does not expire. Like DynamoDB, ignores anything but a number. */
export function expiryOf({ timeToLive }: TableRecord, item: Item): number | null {
  const value = timeToLive === null ? undefined : item.get(timeToLive)
  if (value === undefined || !("N" in value)) return null
  const seconds = Math.floor(Number(value.N))
  return Number.isSafeInteger(seconds) ? seconds : null
}
