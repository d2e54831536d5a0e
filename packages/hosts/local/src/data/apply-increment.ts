import { createReadStream, existsSync } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { BackupError } from "../cloud/errors.ts"
import { CODE_FOLDERS, type Entry, INCREMENT_PATHS, TABLES_PATH } from "./backup-entries.ts"
import { type BackupIndex, BLOCK_BYTES, blocksOf, countBlocks, hashBlocks } from "./backup-index.ts"
import { type WritePiecesOptions, writePieces } from "./write-pieces.ts"

const NUMBER_BYTES = 4

/** Yields the blocks with these numbers, each behind its number. @param numbers ascending */
export async function* numberedBlocks(
  content: AsyncIterable<Uint8Array>,
  numbers: readonly number[],
): AsyncGenerator<Uint8Array> {
  const wanted = new Set(numbers)
  let number = 0
  for await (const block of blocksOf(content)) {
    if (wanted.has(number)) yield Buffer.concat([numberBytes(number), block])
    number++
  }
}

/** How long the blocks with their numbers are, in bytes. */
export const numberedBytes = (count: number): number => count * (NUMBER_BYTES + BLOCK_BYTES)

/** Writes one entry of a backup into the folder that it is restored into, over what an earlier backup wrote there. */
export async function applyEntry(folder: string, entry: Entry, options: WritePiecesOptions): Promise<void> {
  const { path, isExecutable, content } = entry
  if (path === INCREMENT_PATHS.blocks) return writeBlocks(join(folder, TABLES_PATH), content, options)
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await rm(target, { force: true })
  await writePieces(target, isExecutable ? 0o700 : 0o600, content, options)
}

async function writeBlocks(
  path: string,
  content: AsyncIterable<Uint8Array>,
  { onWritten, signal }: WritePiecesOptions,
): Promise<void> {
  const tables = await open(path, "r+")
  try {
    let rest: Buffer = Buffer.alloc(0)
    for await (const piece of content) {
      signal.throwIfAborted()
      rest = Buffer.concat([rest, piece])
      let at = 0
      for (; at + NUMBER_BYTES + BLOCK_BYTES <= rest.length; at += NUMBER_BYTES + BLOCK_BYTES) {
        await writeBlock(tables, rest.subarray(at, at + NUMBER_BYTES + BLOCK_BYTES))
      }
      rest = rest.subarray(at)
      onWritten(piece.length)
    }
    await tables.sync()
  } finally {
    await tables.close()
  }
}

function writeBlock(tables: FileHandle, numbered: Buffer) {
  const at = numbered.readUInt32BE() * BLOCK_BYTES
  return tables.write(numbered, NUMBER_BYTES, BLOCK_BYTES, at)
}

/**
 * Gives a folder what an increment leads to: tables of its length, and no code that it does not name.
 *
 * @throws BackupError when code that it names is missing
 */
export async function settleIncrement(
  folder: string,
  blocks: Buffer,
  files: BackupIndex["files"],
): Promise<void> {
  const tables = await open(join(folder, TABLES_PATH), "r+")
  try {
    await tables.truncate(countBlocks(blocks) * BLOCK_BYTES)
    await tables.sync()
  } finally {
    await tables.close()
  }
  if ([...files.keys()].some((path) => !existsSync(join(folder, path)))) throw notTogether()
  for (const name of CODE_FOLDERS) {
    const entries = await readdir(join(folder, name), { withFileTypes: true, recursive: true }).catch(
      () => [],
    )
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name).slice(folder.length + 1)
      if (entry.isFile() && !files.has(path.replaceAll("\\", "/"))) await rm(join(folder, path))
    }
  }
}

/** @throws BackupError when the tables are not those that the last increment leads to */
export async function verifyBlocks(folder: string, blocks: Buffer): Promise<void> {
  const found = await hashBlocks(createReadStream(join(folder, TABLES_PATH)))
  if (!found.equals(blocks)) throw notTogether()
}

function notTogether(): BackupError {
  return new BackupError("The backups do not belong together. Use other copies of them.")
}

function numberBytes(number: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES)
  bytes.writeUInt32BE(number)
  return bytes
}
