import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { KB } from "@sealway/kernel"
import { type BinFile, BinFileError, type BinFileSource, indexBinFile } from "@sealway/kernel/bin-file"
import { reasonOf } from "../files/read-input.ts"
import { UsageFailure } from "../terminal/failures.ts"

const CHUNK_BYTES = 256 * KB
const RECORDS_PER_PROGRESS = 50_000

/** A CSV file of ranges that stays open. */
export interface IndexedFile extends BinFile {
  close(): void
}

/**
 * Reads a file once, and sorts its records as a BIN table requires it. Only their positions are in memory.
 *
 * @throws UsageFailure when it cannot be read twice, or is not CSV with a `from` column
 */
export function indexFile(
  path: string,
  delimiter: string,
  onProgress: (records: number) => void,
): IndexedFile {
  const descriptor = open(path)
  try {
    const file = asUsage(() => readIndex(createSource(descriptor), delimiter, onProgress))
    return { ...file, batch: (start) => asUsage(() => file.batch(start)), close: () => closeSync(descriptor) }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

function readIndex(source: BinFileSource, delimiter: string, onProgress: (records: number) => void): BinFile {
  const indexing = indexBinFile(source, delimiter)
  let told = 0
  let step = indexing.next()
  for (; step.done !== true; step = indexing.next()) {
    if (step.value - told < RECORDS_PER_PROGRESS) continue
    told = step.value
    onProgress(told)
  }
  return step.value
}

/** Turns a refusal of the file into one of the command line, which names the file. */
function asUsage<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof BinFileError)) throw error
    throw new UsageFailure(error.message, { cause: error })
  }
}

function createSource(descriptor: number): BinFileSource {
  const window = Buffer.alloc(CHUNK_BYTES)
  let windowStart = 0
  let windowBytes = 0
  return {
    chunks: chunksOf(descriptor),
    bytes({ offset, length }, access) {
      const isHere = offset >= windowStart && offset + length <= windowStart + windowBytes
      if (!isHere) {
        const wanted = access === "forward" ? window.length : length
        windowBytes = readSync(descriptor, window, 0, wanted, offset)
        windowStart = offset
        if (windowBytes < length) throw new BinFileError("The file became shorter while it was being read.")
      }
      return window.subarray(offset - windowStart, offset - windowStart + length)
    },
  }
}

function* chunksOf(descriptor: number): Generator<Uint8Array> {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let position = 0; ; ) {
    const bytes = readSync(descriptor, chunk, 0, chunk.length, position)
    if (bytes === 0) return
    position += bytes
    yield chunk.subarray(0, bytes)
  }
}

/** @throws UsageFailure when it is not a file that can be read twice */
function open(path: string): number {
  let descriptor: number
  try {
    descriptor = openSync(path, "r")
  } catch (error) {
    throw new UsageFailure(`${path} cannot be read${reasonOf(error)}.`, { cause: error })
  }
  if (fstatSync(descriptor).isFile()) return descriptor
  closeSync(descriptor)
  throw new UsageFailure(
    `${path} is not a regular file. An import reads its file twice, so it cannot read from a pipe.`,
  )
}
