import { MB } from "@sealway/kernel/sizes"
import type { ItemStore, SortRange, TableRecord } from "../store/item-store.ts"
import type { FoundRecords, StoredText, TableDatabase, TableQuery } from "./table-database.ts"

/** The reads of `TableDatabase`, done at once. */
export interface TableReads {
  get(...key: Parameters<TableDatabase["get"]>): StoredText | null
  query(query: TableQuery): FoundRecords
}

/** How much one read of a list returns, counted as AWS counts items, so that it does not hold up others. */
const MAX_READ_BYTES = MB
/** Sort keys are UTF-8, in which no byte is 0xff. */
const LAST = Uint8Array.of(0xff)

/** All methods throw what `ItemStore` throws. */
export function createTableReads(store: ItemStore): TableReads {
  /** The service removes no table, so that one found once stays. */
  const known = new Map<string, TableRecord>()
  const recordOf = (name: string): TableRecord => {
    const found = known.get(name) ?? store.findTable(name)
    if (found === null) throw new TypeError(`There is no table ${name}`)
    known.set(name, found)
    return found
  }

  return {
    get({ table, pk, sk }) {
      const stored = store.read(recordOf(table), { partition: Buffer.from(pk), sort: Buffer.from(sk) })
      return stored === null ? null : textOf(stored.item)
    },

    query({ table, pk, prefix, before, limit }) {
      const items: StoredText[] = []
      let size = 0
      let next = ""
      for (const each of store.query(recordOf(table), rangeOf(pk, prefix, before))) {
        const isFull = items.length === limit || (items.length > 0 && size + each.size > MAX_READ_BYTES)
        if (isFull) return { items, next }
        items.push(textOf(each.item))
        size += each.size
        next = textOf(each.sort)
      }
      return { items, next: null }
    },
  }
}

function rangeOf(pk: string, prefix: string, before: string | null): SortRange {
  const low = Buffer.from(prefix)
  const range = { partition: Buffer.from(pk), low }
  if (before !== null) return { ...range, high: Buffer.from(before) }
  const high = Buffer.from(low)
  const last = high.length - 1
  high[last] = (high[last] ?? 0) + 1
  return { ...range, high: low.length === 0 ? LAST : high }
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString()
}
