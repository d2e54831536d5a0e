import { existsSync } from "node:fs"
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { lockDataFolder } from "./data-folder.ts"

/** The lock file of a draft. When the draft becomes a data folder, it is that folder's lock. */
export const LOCK_FILE = "lock"

/** The prefix of the folder in a data folder that a backup copies the tables into. */
export const BACKUP_PREFIX = "backup-"

/** The prefix of the folder beside a data folder that it is restored into before it gets its name. */
export const restorePrefix = (name: string) => `.${name}-restoring-`

/** A folder that is being filled, and is removed if that fails. */
export interface DraftFolder {
  readonly path: string
  /** Unlocks it, keeping its content. */
  release(): void
  remove(): Promise<void>
}

/** What `mkdtemp` appends to a prefix. */
const SUFFIX = /^[A-Za-z0-9]{6}$/

/**
 * Creates an empty folder, mode 0700, that is locked while this process lives, so that another process can tell whether
 * it is left over.
 */
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
 * Removes drafts of killed processes. Keeps everything that may be somebody else's: other names, links, folders without
 * a lock, and locked ones. Ignores what cannot be removed.
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
