import type { Increment, RecordKey, Tally } from "@sealway/ports/table"

/** A database with tables, as `createDatabaseTable` uses it. What is passed and returned can be sent as JSON. */
export interface TableDatabase {
  /** Sees every write that was answered before, like `query`. Null: there is no such record. */
  get(key: InTable & RecordKey): Promise<StoredText | null>
  /** Finds the last records of a partition whose sort keys start with a prefix, as many as can be read in a few milliseconds. */
  query(query: TableQuery): Promise<FoundRecords>
  /** Resolves when the write is durable, or was not made. */
  write(write: TableWrite): Promise<TableWritten>
}

/** A record in the form of DynamoDB's API, as JSON. */
export type StoredText = string

interface InTable {
  /** Its name. */
  readonly table: string
}

export interface TableQuery extends InTable {
  readonly pk: string
  readonly prefix: string
  /** The sort key before which the records are. Null: any. */
  readonly before: string | null
  /** How many to read at most. Null: any number. */
  readonly limit: number | null
}

export interface FoundRecords {
  /** In descending order of sort key. */
  readonly items: readonly StoredText[]
  /** The `before` of the next query; null when there is nothing more. */
  readonly next: string | null
}

/** A write of the port `Table`. Keys and items are in the form of DynamoDB's API. */
export type TableWrite = InTable &
  (
    | { readonly kind: "put"; readonly item: object }
    /** `now`: epoch seconds, from which on an expired record does not prevent another one. */
    | { readonly kind: "create"; readonly item: object; readonly now: number }
    | { readonly kind: "replace"; readonly item: object; readonly revision: number }
    | { readonly kind: "remove"; readonly key: object; readonly revision: number }
    | { readonly kind: "add"; readonly key: object; readonly change: Increment }
    | { readonly kind: "tally"; readonly key: object; readonly change: Tally }
  )

/** What a write did: nothing when `isMade` is false. */
export interface TableWritten {
  readonly isMade: boolean
  /** The record that prevented it, without what nobody asks for, or the one that it left; null when there is none. */
  readonly item: object | null
}
