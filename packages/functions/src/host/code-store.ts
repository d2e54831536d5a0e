import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3"

/** Stores the zips of customers' source for as long as they are deployed. */
export interface CodeStore {
  put(key: string, zip: Uint8Array): Promise<void>
  /** Returns null when there is none with this key. */
  get(key: string): Promise<Uint8Array | null>
  /** Does nothing when there is none with this key. */
  remove(key: string): Promise<void>
}

export function createCodeStore(s3: S3Client, bucket: string): CodeStore {
  return {
    async put(key, zip) {
      await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key: key, Body: zip, ContentType: "application/zip" }),
      )
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
    async remove(key) {
      await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
    },
  }
}
