import type { DatabaseSync } from "node:sqlite"
import { REQUEST_TIMEOUT_MS, type TableDefinition, TableUnavailableError } from "@sealway/ports"
import { within } from "../within.ts"
import { describeFailure } from "./describe-failure.ts"
import { type Report, seldom } from "./seldom.ts"
import { ensureTables } from "./store/ensure-tables.ts"
import { ItemStore } from "./store/item-store.ts"
import { openInMemory } from "./store/open-database.ts"
import { openForReading } from "./store/open-for-reading.ts"
import { createTableReads } from "./table/read-tables.ts"
import type { TableDatabase } from "./table/table-database.ts"
import { prepareTablesFile, withTables } from "./tables-file.ts"
import { createTurns } from "./turns.ts"
import { inMemoryWriter } from "./writer/in-memory-writer.ts"
import { startRestartedWriter } from "./writer/restarted-writer.ts"
import { startThread, startWriterThread } from "./writer/start-writer-thread.ts"
import { createWriteEngine } from "./writer/write-engine.ts"
import type { Writer } from "./writer/writer.ts"

/** The tables of this machine, in SQLite. */
export interface Tables extends TableDatabase {
  /** Resolves when earlier writes are answered and the database is closed. Called once. */
  close(): Promise<void>
}

/** Names that DynamoDB takes too. */
const TABLE_NAME = /^[A-Za-z0-9_.-]{3,255}$/

/**
 * Opens the tables in a folder (created, mode 0700, if missing), or in memory when the folder is null.
 *
 * @param definitions those that are created if they are missing
 * @throws TypeError for a name that DynamoDB would not take
 * @throws DataFolderUnusableError, TablesDamagedError, LaterVersionError
 */
export async function openTables(
  folder: string | null,
  definitions: readonly TableDefinition[],
  report: Report,
): Promise<Tables> {
  const isRefused = definitions.some(({ name }) => !TABLE_NAME.test(name))
  if (isRefused) throw new TypeError("A table has a name that DynamoDB would not take")
  if (folder === null) return openDatabase(null, definitions, report)
  return withTables(folder, async () => openDatabase(await prepareTablesFile(folder), definitions, report))
}

/**
 * Opens a database: in a file, which exists, or in memory when the path is null.
 *
 * @throws DamagedDatabaseError, Error when it cannot be opened
 */
export async function openDatabase(
  path: string | null,
  definitions: readonly TableDefinition[],
  report: Report,
): Promise<Tables> {
  const rare = seldom(report, () => performance.now())
  if (path === null) {
    const database = openInMemory()
    ensureTables(database.connection, definitions, Date.now)
    return serve(database.connection, inMemoryWriter(createWriteEngine(() => database, Date.now, rare)), rare)
  }
  const start = () => startWriterThread(startThread(path, definitions), rare)
  const writer = await startRestartedWriter(start, { report: rare })
  try {
    return serve(openForReading(path), writer, rare)
  } catch (error) {
    await writer.close()
    throw error
  }
}

function serve(database: DatabaseSync, writer: Writer, report: Report): Tables {
  const reads = createTableReads(new ItemStore(database))
  const inTurn = createTurns(() => performance.now())
  const read = <Result>(work: () => Result) =>
    inTurn(() => {
      try {
        if (database.isOpen) return work()
      } catch (error) {
        report(describeFailure(error), error)
        throw new TableUnavailableError("The tables cannot be read.", { cause: error })
      }
      throw new TableUnavailableError("The tables are closed.")
    })

  return {
    get: (key) => read(() => reads.get(key)),
    query: (query) => read(() => reads.query(query)),
    async write(write) {
      const reply = await within(REQUEST_TIMEOUT_MS, writer.write(JSON.stringify(write)))
      if (reply.kind === "written") return reply.written
      if (reply.kind === "invalid") throw new TypeError(reply.message)
      throw new TableUnavailableError(reply.message)
    },
    async close() {
      // Closing the last connection removes the log, so it must be the writing one.
      if (database.isOpen) database.close()
      await writer.close()
    },
  }
}
