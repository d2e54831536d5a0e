import type { OpenTable } from "@sealway/ports"

export type StoredItem = Readonly<Record<string, unknown>>

export interface ItemPlace {
  readonly table: string
  readonly pk: string
  readonly sk: string
}

/** Items as they are stored, expired ones too. */
export interface StoredItems {
  find(place: ItemPlace): Promise<StoredItem | null>
  /** Lists the items of a partition, by sort key. */
  list(table: string, pk: string): Promise<readonly StoredItem[]>
  put(table: string, item: StoredItem): Promise<void>
  remove(place: ItemPlace): Promise<void>
}

export function createStoredItems(openTable: OpenTable): StoredItems {
  /** Nothing has expired at its time. */
  const tableOf = (name: string) => openTable(name, () => 0)
  const remove: StoredItems["remove"] = async ({ table, ...key }) => {
    // A record is removed at its revision, and some have none.
    await tableOf(table).put(key, { revision: 0 })
    await tableOf(table).remove(key, 0)
  }
  return {
    find: ({ table, ...key }) => tableOf(table).get(key),
    list: async (table, pk) => (await tableOf(table).list(pk, "")).toReversed(),
    put: (table, item) => tableOf(table).put({ pk: String(item.pk), sk: String(item.sk) }, item),
    remove,
  }
}
