import { CHUNK_BYTES, sealedBytesOf, streamHeaderBytes } from "@sealway/tokens"

/** S3's limit. */
const MAX_PARTS = 10_000
/** 8 MiB of content: few requests, and little memory for clients that hold a part. */
const USUAL_CHUNKS = 128
/** 32 MiB of content, for files that would have too many parts. */
const MOST_CHUNKS = 512

/** The largest content: 10,000 parts of 32 MiB hold a little more. */
export const MAX_FILE_BYTES = 256 * 1024 ** 3

/** What decides on the parts of a file. */
export interface FileSize {
  /** The length of the content in bytes. */
  readonly size: number
  /** Slug of the data role; null for none. It is in the header. */
  readonly role: string | null
}

/** How a file is uploaded. */
export interface UploadParts {
  /** The content of a chunk. */
  readonly chunkBytes: number
  /** The content of a part, a whole number of chunks. The last one may have less. */
  readonly partBytes: number
  readonly parts: number
}

/** Returns how a file is cut into parts: the header is at the start of the first. */
export function uploadPartsOf({ size }: Pick<FileSize, "size">): UploadParts {
  const isLarge = size > MAX_PARTS * USUAL_CHUNKS * CHUNK_BYTES
  const partBytes = (isLarge ? MOST_CHUNKS : USUAL_CHUNKS) * CHUNK_BYTES
  return { chunkBytes: CHUNK_BYTES, partBytes, parts: Math.max(1, Math.ceil(size / partBytes)) }
}

/** Returns the length of a sealed part. @param number 1 for the first */
export function sealedPartBytes(file: FileSize, number: number): number {
  const { partBytes } = uploadPartsOf(file)
  const start = (number - 1) * partBytes
  const plaintextBytes = Math.min(partBytes, file.size - start)
  const headerBytes = number === 1 ? streamHeaderBytes(file.role) : 0
  return sealedBytesOf({ headerBytes, chunkBytes: CHUNK_BYTES, plaintextBytes })
}

/** Returns the length of the whole sealed file. */
export function sealedFileBytes({ size, role }: FileSize): number {
  return sealedBytesOf({
    headerBytes: streamHeaderBytes(role),
    chunkBytes: CHUNK_BYTES,
    plaintextBytes: size,
  })
}
