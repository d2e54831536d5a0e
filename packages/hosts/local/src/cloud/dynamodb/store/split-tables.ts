import type { ItemStore, StoredKey, TableRecord } from "./item-store.ts"
import { DamagedRowError } from "./store-errors.ts"

/** Records that layout 1 kept in a table with others, and their own table since. */
interface Move {
  readonly from: string
  readonly to: string
  /** By partition key and sort key. */
  readonly isMoved: (partition: string, sort: string) => boolean
}

const MOVES: readonly Move[] = [
  {
    from: "config",
    to: "keys",
    isMoved: (partition, sort) =>
      /^(?:api-key|session|member-sessions)#/.test(partition) ||
      /^(?:key-version#|api-key#|roster$)/.test(sort),
  },
  {
    from: "events",
    to: "audit",
    isMoved: (partition, sort) => partition.startsWith("team#") && sort.startsWith("audit#"),
  },
]
const KEYS_AT_ONCE = 1_000

/**
 * Moves keys, members and the audit log out of the tables in which earlier releases kept them. The caller provides the
 * transaction. A damaged row is moved too, still damaged: if it were missing where it is looked for, the audit log would
 * continue as if its last records had never been, and a key version's number would be given again.
 */
export function splitTables(store: ItemStore): void {
  for (const { from, to, isMoved } of MOVES) {
    const source = store.findTable(from)
    if (source === null) continue
    const { partitionKey, sortKey, createdAt } = source
    if (store.findTable(to) === null) {
      store.createTable({ name: to, partitionKey, sortKey, timeToLive: null, createdAt })
    }
    const target = store.findTable(to)
    if (target === null) throw new Error("A table that was just created is there")
    for (const key of keysOf(store, source)) {
      if (isMoved(textOf(key.partition), textOf(key.sort))) move(store, source, target, key)
    }
  }
}

function move(store: ItemStore, source: TableRecord, target: TableRecord, key: StoredKey): void {
  try {
    const stored = store.read(source, key)
    if (stored === null) return
    store.write(target, key, stored, null)
    store.remove(source, key)
  } catch (error) {
    if (!(error instanceof DamagedRowError)) throw error
    store.moveDamaged(source, target, key)
  }
}

function* keysOf(store: ItemStore, table: TableRecord): Generator<StoredKey> {
  for (let after: StoredKey | null = null; ; ) {
    const keys: readonly StoredKey[] = store.keysAfter(table, after, KEYS_AT_ONCE)
    yield* keys
    if (keys.length < KEYS_AT_ONCE) return
    after = keys.at(-1) ?? null
  }
}

function textOf(key: Uint8Array): string {
  return Buffer.from(key).toString()
}
