import { IV_BYTES, TAG_BYTES } from "../crypto/sizes.ts"

/** How much content a chunk of a streaming file has, as a power of two: 64 bytes to 1 MiB. */
export const CHUNK_EXPONENTS = { min: 6, max: 20 } as const

/** What Sealway writes: 64 KiB. Nonces and tags add 16 bytes to it. */
export const CHUNK_BYTES = 65_536

/** How much longer a chunk is when it is sealed. */
export const CHUNK_OVERHEAD_BYTES = TAG_BYTES

/** Chunks are numbered with 32 bits: the largest file has 256 TiB in chunks of 64 KiB. */
const MAX_CHUNKS = 2 ** 32

/** Where a streaming file has what. All sizes are in bytes. */
export interface StreamLayout {
  /** Where the first chunk begins. */
  readonly headerBytes: number
  /** The content of each chunk but the last. */
  readonly chunkBytes: number
  /** The content. */
  readonly plaintextBytes: number
}

/** A part of a sequence of bytes, or of chunks: from `start` to before `end`. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Returns how many chunks a file has: an empty file has one. */
export function chunksOf({ chunkBytes, plaintextBytes }: Omit<StreamLayout, "headerBytes">): number {
  return Math.max(1, Math.ceil(plaintextBytes / chunkBytes))
}

/** Returns the length of a whole sealed file. */
export function sealedBytesOf(layout: StreamLayout): number {
  return layout.headerBytes + layout.plaintextBytes + chunksOf(layout) * CHUNK_OVERHEAD_BYTES
}

/** Returns the length of a file's content by that of the sealed file; null when no file is that long. */
export function plaintextBytesOf(
  sealedBytes: number,
  { headerBytes, chunkBytes }: Omit<StreamLayout, "plaintextBytes">,
): number | null {
  const chunks = Math.ceil((sealedBytes - headerBytes) / (chunkBytes + CHUNK_OVERHEAD_BYTES))
  const plaintextBytes = sealedBytes - headerBytes - chunks * CHUNK_OVERHEAD_BYTES
  // An empty last chunk does not follow another one.
  const isFile = chunks > 0 && chunks <= MAX_CHUNKS && chunks === chunksOf({ chunkBytes, plaintextBytes })
  return isFile && plaintextBytes >= 0 ? plaintextBytes : null
}

/** Returns the chunks that hold a part of the content. An empty part is held by the chunk where it is. */
export function chunksWith(layout: StreamLayout, { start, end }: Range): Range {
  const first = Math.min(Math.floor(start / layout.chunkBytes), chunksOf(layout) - 1)
  return { start: first, end: Math.max(first + 1, Math.ceil(end / layout.chunkBytes)) }
}

/** Returns where chunks are in the sealed file. */
export function sealedRangeOf(layout: StreamLayout, chunks: Range): Range {
  const offsetOf = (chunk: number) =>
    Math.min(layout.headerBytes + chunk * (layout.chunkBytes + CHUNK_OVERHEAD_BYTES), sealedBytesOf(layout))
  return { start: offsetOf(chunks.start), end: offsetOf(chunks.end) }
}

/**
 * Returns the nonce of a chunk: its number in 11 bytes, big-endian, and 1 for the last one, else 0. This is STREAM (Hoang,
 * Reyhanitabar, Rogaway and Vizár: "Online Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance", 2015).
 *
 * @throws RangeError when a file cannot have so many chunks
 */
export function chunkNonce(chunk: number, isLast: boolean): Uint8Array<ArrayBuffer> {
  if (chunk >= MAX_CHUNKS) throw new RangeError("The file has too many chunks")
  const nonce = new Uint8Array(IV_BYTES)
  new DataView(nonce.buffer).setUint32(IV_BYTES - 5, chunk)
  nonce[IV_BYTES - 1] = isLast ? 1 : 0
  return nonce
}
