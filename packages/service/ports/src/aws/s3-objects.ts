import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListPartsCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from "@aws-sdk/client-s3"
import type { Objects, StoredUpload } from "../ports/objects.ts"
import { regionalEndpoint } from "./endpoints.ts"
import { createUrlSigner } from "./sign-url.ts"

/** Creates a client for `createS3Objects`. */
export function createS3Client(config: S3ClientConfig): S3Client {
  return new S3Client({
    ...config,
    // Only AWS itself supports bucket names as host names.
    forcePathStyle: config.endpoint !== undefined,
    // Parts come from clients, which send no checksum: those of the chunks are in the file.
    requestChecksumCalculation: "WHEN_REQUIRED",
  })
}

/** The objects of a bucket of S3. */
export function createS3Objects(s3: S3Client, bucket: string, wallClock: () => number): Objects {
  const { credentials, region, endpoint } = s3.config
  async function bucketUrl(): Promise<string> {
    if (endpoint === undefined) return `https://${bucket}.${regionalEndpoint("s3", await region()).host}`
    const { protocol, hostname, port } = await endpoint()
    return `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}/${bucket}`
  }
  const named = ({ key, uploadId }: StoredUpload) => ({ Bucket: bucket, Key: key, UploadId: uploadId })
  return {
    ...createUrlSigner({ credentials, region, bucketUrl, wallClock }),

    async put(key, bytes) {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }))
    },

    async get(key) {
      try {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
        return (await Body?.transformToByteArray()) ?? null
      } catch (error) {
        if (error instanceof NoSuchKey) return null
        throw error
      }
    },

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
        // No range is within an empty object.
        if (isNamed(error, "InvalidRange")) return { start: new Uint8Array(), size: 0 }
        throw error
      }
    },
    async remove(key) {
      await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
    },
  }
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof S3ServiceException && error.name === name
}
