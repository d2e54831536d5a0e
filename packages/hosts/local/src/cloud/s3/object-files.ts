import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { open, readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { errorCodeOf } from "@sealway/kernel"
import * as z from "zod"
import type { NamedPart, UploadedPart } from "./object-store.ts"
import { S3Error } from "./s3-error.ts"

const LINE_END = 0x0a
const HEAD_BYTES = 64 * 1024
/** In the folder of an upload while it accepts parts. */
export const UPLOAD_FILE = "upload.json"
/** In the same folder: a part, by its number and ETag. */
const PART_FILE = /^(?<number>\d{5})-(?<etag>[0-9a-f]{32})$/

/**
 * The first line of an object's file. The key is there for people: nothing reads it. The bytes of an object follow, or
 * are in the parts of an upload.
 */
export const headSchema = z.object({
  key: z.string(),
  upload: z
    .object({ id: z.string(), parts: z.array(z.object({ file: z.string(), size: z.number() })) })
    .optional(),
})
export const uploadSchema = z.object({ key: z.string(), createdAt: z.number() })

/** A part of an object, and the file that has it. */
export interface Piece {
  readonly path: string
  /** Where its bytes begin in the file, and in the object. */
  readonly offset: number
  readonly start: number
  readonly size: number
}

/** Reads the head of an object's file. @throws S3Error `NoSuchKey` when there is none */
export async function readHead(file: string) {
  const handle = await open(file, "r").catch((error) => {
    throw isNamed(error, "ENOENT") ? new S3Error("NoSuchKey") : error
  })
  try {
    const { size: fileBytes } = await handle.stat()
    let start = Buffer.alloc(0)
    let headEnd = -1
    while (headEnd === -1) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, start.length)
      if (bytesRead === 0) throw new Error("An object's file has no head")
      start = Buffer.concat([start, buffer.subarray(0, bytesRead)])
      headEnd = start.indexOf(LINE_END)
    }
    const head = headSchema.parse(JSON.parse(start.toString("utf8", 0, headEnd)))
    return { head, headBytes: headEnd + 1, fileBytes }
  } finally {
    await handle.close()
  }
}

/** Reads an object from a position to before another one. */
export async function* readPieces(
  pieces: readonly Piece[],
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void, void> {
  for (const piece of pieces) {
    const from = Math.max(start, piece.start) - piece.start
    const to = Math.min(end, piece.start + piece.size) - piece.start
    // `end` of Node.js is the last byte.
    if (from < to) {
      yield* createReadStream(piece.path, { start: piece.offset + from, end: piece.offset + to - 1 })
    }
  }
}

/** Writes bytes to a new file, durably. Returns their MD5. */
export async function writeDraft(draft: string, content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("md5")
  const file = await open(draft, "wx", 0o600)
  try {
    for await (const piece of content) {
      hash.update(piece)
      await file.writeFile(piece)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return hash.digest("hex")
}

/** Returns the name of a part's file. */
export function nameOf({ number, etag }: NamedPart): string {
  return `${String(number).padStart(5, "0")}-${etag}`
}

/** Returns the parts by number. Of two with one number, which a crash may leave, the newer one. */
export async function partsIn(path: string): Promise<readonly UploadedPart[]> {
  const newest = new Map<number, UploadedPart & { readonly writtenAt: number }>()
  for (const name of await readdir(path)) {
    const { number, etag = "" } = PART_FILE.exec(name)?.groups ?? {}
    if (number === undefined) continue
    const { size, mtimeMs: writtenAt } = await stat(join(path, name))
    const other = newest.get(Number(number))
    if (other === undefined || other.writtenAt < writtenAt) {
      newest.set(Number(number), { number: Number(number), etag, size, writtenAt })
    }
  }
  return [...newest.values()]
    .map(({ number, etag, size }) => ({ number, etag, size }))
    .sort((left, right) => left.number - right.number)
}

/** Whether an error of the file system has one of these codes. */
export function isNamed(error: unknown, ...codes: string[]): boolean {
  return codes.includes(errorCodeOf(error))
}
