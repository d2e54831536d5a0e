import { DatabaseSync } from "node:sqlite"
import type { Report } from "../seldom.ts"
import { openCommitFile } from "./commit-file.ts"
import { refuseIncomplete } from "./lost-commits.ts"
import { BUSY_TIMEOUT_MS } from "./open-for-reading.ts"
import { ensureSchema, readCommits } from "./schema.ts"

/** The log is written back to the database when so many bytes were written to it: about SQLite's own default of 1,000 pages. */
const LOG_BYTES = 4_000_000

/** The writing connection of a database, and what is noted beside it. */
export interface WritableDatabase {
  readonly connection: DatabaseSync
  /**
   * Notes the number of a durable commit, before it is answered: the next start compares it with what is there. Writes a
   * long log back to the database.
   *
   * @param bytes about how much the commit added to the log
   * @throws errors of the disk and SQLite's
   */
  noteCommit(commits: number, bytes: number): void
  /**
   * Writes the log back to the database and empties it, so that there is no file to be truncated. Does not wait for
   * readers, such as a backup by another process, because writes would wait too.
   *
   * @returns whether it was emptied
   */
  emptyLog(): boolean
  /** Safe to call twice. */
  close(): void
}

/**
 * Opens the writing connection. A commit returns once it is on disk.
 *
 * @param report is told of problems in the background. Default: nobody, for who opens it for a moment
 * @throws LostCommitsError when answered commits are missing; DamagedDatabaseError when the process ended without closing
 * the database, and something is damaged; SQLite's errors
 */
export function openForWriting(path: string, report: Report = () => undefined): WritableDatabase {
  const isLogged = refuseIncomplete(path)
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    // Without fullfsync, macOS leaves synced data in the drive's own cache.
    connection.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA fullfsync = ON;
      PRAGMA checkpoint_fullfsync = ON;
      PRAGMA wal_autocheckpoint = 0;
    `)
    ensureSchema(connection)
    return writableDatabase(path, connection, isLogged, report)
  } catch (error) {
    connection.close()
    throw error
  }
}

/** @param isLogged whether the log holds commits */
function writableDatabase(
  path: string,
  connection: DatabaseSync,
  isLogged: boolean,
  report: Report,
): WritableDatabase {
  let commits = readCommits(connection)
  const file = openCommitFile(path, { commits, isWritingBack: false }, report)
  let mayBeLogged = isLogged
  let logBytes = 0

  function writeBack(): boolean {
    logBytes = 0
    // Only while the log has commits: otherwise it may be gone, and nothing is missing.
    if (mayBeLogged) file.noteDurably({ commits, isWritingBack: true })
    const { log, checkpointed } = connection.prepare("PRAGMA wal_checkpoint(PASSIVE)").get() ?? {}
    // Also if readers kept it from the last commits: the database is whole then, with the commits before them.
    if (mayBeLogged) file.noteDurably({ commits, isWritingBack: false })
    const isComplete = log === checkpointed
    mayBeLogged &&= !isComplete
    return isComplete
  }

  return {
    connection,
    noteCommit(number, bytes) {
      commits = number
      mayBeLogged = true
      file.note({ commits, isWritingBack: false })
      logBytes += bytes
      if (logBytes >= LOG_BYTES) writeBack()
    },
    emptyLog() {
      if (!writeBack()) return false
      connection.exec("PRAGMA busy_timeout = 0")
      try {
        return connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0
      } finally {
        connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
      }
    },
    close() {
      if (!connection.isOpen) return
      try {
        writeBack()
      } catch (error) {
        report("The log of the tables could not be written back.", error)
      } finally {
        connection.close()
        file.close()
      }
    },
  }
}

/** Opens a database in memory, which does not outlive the process. */
export function openInMemory(): WritableDatabase {
  const connection = new DatabaseSync(":memory:")
  ensureSchema(connection)
  return {
    connection,
    noteCommit: () => undefined,
    emptyLog: () => true,
    close() {
      if (connection.isOpen) connection.close()
    },
  }
}
