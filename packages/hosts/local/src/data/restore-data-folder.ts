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
import { applyEntry, settleIncrement, verifyBlocks } from "./apply-increment.ts"
import { INCREMENT_PATHS, readEntries } from "./backup-entries.ts"
import { backupIdOf, collect, readFileHashes, readPrevious } from "./backup-index.ts"
import { checkHeldFolder, type DataFolderCheck } from "./check-data-folder.ts"
import { copyErasures } from "./copy-erasures.ts"
import { type DeriveKey, openStream } from "./sealed-stream.ts"
import type { WritePiecesOptions } from "./write-pieces.ts"

export interface RestoreOptions {
  /** A backup, and those that were made since it, each since the one before. */
  readonly files: readonly string[]
  /** Must be missing or empty. It appears complete or not at all. */
  readonly folder: string
  readonly passphrase: string
  /** Default: scrypt, which is meant to take half a second. */
  readonly deriveKey?: DeriveKey
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
  const { files, folder, passphrase, deriveKey, erasuresOf, onProgress, signal } = options
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
    const opening = (file: string) => ({
      file,
      content: openStream(passphrase, createReadStream(file), deriveKey),
    })
    let last: string | null = null
    let blocks: Buffer | null = null
    for (const file of files) {
      blocks = await restoreOne(opening(file), last, draft.path, { onWritten, signal })
      last = await backupIdOf(file)
    }
    if (blocks !== null) await verifyBlocks(draft.path, blocks)
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

/**
 * @param previous the id of the backup that was restored before; null for the first one
 * @returns the hashes of the tables' blocks; null for the first one
 */
async function restoreOne(
  { file, content: sealed }: { readonly file: string; readonly content: AsyncIterable<Uint8Array> },
  previous: string | null,
  folder: string,
  options: WritePiecesOptions,
): Promise<Buffer | null> {
  let follows: string | null = null
  let blocks: Buffer | null = null
  for await (const entry of readEntries(sealed)) {
    const { path, content } = entry
    if (path === INCREMENT_PATHS.previous) {
      follows = await readPrevious(content)
      refuseOther(file, previous, follows)
    } else if (follows === null && previous !== null) refuseOther(file, previous, follows)
    else if (path === INCREMENT_PATHS.blockHashes) blocks = await collect(content)
    else if (path === INCREMENT_PATHS.fileHashes) {
      if (blocks === null) throw new BackupError("The backup is incomplete. Use another copy.")
      await settleIncrement(folder, blocks, await readFileHashes(content))
    } else await applyEntry(folder, entry, options)
  }
  return blocks
}

/** @throws BackupError unless a backup follows the one before it in the list */
function refuseOther(file: string, previous: string | null, follows: string | null): void {
  if (follows === previous) return
  throw new BackupError(
    follows === null
      ? `${file} was not made since another backup, so it does not follow one. Restore it alone.`
      : `${file} was made since another backup than the one before it. Name the first backup, and with --increment all that were made since, in order.`,
  )
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
