import { createReadStream, existsSync } from "node:fs"
import { type FileHandle, lstat, open, readdir, rename } from "node:fs/promises"
import { dirname, join } from "node:path"
import { backup } from "node:sqlite"
import { Readable } from "node:stream"
import { errorCodeOf } from "@sealway/kernel"
import { lockDataFolder } from "../cloud/data-folder.ts"
import {
  BACKUP_PREFIX,
  createDraftFolder,
  type DraftFolder,
  removeDeadDrafts,
} from "../cloud/draft-folder.ts"
import { checkDatabase } from "../cloud/dynamodb/store/check-database.ts"
import { refuseIncomplete } from "../cloud/dynamodb/store/lost-commits.ts"
import { openForReading } from "../cloud/dynamodb/store/open-for-reading.ts"
import { DamagedDatabaseError } from "../cloud/dynamodb/store/store-errors.ts"
import { TABLES_FILE, withTables } from "../cloud/dynamodb/tables-file.ts"
import { BackupError, DataFolderInUseError } from "../cloud/errors.ts"
import { KEY_FILE, MASTER_KEY_FILE } from "../cloud/kms/open-key-store.ts"
import { CREDENTIALS_FILE, KEYS_FOLDER, TABLES_FOLDER } from "../cloud/parts/find-parts.ts"
import { MANIFEST_FILE, readManifest } from "../cloud/parts/manifest.ts"
import { syncFolder } from "../cloud/write-file-durably.ts"
import { numberedBlocks, numberedBytes } from "./apply-increment.ts"
import { CODE_FOLDERS, type Entry, INCREMENT_PATHS, TABLES_PATH, writeEntries } from "./backup-entries.ts"
import { type BackupIndex, changedBlocks, hashBlocks, hashContent, readIndex } from "./backup-index.ts"
import { type DeriveKey, sealStream } from "./sealed-stream.ts"
import { writePieces } from "./write-pieces.ts"

/** The prefix of the draft, beside the final file. */
const DRAFT_PREFIX = ".sealway-backup-"
/** The copy is made in one step, so that it is consistent and a busy service cannot force it to start over. */
const ALL_PAGES = 0x7fff_ffff

export interface BackupOptions {
  readonly folder: string
  /** Must not exist. It appears complete or not at all. */
  readonly file: string
  readonly passphrase: string
  /** Default: scrypt, which is meant to take half a second. */
  readonly deriveKey?: DeriveKey
  /** The backup after which changes are written; null: everything is. It has the same passphrase. */
  readonly since: string | null
  /** Receives the number of bytes written so far. */
  readonly onProgress: (bytes: number) => void
  readonly signal: AbortSignal
}

/**
 * Writes an encrypted copy of a data folder, which may be in use. The tables are from one moment; the keys are copied
 * after them, so none that the tables need is missing.
 *
 * @returns the size of the backup in bytes
 * @throws BackupError, PartsMismatchError, TablesDamagedError, DataFolderUnusableError
 */
export async function backupDataFolder(options: BackupOptions): Promise<number> {
  const { folder, file, passphrase, deriveKey, since, onProgress, signal } = options
  if (existsSync(file)) throw new BackupError(`${file} already exists. Choose another name.`)
  const manifest = await readManifest(folder)
  if (manifest?.state !== "complete") {
    throw new BackupError(
      `${folder} is not a data folder, or belongs to an earlier version. If it does, start the service with it once, then try again.`,
    )
  }
  const previous = since === null ? null : await readIndex(since, passphrase, deriveKey, signal)
  const held = await holdUnlessRunning(folder)
  let copies: DraftFolder | undefined
  try {
    await removeDeadDrafts(folder, BACKUP_PREFIX)
    copies = await createDraftFolder(folder, BACKUP_PREFIX)
    await copyTables(folder, copies.path, held === null, signal)
    signal.throwIfAborted()
    const content = sealStream(passphrase, writeEntries(entriesOf(folder, copies.path, previous)), deriveKey)
    return await writeWhole(file, content, onProgress, signal)
  } finally {
    await copies?.remove()
    held?.release()
  }
}

/** Returns null when a service runs on it. */
async function holdUnlessRunning(folder: string) {
  try {
    return await lockDataFolder(folder)
  } catch (error) {
    if (error instanceof DataFolderInUseError) return null
    throw error
  }
}

/** Refuses to copy damaged or incomplete tables: nothing in the backup would tell that they are. */
async function copyTables(
  folder: string,
  copies: string,
  isRunning: boolean,
  signal: AbortSignal,
): Promise<void> {
  const source = join(folder, TABLES_FOLDER, TABLES_FILE)
  await withTables(join(folder, TABLES_FOLDER), async () => {
    if (!isRunning) refuseIncomplete(source)
    const database = openForReading(source)
    try {
      await backup(database, join(copies, TABLES_FILE), { rate: ALL_PAGES })
    } finally {
      database.close()
    }
    await refuseDamaged(join(copies, TABLES_FILE), signal)
  })
}

