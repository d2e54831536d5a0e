import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListPartsCommand,
  NoSuchKey,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3"
import type { Connect, FileConfiguration } from "@sealway/platform"
import { createUrlSigner, type SignedUrl } from "./sign-url.ts"

/** An object, and its upload in parts. */
export interface StoredUpload {
  readonly key: string
  readonly uploadId: string
}

export interface StoredPart {
  /** 1 to 10,000. */
  readonly number: number
  readonly size: number
  /** Without quotes. Changes when the part is uploaded again with other bytes; in the cloud, always. */
  readonly etag: string
}

/** The storage of sealed files. Clients send and receive them by presigned URLs: no file passes through the service. */
export interface FileStorage {
  /** Returns the id of the upload. The bucket's lifecycle aborts it after eight days. */
  createUpload(key: string): Promise<string>
  /** Returns the uploaded parts by number; null when the upload was completed or aborted. */
  listParts(upload: StoredUpload, after?: number): Promise<StoredParts | null>
  /**
   * Makes an object of parts. From then on, no part can be replaced.
   *
   * @returns `changed` when a part was replaced since it was listed, `gone` when the upload was completed or aborted
   */
  completeUpload(
    upload: StoredUpload,
    parts: readonly StoredPart[],
  ): Promise<"completed" | "changed" | "gone">
  /** Does nothing when it was completed or aborted. */
  abortUpload(upload: StoredUpload): Promise<void>
  /** Returns the first bytes of an object and its length; null when there is none. */
  readStart(key: string, bytes: number): Promise<{ readonly start: Uint8Array; readonly size: number } | null>
  /** Does nothing when there is none. */
  remove(key: string): Promise<void>
  /** Returns the URL that accepts one part, of exactly this length. */
  signPart(upload: StoredUpload, part: { readonly number: number; readonly size: number }): Promise<SignedUrl>
  /** Returns the URL that serves an object, in any range. */
  signDownload(key: string): Promise<SignedUrl>
}

export interface StoredParts {
  readonly parts: readonly StoredPart[]
  readonly hasMore: boolean
}

/** How long a part may wait for its turn, and take. */
const PART_SECONDS = 3_600
/** How long a download may take to start, each time it is resumed. */
const DOWNLOAD_SECONDS = 900

/** @param wallClock epoch milliseconds */
export function createFileStorage(
  connect: Connect,
  { bucket }: FileConfiguration,
  wallClock: () => number,
): FileStorage {
  const s3 = connect(
    "s3",
    (config) =>
      new S3Client({
        ...config,
        // Only AWS itself supports bucket names as host names.
        forcePathStyle: config.endpoint !== undefined,
        // Parts come from clients, which send no checksum: those of the chunks are in the file.
        requestChecksumCalculation: "WHEN_REQUIRED",
      }),
  )
  const sign = createUrlSigner(s3, bucket, wallClock)
  const named = ({ key, uploadId }: StoredUpload) => ({ Bucket: bucket, Key: key, UploadId: uploadId })
  return {
    async createUpload(key) {
      const { UploadId = "" } = await s3.send(
        new CreateMultipartUploadCommand({
          Bucket: bucket,
          Key: key,
          ContentType: "application/octet-stream",
        }),
      )
      return UploadId
    },
    async listParts(upload, after = 0) {
      try {
        const { Parts = [], IsTruncated } = await s3.send(
          new ListPartsCommand({ ...named(upload), PartNumberMarker: String(after) }),
        )
        const parts = Parts.map(({ PartNumber = 0, Size = 0, ETag = "" }) => ({
          number: PartNumber,
          size: Size,
          etag: ETag.replaceAll('"', ""),
        }))
        return { parts, hasMore: IsTruncated === true }
      } catch (error) {
        if (isNamed(error, "NoSuchUpload")) return null
        throw error
      }
    },
    async completeUpload(upload, parts) {
      const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
      try {
        await s3.send(new CompleteMultipartUploadCommand({ ...named(upload), MultipartUpload: { Parts } }))
        return "completed"
      } catch (error) {
        if (isNamed(error, "InvalidPart")) return "changed"
        if (isNamed(error, "NoSuchUpload")) return "gone"
        throw error
      }
    },
    async abortUpload(upload) {
      try {
        await s3.send(new AbortMultipartUploadCommand(named(upload)))
      } catch (error) {
        if (!isNamed(error, "NoSuchUpload")) throw error
      }
    },
    async readStart(key, bytes) {
      try {
        const { Body, ContentRange = "" } = await s3.send(
          new GetObjectCommand({ Bucket: bucket, Key: key, Range: `bytes=0-${bytes - 1}` }),
        )
        const start = (await Body?.transformToByteArray()) ?? new Uint8Array()
        return { start, size: Number(/\/(?<size>\d+)$/.exec(ContentRange)?.groups?.size ?? start.length) }
      } catch (error) {
        if (error instanceof NoSuchKey) return null
        throw error
      }
    },
    async remove(key) {
      await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
    },
    signPart: ({ key, uploadId }, { number, size }) =>
      sign({
        method: "PUT",
        key,
        query: { partNumber: String(number), uploadId },
        headers: { "content-length": String(size) },
        expiresIn: PART_SECONDS,
      }),
    signDownload: (key) => sign({ method: "GET", key, query: {}, headers: {}, expiresIn: DOWNLOAD_SECONDS }),
  }
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof S3ServiceException && error.name === name
}
