import type { FileHandle } from "node:fs/promises"
import { constants, rename, stat } from "node:fs/promises"
import type { Writable } from "node:stream"
import { decryptFile, type FileGrant, type Transport } from "@sealway/sdk/api"
import {
  DamagedFileError,
  importStreamKey,
  openPart,
  type Range,
  sealedRangeFor,
} from "@sealway/tokens/portable"
import { openOwn } from "../files/open-own.ts"
import { reasonOf } from "../files/read-input.ts"
import { CommandFailure, UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { askStorage, tryStorage } from "./storage-request.ts"

export interface Download {
  readonly host: CliHost
  readonly service: Transport
  readonly fileId: string
  /** A part of the content; null: all of it. `end` may be past it. */
  readonly range: Range | null
  readonly onProgress: (bytes: number, size: number) => void
  /** Frees memory: the chunks of some megabytes leave as much garbage. */
  readonly collect: () => void
}

/** How much is written between two collections. */
const COLLECTED_BYTES = 8_388_608

/** @param position of the piece in what is written */
type Write = (piece: Uint8Array, position: number) => Promise<void>

/** Writes a file, or a part of it, to a stream. What is written is authentic; an incomplete file ends with a failure. */
export async function downloadToStream(download: Download, stream: Writable): Promise<void> {
  await readContent(download, await askForGrant(download), 0, async (piece) => {
    await new Promise<void>((resolve, reject) => {
      stream.write(piece, (error) => (error ? reject(error) : resolve()))
    })
  })
}

/**
 * Writes a file, or a part of it, to a new file, which appears when it is complete. An interrupted download goes on where
 * it ended.
 *
 * @throws UsageFailure when there is a file of that name, or it cannot be written
 */
export async function downloadToFile(download: Download, path: string): Promise<void> {
  await requireNone(path)
  const grant = await askForGrant(download)
  const { range, fileId } = download
  const part = range === null ? "" : `.${range.start}-${range.end}`
  const partial = `${path}.${fileId}${part}.partial`
  const flags = constants.O_RDWR | constants.O_CREAT
  const file = await openOwn(partial, flags, download.host.userId).catch(refuseOutput)
  try {
    const { size } = await file.stat()
    const bytes = await readContent(download, grant, size, (piece, position) =>
      writeAt(file, piece, position).catch(refuseOutput),
    )
    await file.truncate(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await requireNone(path)
  await rename(partial, path).catch(refuseOutput)
}

async function requireNone(path: string): Promise<void> {
  if ((await stat(path).catch(() => null)) === null) return
  throw new UsageFailure("The output file already exists. Choose another name.")
}

function refuseOutput(error: unknown): never {
  if (error instanceof UsageFailure) throw error
  throw new UsageFailure(`The output file cannot be written${reasonOf(error)}.`, { cause: error })
}

/** Not by appending: two downloads to the same file would both append. So they write the same bytes to the same place. */
async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at)
    at += bytesWritten
  }
}

/**
 * @param known how much of the wanted content is there already; a whole number of chunks of it is kept
 * @returns the length of the wanted content
 */
async function readContent(
  download: Download,
  firstGrant: FileGrant,
  known: number,
  write: Write,
): Promise<number> {
  const { host, range, onProgress, collect } = download
  let grant = firstGrant
  const wanted = clamp(range ?? { start: 0, end: grant.size }, grant.size)
  const firstEdge = wanted.start - (wanted.start % grant.chunkBytes)
  // Only what ends with a chunk is certain to be complete.
  const reached = wanted.start + Math.min(known, wanted.end - wanted.start)
  const edge = reached === wanted.end ? reached : reached - ((reached - firstEdge) % grant.chunkBytes)
  let position = Math.max(wanted.start, edge)
  let collectedAt = position
  let isFirst = true
  let isDone = false
  /** Returns null when nothing came: an attempt that brought something does not count as failed. */
  const readOn = async () => {
    if (!isFirst) grant = await askForGrant(download)
    isFirst = false
    const before = position
    const outcome = await readOnce(host, grant, { start: position, end: wanted.end }, async (piece) => {
      await write(piece, position - wanted.start)
      position += piece.length
      onProgress(position - wanted.start, wanted.end - wanted.start)
      if (position - collectedAt < COLLECTED_BYTES) return
      collect()
      collectedAt = position
    })
    isDone = outcome !== null
    return isDone || position > before ? true : null
  }
  while (!isDone) await tryStorage(host, readOn, "The storage does not serve the file.")
  return wanted.end - wanted.start
}

/** Returns null when the connection broke, or the URL has expired. */
async function readOnce(
  host: CliHost,
  grant: FileGrant,
  part: Range,
  write: (piece: Uint8Array) => Promise<void>,
): Promise<true | null> {
  const { headerBytes, chunkBytes, size: plaintextBytes } = grant
  const layout = { headerBytes, chunkBytes, plaintextBytes }
  // A part that is empty is proved by nothing, but the last chunk of the file.
  const { start, end } = sealedRangeFor(layout, part)
  const headers = { range: `bytes=${start}-${end - 1}` }
  const answer = await askStorage(host, grant.url, { method: "GET", headers })
  if (answer?.status !== 206 || answer.body === null) return null
  const key = await importStreamKey(Buffer.from(grant.key, "base64"))
  const source = { received: 0, isBroken: false }
  try {
    for await (const piece of openPart(key, layout, part, counted(answer.body, source))) await write(piece)
    return true
  } catch (error) {
    host.signal.throwIfAborted()
    if (source.isBroken || source.received < end - start) return null
    if (!(error instanceof DamagedFileError)) throw error
    throw new CommandFailure(
      "damaged-file",
      "The stored file is damaged, or it was replaced. Nothing more of it was written.",
      undefined,
      { cause: error },
    )
  }
}

async function* counted(body: AsyncIterable<Uint8Array>, source: { received: number; isBroken: boolean }) {
  try {
    for await (const piece of body) {
      source.received += piece.length
      yield piece
    }
  } catch (error) {
    source.isBroken = true
    throw error
  }
}

function askForGrant({ service, fileId }: Download): Promise<FileGrant> {
  return decryptFile(service, { fileId })
}

function clamp({ start, end }: Range, size: number): Range {
  if (start > size) throw new UsageFailure(`The range begins after the file's end: it has ${size} bytes.`)
  return { start, end: Math.min(end, size) }
}
