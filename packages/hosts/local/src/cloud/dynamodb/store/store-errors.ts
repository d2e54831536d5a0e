/** The row differs from what was written. The message contains the table's name and none of its content. */
export class DamagedRowError extends Error {
  override readonly name = "DamagedRowError"

  constructor(tableName: string) {
    super(`A row of the table ${tableName} does not match its checksum.`)
  }
}

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_NOTADB = 26

export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedRowError || error instanceof DamagedDatabaseError) return true
  const code = primaryCode(error)
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB
}

export function isDiskFull(error: unknown): boolean {
  return primaryCode(error) === SQLITE_FULL
}

/** True when the connection's view of the file can no longer be trusted. */
export function isDiskFailure(error: unknown): boolean {
  return primaryCode(error) === SQLITE_IOERR
}

function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null
  return error.errcode & 0xff
}

/** The database as a whole cannot be trusted, so it is not opened. */
export class DamagedDatabaseError extends Error {
  override readonly name = "DamagedDatabaseError"

  constructor() {
    super("The database is damaged.")
  }
}

/** A later version of Sealway wrote the database, in a layout that this one does not know. */
export class LaterLayoutError extends Error {
  override readonly name = "LaterLayoutError"

  constructor() {
    super("The database was written by a later version of Sealway.")
  }
}

/** Commits that were answered are not in the database and its log. */
export class LostCommitsError extends Error {
  override readonly name = "LostCommitsError"
  readonly lost: LostCommits

  constructor(lost: LostCommits) {
    super("Commits that were answered are not in the database.")
    this.lost = lost
  }
}

export interface LostCommits {
  /** How many commits the database and its log hold. */
  readonly held: number
  /** How many were answered; null when what says so is missing or damaged. */
  readonly answered: number | null
}
