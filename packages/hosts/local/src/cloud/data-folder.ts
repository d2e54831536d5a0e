import { open } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { errorCodeOf } from "@sealway/kernel"
import { closeDataFolder } from "./close-data-folder.ts"
import { DataFolderInUseError, DataFolderUnusableError } from "./errors.ts"
import { createFolderDurably } from "./write-file-durably.ts"

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5

/** A data folder that no other process can hold until it is released. */
export interface HeldDataFolder {
  readonly path: string
  /** Safe to call twice. */
  release(): void
}

/**
 * Creates the folder (mode 0700) if needed, locks it for this process, and closes its content to other users.
 *
 * Node.js has no file locks, but SQLite does: the kernel drops its lock when the process ends in any way, so no stale
 * lock can block the next start. The database file stays empty.
 *
 * @throws DataFolderInUseError while another process, or this one, holds it.
 * @throws DataFolderUnusableError when it cannot be created or written.
 */
export async function holdDataFolder(path: string): Promise<HeldDataFolder> {
  let held: HeldDataFolder | undefined
  try {
    await createFolderDurably(path)
    held = await lockDataFolder(path)
    await closeDataFolder(path)
    return held
  } catch (error) {
    held?.release()
    if (error instanceof DataFolderInUseError || error instanceof DataFolderUnusableError) throw error
    throw new DataFolderUnusableError(path, { cause: error })
  }
}

/**
 * Locks an existing folder for this process, without changing its content.
 *
 * @throws DataFolderInUseError, DataFolderUnusableError
 */
export async function lockDataFolder(path: string): Promise<HeldDataFolder> {
  let lock: DatabaseSync | undefined
  try {
    const file = join(path, "lock")
    await createIfMissing(file)
    lock = new DatabaseSync(file, { timeout: 0 })
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
  } catch (error) {
    lock?.close()
    if (isBusy(error)) throw new DataFolderInUseError(path, { cause: error })
    throw new DataFolderUnusableError(path, { cause: error })
  }
  const held = lock
  return {
    path,
    release() {
      if (held.isOpen) held.close()
    },
  }
}

/** An existing file is not even opened: this process may hold its lock, and POSIX drops it when any descriptor is closed. */
async function createIfMissing(file: string): Promise<void> {
  try {
    await (await open(file, "ax", 0o600)).close()
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw error
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY
}
