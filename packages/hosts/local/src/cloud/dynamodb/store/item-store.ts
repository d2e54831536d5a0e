import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite"
import { rowChecksum } from "./row-checksum.ts"
import { DamagedRowError } from "./store-errors.ts"

/** A table of the embedded DynamoDB. Both parts of its key are strings. */
export interface TableRecord {
  readonly id: number
  readonly name: string
  readonly partitionKey: string
  readonly sortKey: string
  /** The attribute with an item's expiry in epoch seconds; null when items do not expire. */
  readonly timeToLive: string | null
  /** Epoch seconds. */
  readonly createdAt: number
}

export interface StoredKey {
  readonly partition: Uint8Array
  readonly sort: Uint8Array
}

export interface StoredItem {
  /** The size as AWS counts it. */
  readonly size: number
  /** The API's item as JSON, in UTF-8. */
  readonly item: Uint8Array
}

/** The sort keys from `low` up to, but excluding, `high`. */
export interface SortRange {
  readonly partition: Uint8Array
  readonly low: Uint8Array
  readonly high: Uint8Array
}

type RowOf = Record<string, SQLOutputValue>

/** SQLite's default. */
const PAGE_BYTES = 4_096

const ROW = "SELECT sort, size, item, checksum FROM items WHERE table_id = ? AND partition = ?"

/**
 * Tables and items in SQLite. Every row is checked when it is read; the caller provides the transaction for writes.
 *
 * All methods throw SQLite's errors, and reading ones DamagedRowError.
 */
export class ItemStore {
  readonly database: DatabaseSync
  readonly #statements: Map<string, StatementSync> = new Map()
  #writtenBytes = 0

  constructor(database: DatabaseSync) {
    this.database = database
  }

  findTable(name: string): TableRecord | null {
    const row = this.#prepared("SELECT * FROM tables WHERE name = ?").get(name)
    return row === undefined ? null : tableOf(row)
  }

  /** Lists tables by name. */
  listTables(): readonly TableRecord[] {
    return this.#prepared("SELECT * FROM tables ORDER BY name").all().map(tableOf)
  }

  createTable({ name, partitionKey, sortKey, timeToLive, createdAt }: Omit<TableRecord, "id">): void {
    this.#run(
      "INSERT INTO tables (name, partition_key, sort_key, time_to_live, created_at) VALUES (?, ?, ?, ?, ?)",
      [name, partitionKey, sortKey, timeToLive, createdAt],
    )
  }

  setTimeToLive({ id }: TableRecord, attribute: string | null): void {
    this.#run("UPDATE tables SET time_to_live = ? WHERE id = ?", [attribute, id])
  }

  read(table: TableRecord, { partition, sort }: StoredKey): StoredItem | null {
    const row = this.#prepared(`${ROW} AND sort = ?`).get(table.id, partition, sort)
    return row === undefined ? null : checked(table, partition, row)
  }

  /** @param expiresAt epoch seconds; null when the item does not expire */
  write(
    table: TableRecord,
    { partition, sort }: StoredKey,
    { size, item }: StoredItem,
    expiresAt: number | null,
  ): void {
    const checksum = rowChecksum({ tableId: table.id, partition, sort, size, item })
    this.#writtenBytes += item.length
    this.#run("REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?, ?)", [
      ...[table.id, partition, sort],
      ...[size, item, checksum, expiresAt],
    ])
  }

  remove({ id }: TableRecord, { partition, sort }: StoredKey): void {
    this.#run("DELETE FROM items WHERE table_id = ? AND partition = ? AND sort = ?", [id, partition, sort])
  }

  /** Reads items in descending order of sort key. */
  *query(
    table: TableRecord,
    { partition, low, high }: SortRange,
  ): Generator<StoredItem & { readonly sort: Uint8Array }> {
    const rows = this.#prepared(`${ROW} AND sort >= ? AND sort < ? ORDER BY sort DESC`)
    for (const row of rows.iterate(table.id, partition, low, high)) {
      yield { ...checked(table, partition, row), sort: bytesOf(row.sort) }
    }
  }

  /**
   * Returns keys of items that expire from `from` up to, but excluding, `to`, in epoch seconds; oldest first, at most
   * `limit`.
   */
  expired({ id }: TableRecord, from: number, to: number, limit: number): readonly StoredKey[] {
    const sql =
      "SELECT partition, sort FROM items WHERE table_id = ? AND expires_at >= ? AND expires_at < ? ORDER BY expires_at LIMIT ?"
    return this.#prepared(sql).all(id, from, to, limit).map(keyOf)
  }

  /** Changes only when an item expires. */
  setExpiry({ id }: TableRecord, { partition, sort }: StoredKey, expiresAt: number | null): void {
    const sql = "UPDATE items SET expires_at = ? WHERE table_id = ? AND partition = ? AND sort = ?"
    this.#run(sql, [expiresAt, id, partition, sort])
  }

  /** Returns keys of a table after a key, in order, at most `limit`. */
  keysAfter({ id }: TableRecord, after: StoredKey | null, limit: number): readonly StoredKey[] {
    const { partition, sort } = after ?? { partition: new Uint8Array(), sort: new Uint8Array() }
    const sql =
      "SELECT partition, sort FROM items WHERE table_id = ? AND (partition, sort) > (?, ?) ORDER BY partition, sort LIMIT ?"
    return this.#prepared(sql).all(id, partition, sort, limit).map(keyOf)
  }

  /** About how much was written to the disk so far: each changed row, with the page that it is in. */
  get writtenBytes(): number {
    return this.#writtenBytes
  }

  /** Counts the current transaction. @returns the number of the commit that it becomes */
  countCommit(): number {
    this.#writtenBytes += PAGE_BYTES
    return integerOf(this.#prepared("UPDATE commits SET number = number + 1 RETURNING number").get()?.number)
  }

  #run(sql: string, parameters: readonly SQLInputValue[]): void {
    const { changes } = this.#prepared(sql).run(...parameters)
    this.#writtenBytes += Number(changes) * PAGE_BYTES
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

function checked(table: TableRecord, partition: Uint8Array, row: RowOf): StoredItem {
  const [sort, size, item] = [bytesOf(row.sort), integerOf(row.size), bytesOf(row.item)]
  const checksum = rowChecksum({ tableId: table.id, partition, sort, size, item })
  if (checksum !== row.checksum) throw new DamagedRowError(table.name)
  return { size, item }
}

function tableOf(row: RowOf): TableRecord {
  return {
    id: integerOf(row.id),
    name: textOf(row.name),
    partitionKey: textOf(row.partition_key),
    sortKey: textOf(row.sort_key),
    timeToLive: row.time_to_live === null ? null : textOf(row.time_to_live),
    createdAt: integerOf(row.created_at),
  }
}

function keyOf(row: RowOf): StoredKey {
  return { partition: bytesOf(row.partition), sort: bytesOf(row.sort) }
}

function integerOf(value: SQLOutputValue | undefined): number {
  if (typeof value !== "number") throw new TypeError("The column is not an integer")
  return value
}

function textOf(value: SQLOutputValue | undefined): string {
  if (typeof value !== "string") throw new TypeError("The column is not a text")
  return value
}

function bytesOf(value: SQLOutputValue | undefined): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError("The column is not a blob")
  return value
}
