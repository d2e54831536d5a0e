import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import * as z from "zod"
import { openForReading, openForWriting } from "../cloud/dynamodb/store/open-database.ts"
import { rowChecksum } from "../cloud/dynamodb/store/row-checksum.ts"
import { DamagedRowError } from "../cloud/dynamodb/store/store-errors.ts"
import { TABLES_FILE, withTables } from "../cloud/dynamodb/tables-file.ts"
import { TABLES_FOLDER } from "../cloud/parts/find-parts.ts"

/** Where the ledger is, see `erasureRecords` of the platform, which would load the SDK of AWS into the command line. */
const LEDGER = { table: "events", partitions: "data-subject-erasures#" } as const

const rowSchema = z.object({
  partition: z.instanceof(Uint8Array),
  sort: z.instanceof(Uint8Array),
  size: z.number(),
  item: z.instanceof(Uint8Array),
  checksum: z.number(),
})
const tableSchema = z.object({ id: z.number() })

/**
 * Adds the ledger of erasures of one data folder to the tables of another, which no process uses: what was erased after a
 * backup was made opens nothing when the backup is restored.
 *
 * @param from the data folder with the ledger. It may be in use
 * @returns how many erasures it has
 * @throws TablesDamagedError, DataFolderUnusableError
 */
export async function copyErasures(from: string, to: string): Promise<number> {
  const rows = await withTables(join(from, TABLES_FOLDER), async () =>
    using(openForReading(join(from, TABLES_FOLDER, TABLES_FILE)), readLedger),
  )
  await withTables(join(to, TABLES_FOLDER), async () =>
    using(openForWriting(join(to, TABLES_FOLDER, TABLES_FILE)), (database) => writeLedger(database, rows)),
  )
  return rows.length
}

function readLedger(database: DatabaseSync): z.infer<typeof rowSchema>[] {
  const tableId = tableIdIn(database)
  const found = database
    .prepare(
      "SELECT partition, sort, size, item, checksum FROM items WHERE table_id = ? AND partition >= ? AND partition < ?",
    )
    .all(tableId, Buffer.from(LEDGER.partitions), Buffer.from(`${LEDGER.partitions}\u007f`))
  const rows = z.array(rowSchema).parse(found)
  // They get another checksum, which must not hide damage.
  const isDamaged = rows.some((row) => rowChecksum({ tableId, ...row }) !== row.checksum)
  if (isDamaged) throw new DamagedRowError(LEDGER.table)
  return rows
}

function writeLedger(database: DatabaseSync, rows: readonly z.infer<typeof rowSchema>[]): void {
  const tableId = tableIdIn(database)
  const insert = database.prepare(
    "INSERT OR IGNORE INTO items (table_id, partition, sort, size, item, checksum) VALUES (?, ?, ?, ?, ?, ?)",
  )
  database.exec("BEGIN IMMEDIATE")
  for (const { partition, sort, size, item } of rows) {
    const checksum = rowChecksum({ tableId, partition, sort, size, item })
    insert.run(tableId, partition, sort, size, item, checksum)
  }
  database.exec("COMMIT")
}

function tableIdIn(database: DatabaseSync): number {
  return tableSchema.parse(database.prepare("SELECT id FROM tables WHERE name = ?").get(LEDGER.table)).id
}

function using<Result>(database: DatabaseSync, use: (database: DatabaseSync) => Result): Result {
  try {
    return use(database)
  } finally {
    database.close()
  }
}
