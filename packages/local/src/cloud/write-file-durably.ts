import { open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"

/**
 * Replaces a file in one step: a crash or a power cut leaves the old content or the new, never a part. The file is
 * readable by its owner only. Callers hold the folder, so nobody else writes the temporary file.
 */
export async function writeFileDurably(path: string, content: Uint8Array): Promise<void> {
  const temporary = `${path}.tmp`
  // A file or a link that is there, in a folder that others may write to, is not written into.
  await rm(temporary, { force: true })
  const file = await open(temporary, "wx", 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await syncFolder(dirname(path))
}

/** Syncs a folder's own entries: without it a rename may be lost in a power cut. Windows cannot open a folder, and needs no sync. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return
  const folder = await open(path, "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
