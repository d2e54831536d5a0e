import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import * as z from "zod"
import { BackupError } from "../cloud/errors.ts"
import { INCREMENT_PATHS, isCode, readEntries, TABLES_PATH } from "./backup-entries.ts"
import { type DeriveKey, HEADER_BYTES, openStream } from "./sealed-stream.ts"

/** What is compared of the tables: SQLite's pages, which a copy has in the same places. */
export const BLOCK_BYTES = 4_096
/** The first of SHA-256. */
const HASH_BYTES = 16
const ID_BYTES = 16

/** What a backup leads to, with those that it follows. */
export interface BackupIndex {
  readonly id: string
  /** The hashes of the blocks of the tables, one after another. */
  readonly blocks: Buffer
  /** The hashes of functions' code and files, by path. */
  readonly files: ReadonlyMap<string, string>
}

const filesSchema = z.record(z.string(), z.string())
const incrementSchema = z.strictObject({ previous: z.string() })

/** Returns the id of a backup, which no other file has: its header has a random salt. @throws BackupError */
export async function backupIdOf(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    const { bytesRead } = await handle.read(header, 0, HEADER_BYTES, 0)
    if (bytesRead < HEADER_BYTES) throw new BackupError("The file is not a Sealway backup.")
    return createHash("sha256")
      .update(header)
      .digest("hex")
      .slice(0, 2 * ID_BYTES)
  } finally {
    await handle.close()
  }
}

/**
 * Reads all of a backup, so that nothing follows one that cannot be restored.
 *
 * @throws BackupError when it cannot be opened, or is incomplete
 */
export async function readIndex(
  file: string,
  passphrase: string,
  deriveKey: DeriveKey | undefined,
  signal: AbortSignal,
): Promise<BackupIndex> {
  let blocks: Buffer = Buffer.alloc(0)
  let files = new Map<string, string>()
  for await (const { path, content } of readEntries(
    openStream(passphrase, createReadStream(file), deriveKey),
  )) {
    signal.throwIfAborted()
    if (path === TABLES_PATH) blocks = await hashBlocks(content)
    else if (path === INCREMENT_PATHS.blockHashes) blocks = await collect(content)
    else if (path === INCREMENT_PATHS.fileHashes) {
      files = await readFileHashes(content)
    } else if (isCode(path)) files.set(path, await hashContent(content))
    else for await (const _ of content);
  }
  return { id: await backupIdOf(file), blocks, files }
}

/** Returns the hashes of functions' code and files, by path. */
export async function readFileHashes(content: AsyncIterable<Uint8Array>): Promise<Map<string, string>> {
  return new Map(Object.entries(filesSchema.parse(JSON.parse((await collect(content)).toString()))))
}

/** Returns the id that an increment follows. @throws BackupError */
export async function readPrevious(content: AsyncIterable<Uint8Array>): Promise<string> {
  const parsed = incrementSchema.safeParse(JSON.parse((await collect(content)).toString()))
  if (!parsed.success) throw new BackupError("The backup was made by a later version of Sealway.")
  return parsed.data.previous
}

/** @throws BackupError when the content does not end with a block */
export async function hashBlocks(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const hashes: Buffer[] = []
  for await (const block of blocksOf(content)) hashes.push(hashOf(block))
  return Buffer.concat(hashes)
}

/** Yields the tables' content block by block. @throws BackupError when it does not end with a block */
export async function* blocksOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of content) {
    const bytes = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece])
    let at = 0
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) yield bytes.subarray(at, at + BLOCK_BYTES)
    rest = bytes.subarray(at)
  }
  if (rest.length > 0) throw new BackupError("The tables do not have the form of a database.")
}

/** Returns the numbers of the blocks that another list of hashes does not have in the same place. */
export function changedBlocks(hashes: Buffer, before: Buffer): readonly number[] {
  return Array.from({ length: hashes.length / HASH_BYTES }, (_, index) => index).filter((index) => {
    const [from, to] = [index * HASH_BYTES, (index + 1) * HASH_BYTES]
    return !hashes.subarray(from, to).equals(before.subarray(from, to))
  })
}

/** How many blocks a list of hashes is about. */
export const countBlocks = (hashes: Buffer): number => hashes.length / HASH_BYTES

export async function hashContent(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256")
  for await (const piece of content) hash.update(piece)
  return hash.digest("hex")
}

export async function collect(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content))
}

function hashOf(block: Buffer): Buffer {
  return createHash("sha256").update(block).digest().subarray(0, HASH_BYTES)
}
