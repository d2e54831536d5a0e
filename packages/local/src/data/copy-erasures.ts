import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import * as z from "zod"
import { openForReading, openForWriting } from "../cloud/dynamodb/store/open-database.ts"
import { rowChecksum } from "../cloud/dynamodb/store/row-checksum.ts"
import { DamagedRowError } from "../cloud/dynamodb/store/store-errors.ts"
import { TABLES_FILE, withTables } from "../cloud/dynamodb/tables-file.ts"
import { TABLES_FOLDER } from "../cloud/parts/find-parts.ts"

/**
 * Where erasures are: complete ones in the ledger, those that can be undone in two kinds of records. See `erasureRecords`
 * and `dataSubjectRecords` of the platform, which would load the SDK of AWS into the command line, and `DueErasure`.
 */
const LEDGER = { table: "events", partitions: "data-subject-erasures#" } as const
const DUE = { table: "config", partitions: "data-subject-erasures-due" } as const
const SUBJECTS = { table: "config", partitions: "data-subjects#" } as const

type Place = typeof LEDGER | typeof DUE | typeof SUBJECTS

const READ =
  "SELECT partition, sort, size, item, checksum FROM items WHERE table_id = ? AND partition >= ? AND partition < ?"
const IS_ERASED = "json_extract(CAST(item AS TEXT), '$.status.S') <> 'active'"
const ADD =
  "INSERT OR IGNORE INTO items (size, item, checksum, table_id, partition, sort) VALUES (?, ?, ?, ?, ?, ?)"
const CHANGE =
  "UPDATE items SET size = ?, item = ?, checksum = ? WHERE table_id = ? AND partition = ? AND sort = ?"
const IS_EARLIER =
  "CAST(json_extract(CAST(item AS TEXT), '$.revision.N') AS INTEGER) < CAST(json_extract(?, '$.revision.N') AS INTEGER)"

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
  /** The data subjects that are erased, or going to be. */
  readonly subjects: readonly Row[]
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
    using(openForWriting(join(to, TABLES_FOLDER, TABLES_FILE)), (database) =>
      writeErasures(database, erasures),
    ),
  )
}

function readErasures(database: DatabaseSync): Erasures {
  // One view of all: a process that uses the folder may complete an erasure in the meantime.
  database.exec("BEGIN")
  return {
    ledger: readRows(database, LEDGER, READ),
    due: readRows(database, DUE, READ),
    subjects: readRows(database, SUBJECTS, `${READ} AND ${IS_ERASED}`),
  }
}

function readRows(database: DatabaseSync, place: Place, sql: string): Row[] {
  const tableId = tableIdIn(database, place)
  const { partitions } = place
  const found = database
    .prepare(sql)
    .all(tableId, Buffer.from(partitions), Buffer.from(`${partitions}\u007f`))
  const rows = z.array(rowSchema).parse(found)
  // They get another checksum, which must not hide damage.
  const isDamaged = rows.some((row) => rowChecksum({ tableId, ...row }) !== row.checksum)
  if (isDamaged) throw new DamagedRowError(place.table)
  return rows
}

function writeErasures(database: DatabaseSync, { ledger, due, subjects }: Erasures): void {
  const write = (place: Place, sql: string, rows: readonly Row[], more = (_row: Row): string[] => []) => {
    const tableId = tableIdIn(database, place)
    const statement = database.prepare(sql)
    for (const row of rows) {
      const { partition, sort, size, item } = row
      const checksum = rowChecksum({ tableId, partition, sort, size, item })
      statement.run(size, item, checksum, tableId, partition, sort, ...more(row))
    }
  }
  database.exec("BEGIN IMMEDIATE")
  write(LEDGER, ADD, ledger)
  write(DUE, ADD, due)
  // The named folder may be the older one: what happened since counts more.
  write(SUBJECTS, `${CHANGE} AND ${IS_EARLIER}`, subjects, ({ item }) => [Buffer.from(item).toString()])
  database.exec("COMMIT")
}

function tableIdIn(database: DatabaseSync, { table }: Place): number {
  return tableSchema.parse(database.prepare("SELECT id FROM tables WHERE name = ?").get(table)).id
}

function using<Result>(database: DatabaseSync, use: (database: DatabaseSync) => Result): Result {
  try {
    return use(database)
  } finally {
    database.close()
  }
}
