import { DeleteObjectsCommand, ListObjectVersionsCommand, type S3Client } from "@aws-sdk/client-s3"

/** S3 deletes no more at once. */
const MAX_DELETED_AT_ONCE = 1_000

interface ObjectVersion {
  readonly Key: string
  readonly VersionId: string
}

/** Returns whether a bucket has any version of an object, or a mark that one was deleted. A deleted bucket has none. */
export async function holdsObjects(client: S3Client, bucket: string): Promise<boolean> {
  return (await listVersions(client, bucket, 1)).length > 0
}

/**
 * Deletes all versions of all objects of a bucket.
 *
 * @throws Error naming the bucket, when S3 does not delete one
 */
export async function emptyBucket(client: S3Client, bucket: string): Promise<void> {
  for (;;) {
    // Always from the beginning: what was listed before is deleted.
    const versions = await listVersions(client, bucket, MAX_DELETED_AT_ONCE)
    if (versions.length === 0) return
    const { Errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: [...versions], Quiet: true } }),
    )
    const [failed] = Errors
    if (failed !== undefined) {
      throw new Error(
        `S3 could not delete objects in the bucket ${bucket}: ${failed.Code ?? "no reason given"}.`,
      )
    }
  }
}

async function listVersions(
  client: S3Client,
  Bucket: string,
  MaxKeys: number,
): Promise<readonly ObjectVersion[]> {
  try {
    const { Versions = [], DeleteMarkers = [] } = await client.send(
      new ListObjectVersionsCommand({ Bucket, MaxKeys }),
    )
    return [...Versions, ...DeleteMarkers].flatMap(({ Key, VersionId }) =>
      Key === undefined || VersionId === undefined ? [] : [{ Key, VersionId }],
    )
  } catch (error) {
    // Tags of deleted buckets are listed for a while.
    if (error instanceof Error && error.name === "NoSuchBucket") return []
    throw error
  }
}
