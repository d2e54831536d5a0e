import { joinBytes } from "../clients/join-bytes.ts"
import { subtle, type WebKey } from "../clients/web/web-crypto.ts"
import { DamagedFileError } from "./damaged-file-error.ts"
import { freeBuffer } from "./free-buffer.ts"
import { STREAM_KEY_BYTES } from "./stream-header.ts"
import {
  CHUNK_OVERHEAD_BYTES,
  chunkNonce,
  chunksOf,
  chunksWith,
  type Range,
  type StreamLayout,
  sealedRangeOf,
} from "./stream-layout.ts"

/** How many chunks are encrypted at the same time: as many as use the processors, and few enough for the memory. */
const CHUNKS_AT_ONCE = 8

/** The key of one streaming file's chunks. */
export interface StreamKey {
  readonly webKey: WebKey
}

/** Imports the key of a file. @throws TypeError when it is not 32 bytes */
export async function importStreamKey(bytes: Uint8Array): Promise<StreamKey> {
  if (bytes.length !== STREAM_KEY_BYTES) throw new TypeError("The key of a file has 32 bytes")
  const raw = Uint8Array.from(bytes)
  return { webKey: await subtle().importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]) }
}

/** What `sealChunks` seals. */
export interface ChunksToSeal {
  readonly layout: StreamLayout
  /** The number of the first chunk. */
  readonly first: number
  /** The content from the first chunk on: of whole chunks, or up to the file's end. */
  readonly plaintext: Uint8Array<ArrayBuffer>
}

/**
 * Seals chunks of a file. Never seal two contents as the same chunk: the nonce is the chunk's number.
 *
 * @returns the chunks, one after the other
 * @throws RangeError when the content ends within a chunk that is not the last
 */
export async function sealChunks(
  { webKey }: StreamKey,
  { layout, first, plaintext }: ChunksToSeal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { chunkBytes, plaintextBytes } = layout
  const end = first * chunkBytes + plaintext.length
  if (end > plaintextBytes || (end < plaintextBytes && plaintext.length % chunkBytes !== 0)) {
    throw new RangeError("The content does not end where a chunk ends")
  }
  const count = Math.max(1, Math.ceil(plaintext.length / chunkBytes))
  const last = chunksOf(layout) - 1
  const sealed = new Uint8Array(plaintext.length + count * CHUNK_OVERHEAD_BYTES)
  const sealOne = async (index: number) => {
    const chunk = first + index
    const content = plaintext.subarray(index * chunkBytes, (index + 1) * chunkBytes)
    const algorithm = { name: "AES-GCM", iv: chunkNonce(chunk, chunk === last) }
    const bytes = await subtle().encrypt(algorithm, webKey, content)
    sealed.set(new Uint8Array(bytes), index * (chunkBytes + CHUNK_OVERHEAD_BYTES))
    freeBuffer(bytes)
  }
  for (let at = 0; at < count; at += CHUNKS_AT_ONCE) {
    const some = Math.min(CHUNKS_AT_ONCE, count - at)
    await Promise.all(Array.from({ length: some }, (_, index) => sealOne(at + index)))
  }
  return sealed
}

/** A part of a file that is uploaded in parts. */
export interface PartToSeal extends Omit<StreamLayout, "headerBytes"> {
  /** Of `startStream`: the first part begins with it. */
  readonly header: Uint8Array
  /** Where the part begins in the content: where a chunk does. */
  readonly start: number
  readonly plaintext: Uint8Array<ArrayBuffer>
}

/** Seals a part, as `sealChunks` does. @returns the header too, for the first part */
export async function sealPart(
  key: StreamKey,
  { header, start, plaintext, ...sizes }: PartToSeal,
): Promise<Uint8Array<ArrayBuffer>> {
  const layout = { ...sizes, headerBytes: header.length }
  const sealed = await sealChunks(key, { layout, first: start / sizes.chunkBytes, plaintext })
  if (start !== 0) return sealed
  const part = joinBytes([header, sealed])
  freeBuffer(sealed.buffer)
  return part
}

/**
 * Opens a part of a file, chunk by chunk: each is authentic, and in its place, when it is yielded. The end is only known to
 * be the file's end when the part ends there.
 *
 * @param part of the content, within it
 * @param sealed the sealed file's bytes from `sealedRangeFor(layout, part).start` on
 * @throws DamagedFileError when a chunk is not this file's chunk at its place, or the bytes end before the part does, or
 * continue after it
 */
export async function* openPart(
  key: StreamKey,
  layout: StreamLayout,
  part: Range,
  sealed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const { chunkBytes } = layout
  const chunks = chunksWith(layout, part)
  const { start, end } = sealedRangeOf(layout, chunks)
  let left = end - start
  let chunk = chunks.start
  for await (const bytes of inBlocks(sealed, chunkBytes + CHUNK_OVERHEAD_BYTES)) {
    left -= bytes.length
    const isFull = bytes.length === chunkBytes + CHUNK_OVERHEAD_BYTES
    if (left < 0 || (left > 0 && !isFull)) throw new DamagedFileError()
    const content = await openChunk(key, layout, chunk, bytes)
    const offset = chunk * chunkBytes
    const wanted = content.subarray(Math.max(0, part.start - offset), Math.max(0, part.end - offset))
    if (wanted.length > 0) yield wanted
    chunk++
  }
  if (left !== 0) throw new DamagedFileError()
}

/** Returns which bytes of the sealed file `openPart` needs for a part of the content. */
export function sealedRangeFor(layout: StreamLayout, part: Range): Range {
  return sealedRangeOf(layout, chunksWith(layout, part))
}

async function openChunk(
  { webKey }: StreamKey,
  layout: StreamLayout,
  chunk: number,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = chunkNonce(chunk, chunk === chunksOf(layout) - 1)
  try {
    return new Uint8Array(await subtle().decrypt({ name: "AES-GCM", iv }, webKey, bytes))
  } catch {
    throw new DamagedFileError()
  }
}

/** Yields the bytes in blocks of a size; the last one may be shorter. All are one buffer: the next one overwrites it. */
async function* inBlocks(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const block = new Uint8Array(size)
  let length = 0
  for await (const piece of source) {
    for (let at = 0; at < piece.length; ) {
      const taken = piece.subarray(at, at + size - length)
      block.set(taken, length)
      at += taken.length
      length += taken.length
      if (length < size) continue
      yield block
      length = 0
    }
  }
  if (length > 0) yield block.subarray(0, length)
}
