import { readFileSync, renameSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { checkWal, type WalState } from "./check-wal.ts"
import { openCommitFile, readCommitFile } from "./commit-file.ts"
import { isSound, openForReading } from "./open-for-reading.ts"
import { readCommits } from "./schema.ts"
import { DamagedDatabaseError, type LostCommits, LostCommitsError } from "./store-errors.ts"

/**
 * Refuses a database that does not hold every commit that was answered, for example because its log was cut, removed or
 * replaced by an older one, or that is damaged. No process has it open. Changes nothing: opening it for writing would
 * write what is left of the log into the database.
 *
 * @returns whether its log holds commits
 * @throws LostCommitsError, DamagedDatabaseError, SQLite's errors
 */
export function refuseIncomplete(path: string): boolean {
  const log = readLog(path)
  // SQLite would discard a log whose database is missing.
  if (log === "damaged" || (log !== "none" && isVoid(path))) throw new DamagedDatabaseError()
  const lost = findLost(path, log)
  if (lost !== null) throw new LostCommitsError(lost)
  // This reads everything, so skip it after a clean shutdown.
  if (log !== "none") refuseUnsound(path)
  return log === "intact"
}

/**
 * Accepts that answered commits are lost, so that the database can be opened with those that it has. A log that is older
 * than the database is moved to `asideAt`, because it would undo later commits.
 *
 * @returns what was lost; null when nothing was
 * @throws DamagedDatabaseError when what is left cannot be used; SQLite's errors
 */
export function acceptLostCommits(path: string, asideAt: string): LostCommits | null {
  const log = readLog(path)
  if (log === "damaged" || isVoid(path)) return null
  const lost = findLost(path, log)
  if (lost === null) return null
  if (log !== "none" && heldWithoutLog(path) > lost.held) renameSync(walOf(path), asideAt)
  refuseUnsound(path)
  return { ...lost, held: noteAll(path) }
}

/**
 * Notes beside a database that what it holds is all there is: it was restored, or its loss is accepted.
 *
 * @returns how many commits it holds
 */
export function noteAll(path: string): number {
  const commits = held(path, readLog(path))
  const record = { commits, isWritingBack: false }
  const file = openCommitFile(path, record, () => undefined)
  file.noteDurably(record)
  file.close()
  return commits
}

function findLost(path: string, log: WalState | "none"): LostCommits | null {
  const commits = isVoid(path) ? 0 : held(path, log)
  const noted = readCommitFile(path)
  if (noted === null) return commits === 0 ? null : { held: commits, answered: null }
  // The count may have been written back already, and not all of the rest.
  const isLogLost = noted.isWritingBack && log !== "intact"
  return isLogLost || commits < noted.commits ? { held: commits, answered: noted.commits } : null
}

function readLog(path: string): WalState | "none" {
  const size = statSync(walOf(path), { throwIfNoEntry: false })?.size ?? 0
  return size === 0 ? "none" : checkWal(readFileSync(walOf(path)))
}

/** How many commits a database holds with its log. Leaves no files behind if it has none. */
function held(path: string, log: WalState | "none"): number {
  return log === "none" ? heldWithoutLog(path) : using(openForReading(path), readCommits)
}

function heldWithoutLog(path: string): number {
  const url = pathToFileURL(path)
  url.searchParams.set("immutable", "1")
  return using(new DatabaseSync(url, { readOnly: true }), readCommits)
}

function refuseUnsound(path: string): void {
  if (!using(openForReading(path), isSound)) throw new DamagedDatabaseError()
}

function walOf(path: string): string {
  return `${path}-wal`
}

function isVoid(path: string): boolean {
  return statSync(path).size === 0
}

function using<Result>(database: DatabaseSync, use: (database: DatabaseSync) => Result): Result {
  try {
    return use(database)
  } finally {
    database.close()
  }
}
