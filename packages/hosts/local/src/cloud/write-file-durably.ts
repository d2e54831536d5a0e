import { mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, resolve } from "node:path"

/** Returns where the new content of a file is written first. */
export const draftOf = (path: string): string => `${path}.tmp`

/**
 * Replaces a file atomically: a crash or a power cut leaves the old content or the new, never a part. Only the owner
 * can read the file. Callers hold the folder, so nobody else writes the draft.
 */
export async function writeFileDurably(path: string, content: Uint8Array): Promise<void> {
  const draft = draftOf(path)
  // Never writes into an existing file or link, in a folder that others may write to.
  await rm(draft, { force: true })
  const file = await open(draft, "wx", 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  await syncFolder(dirname(path))
}

/** Creates a folder, mode 0700, and those above it that are missing. A power cut leaves all of them. */
export async function createFolderDurably(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  const highest = dirname(resolve(first))
  for (let each = resolve(path); each !== highest; each = dirname(each)) await syncFolder(dirname(each))
}

/**
 * Syncs a folder's own entries: without this, a power cut may undo a rename. Windows cannot open a folder, and needs no
 * sync.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return
  const folder = await open(path, "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