async function refuseDamaged(path: string, signal: AbortSignal): Promise<void> {
  const database = openForReading(path)
  try {
    const { isSound, tables } = await checkDatabase(database, () => signal.throwIfAborted())
    if (!isSound || tables.some(({ damagedRows }) => damagedRows > 0)) throw new DamagedDatabaseError()
  } finally {
    database.close()
  }
}

async function* entriesOf(
  folder: string,
  copies: string,
  previous: BackupIndex | null,
): AsyncGenerator<Entry> {
  const tables = join(copies, TABLES_FILE)
  if (previous === null) yield* entryOf(TABLES_PATH, await open(tables))
  else {
    yield textEntry(INCREMENT_PATHS.previous, JSON.stringify({ previous: previous.id }))
    yield* changedTables(tables, previous)
  }
  for (const name of [KEY_FILE, MASTER_KEY_FILE]) {
    yield* entryOf(`${KEYS_FOLDER}/${name}`, await open(join(folder, KEYS_FOLDER, name)))
  }
  yield* entryOf(MANIFEST_FILE, await open(join(folder, MANIFEST_FILE)))
  if (existsSync(join(folder, CREDENTIALS_FILE))) {
    yield* entryOf(CREDENTIALS_FILE, await open(join(folder, CREDENTIALS_FILE)))
  }
  const files = new Map<string, string>()
  for (const path of CODE_FOLDERS) {
    for await (const [own, file] of codeFiles(folder, path)) {
      if (previous === null) yield* entryOf(own, file)
      else yield* changedFile(own, file, previous, files)
    }
  }
  if (previous !== null) {
    yield textEntry(INCREMENT_PATHS.fileHashes, JSON.stringify(Object.fromEntries(files)))
  }
}

async function* changedTables(tables: string, previous: BackupIndex): AsyncGenerator<Entry> {
  const hashes = await hashBlocks(createReadStream(tables))
  const changed = changedBlocks(hashes, previous.blocks)
  yield {
    path: INCREMENT_PATHS.blocks,
    size: numberedBytes(changed.length),
    isExecutable: false,
    content: numberedBlocks(createReadStream(tables), changed),
  }
  yield bytesEntry(INCREMENT_PATHS.blockHashes, hashes)
}

/** Yields a file unless the previous backup leads to the same, and closes it. @param files gets its hash */
async function* changedFile(
  path: string,
  file: FileHandle,
  previous: BackupIndex,
  files: Map<string, string>,
): AsyncGenerator<Entry> {
  try {
    const hash = await hashContent(file.createReadStream({ autoClose: false, start: 0 }))
    files.set(path, hash)
    if (previous.files.get(path) !== hash) yield await openEntry(path, file)
  } finally {
    await file.close()
  }
}

function textEntry(path: string, text: string): Entry {
  return bytesEntry(path, Buffer.from(text))
}

function bytesEntry(path: string, bytes: Buffer): Entry {
  return { path, size: bytes.length, isExecutable: false, content: Readable.from([bytes]) }
}

/** Skips what is removed meanwhile, such as the code of a deleted function, and what is being written. */
async function* codeFiles(folder: string, path: string): AsyncGenerator<[string, FileHandle]> {
  const names = await readdir(join(folder, path)).catch(orNone([]))
  for (const name of names.filter((each) => !each.endsWith(".tmp"))) {
    const own = `${path}/${name}`
    const stats = await lstat(join(folder, own)).catch(orNone(null))
    if (stats?.isDirectory()) yield* codeFiles(folder, own)
    else if (stats?.isFile()) {
      const file = await open(join(folder, own)).catch(orNone(null))
      if (file !== null) yield [own, file]
    }
  }
}

/** Yields an open file as an entry, and closes it. Whoever removes it meanwhile does not take its content away. */
async function* entryOf(path: string, file: FileHandle): AsyncGenerator<Entry> {
  try {
    yield await openEntry(path, file)
  } finally {
    await file.close()
  }
}

async function openEntry(path: string, file: FileHandle): Promise<Entry> {
  const { size, mode } = await file.stat()
  const content = file.createReadStream({ autoClose: false, start: 0 })
  return { path, size, isExecutable: (mode & 0o100) !== 0, content }
}

/** Into another file first, so that an existing backup is always complete. */
async function writeWhole(
  file: string,
  content: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<number> {
  await removeDeadDrafts(dirname(file), DRAFT_PREFIX)
  const draft = await createDraftFolder(dirname(file), DRAFT_PREFIX)
  const whole = join(draft.path, "backup")
  let bytes = 0
  const onWritten = (added: number) => {
    bytes += added
    onProgress(bytes)
  }
  try {
    await writePieces(whole, 0o600, content, { onWritten, signal })
    await rename(whole, file)
    await syncFolder(dirname(file))
    return bytes
  } finally {
    await draft.remove()
  }
}

function orNone<None>(none: None): (error: unknown) => None {
  return (error) => {
    if (errorCodeOf(error) === "ENOENT") return none
    throw error
  }
}
