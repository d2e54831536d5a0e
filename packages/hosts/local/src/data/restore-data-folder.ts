import { createReadStream } from "node:fs"
import { mkdir, readdir, rename, rmdir } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { errorCodeOf } from "@sealway/kernel"
import { createDraftFolder, removeDeadDrafts, restorePrefix } from "../cloud/draft-folder.ts"
import { noteAll } from "../cloud/dynamodb/store/lost-commits.ts"
import { TABLES_FILE, withTables } from "../cloud/dynamodb/tables-file.ts"
import { BackupError } from "../cloud/errors.ts"
import { TABLES_FOLDER } from "../cloud/parts/find-parts.ts"
import { syncFolder } from "../cloud/write-file-durably.ts"
import { readEntries } from "./backup-entries.ts"
import { checkHeldFolder, type DataFolderCheck } from "./check-data-folder.ts"
import { copyErasures } from "./copy-erasures.ts"
import { openStream } from "./sealed-stream.ts"
import { writePieces } from "./write-pieces.ts"

export interface RestoreOptions {
  readonly file: string
  /** Must be missing or empty. It appears complete or not at all. */
  readonly folder: string
  readonly passphrase: string
  /** The data folder whose erasures of data subjects also apply; null for those of the backup only. */
  readonly erasuresOf: string | null
  /** Receives the number of bytes written so far. */
  readonly onProgress: (bytes: number) => void
  readonly signal: AbortSignal
}

/**
 * Writes a backup into a new folder, checks everything in it, and only then gives the folder its name.
 *
 * @throws BackupError when the folder is not empty, or the backup cannot be opened or is invalid
 */
export async function restoreDataFolder(options: RestoreOptions): Promise<DataFolderCheck> {
  const { file, folder, passphrase, erasuresOf, onProgress, signal } = options
  const hasFolder = await isEmptyFolder(folder)
  await mkdir(dirname(folder), { recursive: true })
  const prefix = restorePrefix(basename(folder))
  await removeDeadDrafts(dirname(folder), prefix)
  const draft = await createDraftFolder(dirname(folder), prefix)
  try {
    let bytes = 0
    const onWritten = (added: number) => {
      bytes += added
      onProgress(bytes)
    }
    for await (const { path, isExecutable, content } of readEntries(
      openStream(passphrase, createReadStream(file)),
    )) {
      const target = join(draft.path, path)
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      await writePieces(target, isExecutable ? 0o700 : 0o600, content, { onWritten, signal })
    }
    await withTables(join(draft.path, TABLES_FOLDER), async () =>
      noteAll(join(draft.path, TABLES_FOLDER, TABLES_FILE)),
    )
    if (erasuresOf !== null) await copyErasures(erasuresOf, draft.path)
    const check = await checkHeldFolder(draft.path, () => signal.throwIfAborted())
    if (!check.ok) {
      const details = check.findings.filter(({ ok }) => !ok).map(({ part, detail }) => `${part}: ${detail}`)
      throw new BackupError(`The backup does not contain a usable data folder. ${details.join(" ")}`)
    }
    await syncAll(draft.path)
    if (hasFolder) await rmdir(folder)
    draft.release()
    await rename(draft.path, folder)
    await syncFolder(dirname(folder))
    return { ...check, folder }
  } catch (error) {
    await draft.remove()
    throw error
  }
}

/** Returns false when it does not exist. @throws BackupError when it is not empty */
async function isEmptyFolder(folder: string): Promise<boolean> {
  try {
    if ((await readdir(folder)).length === 0) return true
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return false
    throw new BackupError(`${folder} is not a readable folder.`, { cause: error })
  }
  throw new BackupError(`${folder} is not empty. Restore into a new folder.`)
}

async function syncAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) await syncFolder(join(entry.parentPath, entry.name))
  }
  await syncFolder(folder)
}
