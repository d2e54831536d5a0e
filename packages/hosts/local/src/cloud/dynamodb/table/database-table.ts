import {
  ATTEMPT,
  createDocumentCodec,
  type Item,
  isUnexpired,
  listsOf,
  type PageRequest,
  type RecordKey,
  standingOf,
  type Table,
  type WriteStamp,
} from "@sealway/ports"
import type { TableDatabase, TableWrite } from "./table-database.ts"

/** Items are JSON, with bytes in base64. */
const { encode, decode } = createDocumentCodec<string>({
  write: ({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength).toString("base64"),
  read: (text) => new Uint8Array(Buffer.from(text, "base64")),
})

/**
 * A table of a database: what `createDynamoDbTable` does by calls to AWS.
 *
 * @param wallClock epoch milliseconds
 */
export function createDatabaseTable(database: TableDatabase, name: string, wallClock: () => number): Table {
  const isThere = (item: Item) => isUnexpired(item, wallClock())

  async function* query(
    pk: string,
    prefix: string,
    { limit, after }: Partial<PageRequest> = {},
  ): AsyncGenerator<readonly Item[]> {
    let before: string | null = after ?? null
    do {
      const found = await database.query({ table: name, pk, prefix, before, limit: limit ?? null })
      before = found.next
      yield found.items.map(decodeItem).filter(isThere)
    } while (before !== null)
  }

  async function put(write: TableWrite, stamp: WriteStamp | undefined): Promise<boolean> {
    const { isMade, item } = await database.write(write)
    if (isMade || stamp === undefined) return isMade
    const standing = item === null ? null : standingOf(decode({ ...item }))
    return standing?.attempt === stamp.attempt || stamp.isMade?.(standing) === true
  }

  return {
    async get({ pk, sk }) {
      const stored = await database.get({ table: name, pk, sk })
      const item = stored === null ? null : decodeItem(stored)
      return item !== null && isThere(item) ? item : null
    },

    ...listsOf(query),

    create: (key, item, stamp) =>
      put(
        { kind: "create", table: name, item: stamped(key, item, stamp), now: Math.floor(wallClock() / 1000) },
        stamp,
      ),

    async put(key, item) {
      await database.write({ kind: "put", table: name, item: stamped(key, item) })
    },

    replace: (key, item, revision, stamp) =>
      put(
        {
          kind: "replace",
          table: name,
          revision,
          item: stamped(key, { ...item, revision: revision + 1 }, stamp),
        },
        stamp,
      ),

    async remove(key, revision, isGone) {
      const { isMade, item } = await database.write({
        kind: "remove",
        table: name,
        revision,
        key: encode(key),
      })
      return isMade || item === null || isGone?.(standingOf(decode({ ...item }))) === true
    },

    async add(key, change) {
      if (change.amount > change.limit) return null
      const write = { kind: "add", table: name, key: encode(key), change } as const
      const { item } = await database.write(write)
      return item === null ? null : Number(decode({ ...item })[change.attribute])
    },

    async tally(key, change) {
      const write = { kind: "tally", table: name, key: encode(key), change } as const
      const { item } = await database.write(write)
      return item === null ? null : decode({ ...item })
    },
  }
}

function stamped({ pk, sk }: RecordKey, item: Item, stamp?: WriteStamp): object {
  return encode({ ...item, pk, sk, ...(stamp && { [ATTEMPT]: stamp.attempt }) })
}

function decodeItem(text: string): Item {
  return decode(JSON.parse(text))
}
