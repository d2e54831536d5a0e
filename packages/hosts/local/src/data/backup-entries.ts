import * as z from "zod"
import { BackupError } from "../cloud/errors.ts"

/* The content of a backup: for each file 4 bytes (big-endian) with the length of a JSON object `{path, size,
isExecutable}`, the object, and the file's bytes. It ends with four zero bytes. */
const LENGTH_BYTES = 4
const MAX_HEAD_BYTES = 16 * 1024

/** Deployed functions; the code that deployments are made of, and files. */
export const CODE_FOLDERS = ["lambda", "s3"] as const
export const TABLES_PATH = "dynamodb/tables.db"

/* What a backup made since another one has besides: first the id of that one; the changed blocks of the tables instead of
all, each 4 bytes with its number and 4,096 of content; of the code what is new. And last the hashes of all blocks and of all
code, so that the next backup can be made since this one. */
export const INCREMENT_PATHS = {
  previous: "increment/previous.json",
  blocks: "increment/blocks",
  blockHashes: "increment/block-hashes",
  fileHashes: "increment/file-hashes.json",
} as const

/** Files of the data folder, the code of functions, and what an increment has. No path leads out of the folder. */
const PATH =
  /^(?:manifest\.json|credentials\.json|kms\/(?:keys\.json|master-key)|dynamodb\/tables\.db|increment\/(?:previous\.json|blocks|block-hashes|file-hashes\.json)|(?:lambda|s3)(?:\/(?!\.{1,2}(?:\/|$))[^/\\\0]+)+)$/

/** Whether a path is that of functions' code or of a file. */
export function isCode(path: string): boolean {
  return CODE_FOLDERS.some((folder) => path.startsWith(`${folder}/`))
}

const headSchema = z.strictObject({
  path: z.string().regex(PATH),
  size: z.int().min(0),
  isExecutable: z.boolean(),
})

export type EntryHead = z.infer<typeof headSchema>

export interface Entry extends EntryHead {
  /** Has exactly `size` bytes. */
  readonly content: AsyncIterable<Uint8Array>
}

export async function* writeEntries(entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array> {
  for await (const { content, ...head } of entries) {
    const bytes = Buffer.from(JSON.stringify(headSchema.parse(head)))
    if (bytes.length > MAX_HEAD_BYTES) throw new BackupError("A path is too long for a backup.")
    yield Buffer.concat([uint32(bytes.length), bytes])
    let left = head.size
    for await (const piece of content) {
      left -= piece.length
      if (left < 0) break
      yield piece
    }
    if (left !== 0) throw new BackupError(`${head.path} changed while it was being read. Try again.`)
  }
  yield uint32(0)
}

/** Yields the entries. The content of each must be read before the next one. @throws BackupError */
export async function* readEntries(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  const source = new ByteSource(stream)
  for (;;) {
    const length = (await source.take(LENGTH_BYTES)).readUInt32BE()
    if (length === 0) break
    if (length > MAX_HEAD_BYTES) throw malformed()
    const head = parseHead(await source.take(length))
    yield { ...head, content: source.pieces(head.size) }
  }
  // Reads on to the end: only then is it certain that nothing is missing.
  if (!(await source.isAtEnd())) throw malformed()
}

function parseHead(bytes: Buffer): EntryHead {
  try {
    return headSchema.parse(JSON.parse(bytes.toString()))
  } catch (error) {
    throw malformed(error)
  }
}

function malformed(cause?: unknown): BackupError {
  return new BackupError("The backup contains something that this version of Sealway does not know.", {
    cause,
  })
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES)
  bytes.writeUInt32BE(value)
  return bytes
}

class ByteSource {
  readonly #stream: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#stream = stream[Symbol.asyncIterator]()
  }

  async *pieces(size: number): AsyncGenerator<Uint8Array> {
    let left = size
    while (left > 0) {
      if (this.#rest.length === 0 && !(await this.#fill())) throw malformed()
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  async take(size: number): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(this.pieces(size)))
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#fill())
  }

  /** Returns false at the end of the stream. */
  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#stream.next()
      if (done === true) return false
      this.#rest = value
    }
    return true
  }
}
