import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import * as z from "zod"
import { openForWriting } from "../cloud/dynamodb/store/open-database.ts"
import { openForReading } from "../cloud/dynamodb/store/open-for-reading.ts"
import { rowChecksum } from "../cloud/dynamodb/store/row-checksum.ts"
import { DamagedRowError } from "../cloud/dynamodb/store/store-errors.ts"
import { TABLES_FILE, withTables } from "../cloud/dynamodb/tables-file.ts"
import { TABLES_FOLDER } from "../cloud/parts/find-parts.ts"

/**
 * Where erasures are: in the ledger, see `erasureRecords` of the platform, which would load the SDK of AWS into the command
 * line; and those that are not complete in a list, see `DueErasure`.
 */
const LEDGER = { table: "events", partitions: "data-subject-erasures#" } as const
const DUE = { table: "config", partitions: "data-subject-erasures-due" } as const

type Place = typeof LEDGER | typeof DUE

const READ =
  "SELECT partition, sort, size, item, checksum FROM items WHERE table_id = ? AND partition >= ? AND partition < ?"
const ADD = "INSERT INTO items (size, item, checksum, table_id, partition, sort) VALUES (?, ?, ?, ?, ?, ?)"
const CHANGE = "DO UPDATE SET size = excluded.size, item = excluded.item, checksum = excluded.checksum"
const numberOf = (row: string, field: string) =>
  `CAST(json_extract(CAST(${row}.item AS TEXT), '$.${field}.N') AS INTEGER)`
/** Whether the entry to add is later than the one that is there, as for `writeErasure`. */
const IS_LATER = `${numberOf("items", "erasedAt")} IS NULL AND (${numberOf("excluded", "erasedAt")} IS NOT NULL OR ${numberOf("excluded", "changes")} > ${numberOf("items", "changes")})`

const rowSchema = z.object({
  partition: z.instanceof(Uint8Array),
  sort: z.instanceof(Uint8Array),
  size: z.number(),
  item: z.instanceof(Uint8Array),
  checksum: z.number(),
})
const tableSchema = z.object({ id: z.number() })

type Row = z.infer<typeof rowSchema>

interface Erasures {
  readonly ledger: readonly Row[]
  readonly due: readonly Row[]
}

/**
 * Applies the erasures of one data folder to the tables of another, which no process uses: what was erased after a backup
 * was made opens nothing when the backup is restored, and what was going to be erased still is.
 *
 * @param from the data folder with the erasures. It may be in use
 * @throws TablesDamagedError, DataFolderUnusableError
 */
export async function copyErasures(from: string, to: string): Promise<void> {
  const erasures = await withTables(join(from, TABLES_FOLDER), async () =>
    using(openForReading(join(from, TABLES_FOLDER, TABLES_FILE)), readErasures),
  )
  await withTables(join(to, TABLES_FOLDER), async () =>
    using(openForWriting(join(to, TABLES_FOLDER, TABLES_FILE)), ({ connection }) =>
      writeErasures(connection, erasures),
    ),
  )
}

function readErasures(database: DatabaseSync): Erasures {
  // One view of all: a process that uses the folder may complete an erasure in the meantime.
  database.exec("BEGIN")
  return { ledger: readRows(database, LEDGER), due: readRows(database, DUE) }
}

function readRows(database: DatabaseSync, place: Place): Row[] {
  const tableId = tableIdIn(database, place)
  const { partitions } = place
  const found = database
    .prepare(READ)
    .all(tableId, Buffer.from(partitions), Buffer.from(`${partitions}\u007f`))
  const rows = z.array(rowSchema).parse(found)
  // They get another checksum, which must not hide damage.
  const isDamaged = rows.some((row) => rowChecksum({ tableId, ...row }) !== row.checksum)
  if (isDamaged) throw new DamagedRowError(place.table)
  return rows
}

function writeErasures(database: DatabaseSync, { ledger, due }: Erasures): void {
  const write = (place: Place, onConflict: string, rows: readonly Row[]) => {
    const tableId = tableIdIn(database, place)
    const statement = database.prepare(`${ADD} ON CONFLICT ${onConflict}`)
    for (const { partition, sort, size, item } of rows) {
      const checksum = rowChecksum({ tableId, partition, sort, size, item })
      statement.run(size, item, checksum, tableId, partition, sort)
    }
  }
  database.exec("BEGIN IMMEDIATE")
  // The named folder may be the older one: what happened since counts more.
  write(LEDGER, `${CHANGE} WHERE ${IS_LATER}`, ledger)
  write(DUE, "DO NOTHING", due)
  database.exec("COMMIT")
}

function tableIdIn(database: DatabaseSync, { table }: Place): number {
  return tableSchema.parse(database.prepare("SELECT id FROM tables WHERE name = ?").get(table)).id
}

function using<Database extends { close(): void }, Result>(
  database: Database,
  use: (database: Database) => Result,
): Result {
  try {
    return use(database)
  } finally {
    database.close()
  }
}
