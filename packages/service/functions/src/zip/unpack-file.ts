import { setImmediate } from "node:timers/promises"
import { crc32, createInflateRaw } from "node:zlib"
import { damagedZip } from "./invalid-zip-error.ts"
import { type PackedFile, STORED } from "./packed-file.ts"

/** How much is unpacked before yielding to the event loop. */
const CHUNK_BYTES = 256 * 1024
const MIN_CHUNK_BYTES = 1_024

/**
 * Unpacks a file piece by piece, off the event loop.
 *
 * @throws InvalidZipError as soon as there are more bytes than stated, or at the end when the content does not match
 */
export async function* unpackFile(file: PackedFile): AsyncGenerator<Uint8Array, void> {
  let bytes = 0
  let sum = 0
  for await (const chunk of file.method === STORED ? slices(file.packed) : inflated(file)) {
    bytes += chunk.length
    if (bytes > file.bytes) throw damagedZip()
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (bytes !== file.bytes || sum !== file.crc32) throw damagedZip()
}

async function* slices(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += CHUNK_BYTES) {
    yield content.subarray(at, at + CHUNK_BYTES)
    await setImmediate()
  }
}

async function* inflated({ packed, bytes }: PackedFile): AsyncGenerator<Uint8Array> {
  const chunkSize = Math.min(CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, bytes))
  const inflate = createInflateRaw({ chunkSize })
  inflate.end(packed)
  try {
    yield* inflate
  } catch (error) {
    throw damagedZip(error)
  }
  // Most readers ignore bytes after the end of the compressed data, and some do not.
  if (inflate.bytesWritten !== packed.length) throw damagedZip()
}
