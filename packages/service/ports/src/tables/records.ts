import * as z from "zod"
import { appPartition } from "./partitions.ts"
import { pageRecords, type RecordPage, type RecordPageRequest } from "./record-page.ts"
import type { Item, RecordKey, Table } from "./table.ts"

/** A value that a schema reads. It is immutable: to change a record, write a changed copy over it. */
export type RecordOf<Schema extends z.ZodType> = Immutable<z.output<Schema>>

type Immutable<Value> = Value extends Uint8Array
  ? Uint8Array
  : Value extends object
    ? { readonly [Member in keyof Value]: Immutable<Value[Member]> }
    : Value

/** A record that can be changed. */
interface RevisedRecord {
  /** 1 at first, raised by each change. */
  readonly revision: number
}

export interface RecordKind<Value extends RevisedRecord, Name extends keyof Value> {
  /** The prefix of the kind's sort keys. */
  readonly prefix: string
  /** The stored fields; a codec when the code works with another form. Newer fields have defaults. */
  readonly schema: z.ZodType<Value, object>
  /** Returns what follows the prefix. It is unique among an owner's records and orders them: with ids, newest first. */
  readonly nameOf: (fields: Pick<Value, Name>) => string
  /** The partition of an owner. Default: an app's. */
  readonly partitionOf?: (owner: string) => string
}

/** How records of a kind are stored. Their owner is an app, given by its id, unless the kind has its own partitions. */
export interface Records<Value extends RevisedRecord, Name extends keyof Value> {
  /** Returns null when there is none. */
  find(table: Pick<Table, "get">, owner: string, name: Pick<Value, Name>): Promise<Value | null>
  /** Lists all records of an owner, in descending order of names. @param within what the names must start with */
  list(table: Pick<Table, "list">, owner: string, within?: string): Promise<readonly Value[]>
  /**
   * Returns a page of what `list` finds.
   *
   * @param request.startingAfter the end of the name, without `within`, that the page follows
   */
  page(table: Table, owner: string, request: RecordPageRequest, within?: string): Promise<RecordPage<Value>>
  /** Writes a record unless it exists. Returns false, and changes nothing, when it does. */
  create(table: Table, owner: string, record: Value): Promise<boolean>
  /**
   * Writes a record over the revision that it was made from.
   *
   * @returns the stored record, at the next revision; null when that revision was changed or removed first
   */
  replace(table: Table, owner: string, record: Value): Promise<Value | null>
  /** Removes a record at the revision that was read, unless it is gone. Returns false when it was changed first. */
  remove(table: Table, owner: string, record: Pick<Value, Name | "revision">): Promise<boolean>
  /** @throws ZodError when the item is not a record of the kind */
  read(item: Item): Value
}

/** Stores records of one kind: each is one item, written only over the revision that it was made from. */
export function recordsOf<Value extends RevisedRecord, Name extends keyof Value>({
  prefix,
  schema,
  nameOf,
  partitionOf = appPartition,
}: RecordKind<Value, Name>): Records<Value, Name> {
  const keyOf = (owner: string, name: Pick<Value, Name>): RecordKey => ({
    pk: partitionOf(owner),
    sk: prefix + nameOf(name),
  })
  const read = (item: Item): Value => schema.parse(item)
  const written = (record: Value): Item => ({ ...z.encode(schema, record) })
  return {
    read,
    async find(table, owner, name) {
      const item = await table.get(keyOf(owner, name))
      return item && read(item)
    },
    async list(table, owner, within = "") {
      return (await table.list(partitionOf(owner), prefix + within)).map(read)
    },
    page: (table, owner, request, within = "") =>
      pageRecords(table, partitionOf(owner), prefix + within, request, async (item) => read(item)),
    async create(table, owner, record) {
      return table.create(keyOf(owner, record), written(record))
    },
    async replace(table, owner, record) {
      const isReplaced = await table.replace(keyOf(owner, record), written(record), record.revision)
      return isReplaced ? { ...record, revision: record.revision + 1 } : null
    },
    remove: (table, owner, record) => table.remove(keyOf(owner, record), record.revision),
  }
}
