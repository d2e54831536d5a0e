import { readFileSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { checkWal } from "./check-wal.ts"
import { ensureSchema } from "./schema.ts"
import { DamagedDatabaseError } from "./store-errors.ts"

/** The commit that makes the log longer than this writes it back to the database. SQLite's own default. */
const CHECKPOINT_PAGES = 1_000
/** Only this process opens the database, so it only ever waits for its own other connection. */
const BUSY_TIMEOUT_MS = 5_000

/**
 * Opens the writing connection. A commit returns once it is on disk.
 *
 * @throws DamagedDatabaseError when the process ended without closing the database, and something is damaged; SQLite's
 * errors
 */
export function openForWriting(path: string): DatabaseSync {
  const wasLeftOpen = isLeftOpen(path)
  refuseDamagedLog(path)
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    // Without fullfsync, macOS leaves synced data in the drive's own cache.
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA fullfsync = ON;
      PRAGMA checkpoint_fullfsync = ON;
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    `)
    // This reads everything, so skip it after a clean shutdown.
    if (wasLeftOpen && !isSound(database)) throw new DamagedDatabaseError()
    ensureSchema(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Refuses a damaged log of a database that no process has open.
 *
 * @throws DamagedDatabaseError
 */
export function refuseDamagedLog(path: string): void {
  if (!isLeftOpen(path)) return
  // SQLite would discard a log whose database is missing.
  const isLost = statSync(path).size === 0
  if (isLost || checkWal(readFileSync(walOf(path))) === "damaged") throw new DamagedDatabaseError()
}

/** Opens a read-only connection. The writing one must be open. */
export function openForReading(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
}

/** Opens a database in memory, which does not outlive the process. */
export function openInMemory(): DatabaseSync {
  const database = new DatabaseSync(":memory:")
  ensureSchema(database)
  return database
}

/**
 * Writes the log back to the database and empties it, so that there is no file to be truncated. Does not wait for
 * readers, such as a backup by another process, because writes would wait too.
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

/** Whether SQLite's own structures are intact. Reads everything. */
export function isSound(database: DatabaseSync): boolean {
  return database.prepare("PRAGMA quick_check(1)").get()?.quick_check === "ok"
}

function isLeftOpen(path: string): boolean {
  return (statSync(walOf(path), { throwIfNoEntry: false })?.size ?? 0) > 0
}

function walOf(path: string): string {
  return `${path}-wal`
}
