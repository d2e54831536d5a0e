import { readFileSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { checkWal } from "./check-wal.ts"
import { ensureSchema } from "./schema.ts"
import { DamagedDatabaseError } from "./store-errors.ts"

/** The log is written back to the database by whichever commit makes it longer. SQLite's own default. */
const CHECKPOINT_PAGES = 1_000
/** A negative number is KiB. */
const CACHE_SIZE = -16_384
/** Only this process opens the database; what it waits for is its own other connection. */
const BUSY_TIMEOUT_MS = 5_000

/**
 * Opens the connection that writes. A commit returns when the disk has it.
 *
 * @throws DamagedDatabaseError when the process ended before it could close the database, and something is damaged;
 * errors of SQLite
 */
export function openForWriting(path: string): DatabaseSync {
  const wasLeftOpen = isLeftOpen(path)
  refuseDamagedLog(path)
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    // macOS keeps what was synced in the drive's own cache without fullfsync.
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA fullfsync = ON;
      PRAGMA checkpoint_fullfsync = ON;
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA cache_size = ${CACHE_SIZE};
    `)
    // It reads everything, so not after a clean end.
    if (wasLeftOpen && !isSound(database)) throw new DamagedDatabaseError()
    ensureSchema(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Refuses the log of a database that no process has open.
 *
 * @throws DamagedDatabaseError
 */
export function refuseDamagedLog(path: string): void {
  if (!isLeftOpen(path)) return
  // SQLite would take a log without its database for one that nobody needs.
  const isLost = statSync(path).size === 0
  if (isLost || checkWal(readFileSync(walOf(path))) === "damaged") throw new DamagedDatabaseError()
}

/** Opens one more connection, for reading only, once that for writing is open. */
export function openForReading(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  database.exec(`PRAGMA cache_size = ${CACHE_SIZE}`)
  return database
}

/** A database in memory, which nothing outlives. */
export function openInMemory(): DatabaseSync {
  const database = new DatabaseSync(":memory:")
  ensureSchema(database)
  return database
}

/**
 * Writes the log back to the database and empties it, so that nothing is in a file that can be cut. Does not wait for
 * a reader, such as a backup by another process: writes would wait too.
 *
 * @returns whether it was emptied
 */
export function emptyLog(database: DatabaseSync): boolean {
  database.exec("PRAGMA busy_timeout = 0")
  try {
    return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

/** Whether SQLite's own structures hold. It reads everything. */
export function isSound(database: DatabaseSync): boolean {
  return database.prepare("PRAGMA quick_check(1)").get()?.quick_check === "ok"
}

function isLeftOpen(path: string): boolean {
  return (statSync(walOf(path), { throwIfNoEntry: false })?.size ?? 0) > 0
}

function walOf(path: string): string {
  return `${path}-wal`
}
