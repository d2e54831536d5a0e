import { S3Error } from "./s3-error.ts"

export interface OpenObject {
  readonly size: number
  /** Reads from a position to before another one. */
  read(start: number, end: number): AsyncIterable<Uint8Array>
}

/** An upload in parts. */
export interface UploadName {
  readonly bucket: string
  readonly key: string
  readonly uploadId: string
}

export interface NamedPart {
  /** 1 to 10,000. */
  readonly number: number
  /** The MD5 of its bytes, in hexadecimal. */
  readonly etag: string
}

export interface UploadedPart extends NamedPart {
  readonly size: number
}

/**
 * Buckets and their objects.
 *
 * @throws S3Error with `NoSuchBucket`, `NoSuchKey`, `NoSuchUpload`, `InvalidPart`, `EntityTooSmall`, or `ServiceUnavailable` when the disk is full
 */
export interface ObjectStore {
  /** Does nothing when the bucket exists. */
  createBucket(bucket: string): Promise<void>
  /** Once this resolves, the object can be read even after a crash or a power cut. */
  put(bucket: string, key: string, bytes: Uint8Array): Promise<void>
  open(bucket: string, key: string): Promise<OpenObject>
  /** Does nothing when there is none with this key. */
  remove(bucket: string, key: string): Promise<void>
  /** Returns the id of the upload. */
  createUpload(bucket: string, key: string): Promise<string>
  /** Stores a part, as durably as an object, in the place of an earlier one with its number. Returns its ETag. */
  putPart(upload: UploadName, number: number, content: AsyncIterable<Uint8Array>): Promise<string>
  /** Returns the parts by number. */
  listParts(upload: UploadName): Promise<readonly UploadedPart[]>
  /** Makes an object of parts. From then on, the upload accepts none. */
  completeUpload(upload: UploadName, parts: readonly NamedPart[]): Promise<void>
  abortUpload(upload: UploadName): Promise<void>
}

/** As in S3, all parts but the last must have so many bytes. */
const MIN_PART_BYTES = 5 * 1024 * 1024

/**
 * Returns the stored parts that a completed upload consists of.
 *
 * @throws S3Error `InvalidPart` when one is missing or has changed, `InvalidPartOrder`, or `EntityTooSmall`
 */
export function chooseParts(
  stored: readonly UploadedPart[],
  wanted: readonly NamedPart[],
): readonly UploadedPart[] {
  if (wanted.length === 0) throw new S3Error("InvalidArgument")
  const byNumber = new Map(stored.map((part) => [part.number, part]))
  return wanted.map(({ number, etag }, index) => {
    const found = byNumber.get(number)
    if (found?.etag !== etag) throw new S3Error("InvalidPart")
    if (number <= (wanted[index - 1]?.number ?? 0)) throw new S3Error("InvalidPartOrder")
    if (index < wanted.length - 1 && found.size < MIN_PART_BYTES) throw new S3Error("EntityTooSmall")
    return found
  })
}
