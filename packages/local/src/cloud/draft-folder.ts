import { existsSync } from "node:fs"
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { lockDataFolder } from "./data-folder.ts"

/** What a draft is held by. In a folder that becomes a data folder it is that folder's own lock. */
export const LOCK_FILE = "lock"

/** Where a backup copies the tables of a data folder into, inside of it. */
export const BACKUP_PREFIX = "backup-"

/** Where a data folder is restored into, beside it, before it has its name. */
export const restorePrefix = (name: string) => `.${name}-restoring-`

/** A folder that is being filled, and is removed when that fails. */
export interface DraftFolder {
  readonly path: string
  /** Lets others have it, as it is. */
  release(): void
  remove(): Promise<void>
}

/** What `mkdtemp` puts after a prefix. */
const SUFFIX = /^[A-Za-z0-9]{6}$/

/** Makes an empty folder, mode 0700, that is held as long as this process lives: so that another one can tell whether it is left over. */
export async function createDraftFolder(parent: string, prefix: string): Promise<DraftFolder> {
  const path = await mkdtemp(join(parent, prefix))
  try {
    const held = await lockDataFolder(path)
    return {
      path,
      release: held.release,
      async remove() {
        held.release()
        await rm(path, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await rm(path, { recursive: true, force: true })
    throw error
  }
}

/**
 * Removes drafts of processes that were killed. What may be somebody else's stays: another name, a link, a folder
 * without a lock, or one that a process holds. So does what cannot be removed.
 */
export async function removeDeadDrafts(parent: string, prefix: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(prefix) || !SUFFIX.test(name.slice(prefix.length))) continue
    const path = join(parent, name)
    const stats = await lstat(path).catch(() => null)
    if (stats?.isDirectory() !== true || !existsSync(join(path, LOCK_FILE))) continue
    const held = await lockDataFolder(path).catch(() => null)
    if (held === null) continue
    try {
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
    } finally {
      held.release()
    }
  }
}
