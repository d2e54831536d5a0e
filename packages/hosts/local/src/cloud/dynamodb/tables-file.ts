import { existsSync, statSync } from "node:fs"
import { open } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import {
  DataFolderUnusableError,
  LaterVersionError,
  TablesDamagedError,
  TablesIncompleteError,
} from "../errors.ts"
import { createFolderDurably, syncFolder } from "../write-file-durably.ts"
import { readFolderId, writeFolderId } from "./store/folder-id.ts"
import { acceptLostCommits } from "./store/lost-commits.ts"
import { openForWriting } from "./store/open-database.ts"
import {
  DamagedDatabaseError,
  isDamage,
  LaterLayoutError,
  type LostCommits,
  LostCommitsError,
} from "./store/store-errors.ts"

export const TABLES_FILE = "tables.db"

/** True when a folder has tables. An empty file without a log has none. */
export function holdsTables(folder: string): boolean {
  const database = join(folder, TABLES_FILE)
  return isFilled(database) || (existsSync(database) && isFilled(`${database}-wal`))
}

/** Returns the path of a folder's database, creating it with mode 0600 if needed. */
export async function prepareTablesFile(folder: string): Promise<string> {
  const database = join(folder, TABLES_FILE)
  if (!existsSync(database)) await createFile(database)
  return database
}

/**
 * Reads the id of the data folder that the tables belong to. Returns null when they have none yet.
 *
 * @throws TablesDamagedError, DataFolderUnusableError
 */
export function readTablesFolderId(folder: string): Promise<string | null> {
  return withTables(folder, async () => {
    const path = join(folder, TABLES_FILE)
    return existsSync(path) ? useDatabase(path, readFolderId) : null
  })
}

/**
 * Writes the id of their data folder into the tables, creating them if needed.
 *
 * @throws TablesDamagedError, DataFolderUnusableError
 */
export function markTables(folder: string, folderId: string): Promise<void> {
  return withTables(folder, async () => {
    useDatabase(await prepareTablesFile(folder), (database) => writeFolderId(database, folderId))
  })
}

/**
 * Accepts that answered commits are missing from a folder's tables. A log that cannot be used is kept under another name.
 *
 * @param now goes into that name
 * @returns what is missing; null when nothing is
 * @throws TablesDamagedError, DataFolderUnusableError
 */
export function acceptLostWrites(folder: string, now: Date): Promise<LostCommits | null> {
  return withTables(folder, async () => {
    const path = join(folder, TABLES_FILE)
    const stamp = now.toISOString().replace(/[^0-9TZ]/g, "")
    return existsSync(path) ? acceptLostCommits(path, `${path}-wal-lost-${stamp}`) : null
  })
}

/** Translates errors of the disk and the database into errors that name the folder. */
export async function withTables<Result>(folder: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use()
  } catch (error) {
    if (error instanceof DamagedDatabaseError || isDamage(error)) {
      throw new TablesDamagedError(folder, { cause: error })
    }
    if (error instanceof LostCommitsError) {
      throw new TablesIncompleteError(folder, error.lost, { cause: error })
    }
    if (error instanceof LaterLayoutError) {
      throw new LaterVersionError(join(folder, TABLES_FILE), null, { cause: error })
    }
    throw new DataFolderUnusableError(folder, { cause: error })
  }
}

function useDatabase<Result>(path: string, use: (database: DatabaseSync) => Result): Result {
  const database = openForWriting(path)
  try {
    return use(database.connection)
  } finally {
    database.close()
  }
}

function isFilled(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/**
 * Otherwise SQLite's file would be readable by others if the umask allows it. The files beside it get the same
 * permissions.
 */
async function createFile(path: string): Promise<void> {
  await createFolderDurably(dirname(path))
  await (await open(path, "wx", 0o600)).close()
  await syncFolder(dirname(path))
}
