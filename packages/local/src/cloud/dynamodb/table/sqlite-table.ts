import { MB } from "@sealway/kernel/sizes"
import {
  ATTEMPT,
  decodeDocument,
  encodeDocument,
  type Item,
  isUnexpired,
  listsOf,
  type PageRequest,
  type RecordKey,
  standingOf,
  type Table,
  type WriteStamp,
} from "@sealway/platform"
import type { ItemStore, SortRange, TableRecord } from "../store/item-store.ts"
import type { TableWrite, TableWritten } from "./table-write.ts"

/** A database with tables. */
export interface TableDatabase {
  /** Runs a read of a few milliseconds at most, which sees every write that was answered before. */
  read<Result>(work: (store: ItemStore) => Result): Promise<Result>
  /** Resolves when it is durable, or refused. */
  write(write: TableWrite): Promise<TableWritten>
}

/** How much one read of a list returns, counted as AWS counts items, so that it does not hold up others. */
const MAX_READ_BYTES = MB
/** Sort keys are UTF-8, in which no byte is 0xff. */
const LAST = Uint8Array.of(0xff)

/**
 * A table of the database in this process: what `createDynamoDbTable` does by calls to AWS.
 *
 * @param wallClock epoch milliseconds
 */
export function createSqliteTable(database: TableDatabase, name: string, wallClock: () => number): Table {
  let known: TableRecord | null = null
  /** The service removes no table, so that one found once stays. */
  const recordOf = (store: ItemStore): TableRecord => {
    known ??= store.findTable(name)
    if (known === null) throw new TypeError(`There is no table ${name}`)
    return known
  }
  const isThere = (item: Item) => isUnexpired(item, wallClock())

  async function* query(
    pk: string,
    prefix: string,
    { limit = Number.POSITIVE_INFINITY, after }: Partial<PageRequest> = {},
  ): AsyncGenerator<readonly Item[]> {
    const range = rangeOf(pk, prefix)
    let high: Uint8Array | null = after === undefined ? range.high : Buffer.from(after)
    while (high !== null) {
      const below: Uint8Array = high
      const read = await database.read((store) =>
        readBelow(store, recordOf(store), { ...range, high: below }, limit),
      )
      high = read.next
      yield read.items.map(decodeItem).filter(isThere)
    }
  }

  async function put(write: TableWrite, stamp: WriteStamp | undefined): Promise<boolean> {
    const { isMade, item } = await database.write(write)
    if (isMade || stamp === undefined) return isMade
    const standing = item === null ? null : standingOf(decodeDocument({ ...item }))
    return standing?.attempt === stamp.attempt || stamp.isMade?.(standing) === true
  }

  return {
    async get({ pk, sk }) {
      const stored = await database.read((store) =>
        store.read(recordOf(store), { partition: Buffer.from(pk), sort: Buffer.from(sk) }),
      )
      const item = stored === null ? null : decodeItem(stored.item)
      return item !== null && isThere(item) ? item : null
    },

    ...listsOf(query),

    create: (key, item, stamp) =>
      put(
        {
          ...{ kind: "create", table: name, item: stamped(key, item, stamp) },
          now: Math.floor(wallClock() / 1000),
        },
        stamp,
      ),

    async put(key, item) {
      await database.write({ kind: "put", table: name, item: stamped(key, item) })
    },

    replace: (key, item, revision, stamp) =>
      put(
        {
          ...{ kind: "replace", table: name, revision },
          item: stamped(key, { ...item, revision: revision + 1 }, stamp),
        },
        stamp,
      ),

    async remove(key, revision, isGone) {
      const { isMade, item } = await database.write({
        ...{ kind: "remove", table: name, revision },
        key: encodeDocument(key),
      })
      return isMade || item === null || isGone?.(standingOf(decodeDocument({ ...item }))) === true
    },

    async add(key, change) {
      if (change.amount > change.limit) return null
      const write = { kind: "add", table: name, key: encodeDocument(key), change } as const
      const { item } = await database.write(write)
      return item === null ? null : Number(decodeDocument({ ...item })[change.attribute])
    },

    async tally(key, change) {
      const write = { kind: "tally", table: name, key: encodeDocument(key), change } as const
      const { item } = await database.write(write)
      return item === null ? null : decodeDocument({ ...item })
    },
  }
}

function stamped({ pk, sk }: RecordKey, item: Item, stamp?: WriteStamp): object {
  return encodeDocument({ ...item, pk, sk, ...(stamp && { [ATTEMPT]: stamp.attempt }) })
}

function rangeOf(pk: string, prefix: string): SortRange {
  const low = Buffer.from(prefix)
  const high = Buffer.from(low)
  const last = high.length - 1
  high[last] = (high[last] ?? 0) + 1
  return { partition: Buffer.from(pk), low, high: low.length === 0 ? LAST : high }
}

/** Reads the last records of a range. `next`: the end of what remains of it; null when nothing does. */
function readBelow(store: ItemStore, table: TableRecord, range: SortRange, limit: number) {
  const items: Uint8Array[] = []
  let size = 0
  let next: Uint8Array = range.high
  for (const each of store.query(table, range, "descending")) {
    if (items.length >= limit || (items.length > 0 && size + each.size > MAX_READ_BYTES))
      return { items, next }
    items.push(each.item)
    size += each.size
    next = each.sort
  }
  return { items, next: null }
}

function decodeItem({ buffer, byteOffset, byteLength }: Uint8Array): Item {
  return decodeDocument(JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString()))
}
