import * as z from "zod"
import { appPartition } from "./partitions.ts"
import { pageRecords, type RecordPage, type RecordPageRequest } from "./record-page.ts"
import type { Item, RecordKey, Table } from "./table.ts"

/** What a schema reads. It is never changed in place: of a record, a changed copy is written over it. */
export type RecordOf<Schema extends z.ZodType> = Immutable<z.output<Schema>>

type Immutable<Value> = Value extends Uint8Array
  ? Uint8Array
  : Value extends object
    ? { readonly [Member in keyof Value]: Immutable<Value[Member]> }
    : Value

/** A record that can be changed. */
interface Revised {
  /** 1 at first, raised by each change. */
  readonly revision: number
}

export interface RecordKind<Value extends Revised, Name extends keyof Value> {
  /** Sort keys of the kind begin with it. */
  readonly prefix: string
  /** What is kept; a codec where that is not what the code works with. Fields that came later than others have defaults. */
  readonly schema: z.ZodType<Value, object>
  /** What follows the prefix. It tells the records of an owner apart, and orders them: with ids, the newest come first. */
  readonly nameOf: (fields: Pick<Value, Name>) => string
  /** The partition of an owner. Default: an app's. */
  readonly partitionOf?: (owner: string) => string
}

/** How records of a kind are kept. Their owner is an app, told by its id, unless the kind has its own partitions. */
export interface Records<Value extends Revised, Name extends keyof Value> {
  /** Null: there is none. */
  find(table: Table, owner: string, name: Pick<Value, Name>): Promise<Value | null>
  /** All of an owner, in descending order of names. @param within what the names must begin with */
  list(table: Table, owner: string, within?: string): Promise<readonly Value[]>
  /** Some of what `list` finds. @param request.startingAfter the end of the name, without `within`, that the page follows */
  page(table: Table, owner: string, request: RecordPageRequest, within?: string): Promise<RecordPage<Value>>
  /** Writes a record where there is none. False: there is one, and it is as it was. */
  create(table: Table, owner: string, record: Value): Promise<boolean>
  /**
   * Writes a record over the revision that it was made from.
   *
   * @returns what is stored now, at the next revision; null when that revision was changed or removed meanwhile
   */
  replace(table: Table, owner: string, record: Value): Promise<Value | null>
  /** Removes a record at the revision that was read. False: that one was changed or removed meanwhile. */
  remove(table: Table, owner: string, record: Pick<Value, Name | "revision">): Promise<boolean>
  /** @throws ZodError when the item is no record of the kind */
  read(item: Item): Value
}

/** Keeps records of one kind: each is one item, written only over the revision that it was made from. */
export function recordsOf<Value extends Revised, Name extends keyof Value>({
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
