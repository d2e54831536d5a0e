import type { DatabaseSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import { isSound } from "./open-for-reading.ts"
import { rowChecksum } from "./row-checksum.ts"

/** The result of checking a table. */
export interface CheckedTable {
  readonly name: string
  readonly rows: number
  /** How many rows do not match their checksums. */
  readonly damagedRows: number
}

export interface CheckedDatabase {
  /** Whether SQLite's own structures are intact. */
  readonly isSound: boolean
  /** Sorted by name. */
  readonly tables: readonly CheckedTable[]
}

/** How many rows are read between two reports. */
const STEP_ROWS = 5_000

/**
 * Reads and checks a whole database.
 *
 * @param onProgress receives the number of rows read so far
 * @throws SQLite's errors when it cannot read further
 */
export async function checkDatabase(
  database: DatabaseSync,
  onProgress: (rows: number) => void,
): Promise<CheckedDatabase> {
  const holds = isSound(database)
  const counts = new Map<unknown, { name: string; rows: number; damagedRows: number }>()
  for (const { id, name } of database.prepare("SELECT id, name FROM tables ORDER BY name").all()) {
    counts.set(id, { name: String(name), rows: 0, damagedRows: 0 })
  }
  const ofNoTable = { name: "(none)", rows: 0, damagedRows: 0 }
  let rows = 0
  const all = database.prepare("SELECT table_id, partition, sort, size, item, checksum FROM items")
  for (const row of all.iterate()) {
    const count = counts.get(row.table_id) ?? ofNoTable
    count.rows++
    if (count === ofNoTable || !matches(row)) count.damagedRows++
    if (++rows % STEP_ROWS === 0) {
      onProgress(rows)
      await setImmediate()
    }
  }
  return { isSound: holds, tables: [...counts.values(), ...(ofNoTable.rows > 0 ? [ofNoTable] : [])] }
}

function matches({ table_id, partition, sort, size, item, checksum }: Record<string, unknown>): boolean {
  if (typeof table_id !== "number" || typeof size !== "number") return false
  if (!isBytes(partition) || !isBytes(sort) || !isBytes(item)) return false
  return rowChecksum({ tableId: table_id, partition, sort, size, item }) === checksum
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array
}
