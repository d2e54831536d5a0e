import { PutObjectCommand, paginateListObjectsV2, S3Client, S3ServiceException } from "@aws-sdk/client-s3"
import type { Connect } from "@sealway/ports"
import type { AuditArchive } from "@sealway/records"

/** What S3 answers where there is an object already. */
const THERE_IS_ONE = "PreconditionFailed"

/** Keeps exported audit records in a bucket with Object Lock, whose default retention holds each object. */
export function createS3AuditArchive(connect: Connect, bucket: string): AuditArchive {
  const client = connect(
    "s3",
    // Only AWS itself supports bucket names as host names.
    (config) => new S3Client({ ...config, forcePathStyle: config.endpoint !== undefined }),
  )
  return {
    async lastAfter(folder, name) {
      const prefix = `${folder}/`
      let last: string | null = null
      const list = { Bucket: bucket, Prefix: prefix, StartAfter: prefix + name }
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, list)) {
        last = Contents.at(-1)?.Key?.slice(prefix.length) ?? last
      }
      return last
    },
    async keep(folder, name, text) {
      const put = new PutObjectCommand({
        Bucket: bucket,
        Key: `${folder}/${name}`,
        Body: text,
        ContentType: "application/jsonl",
        // Otherwise S3 would keep another version beside the first.
        IfNoneMatch: "*",
        // S3 takes no object without a checksum where it is locked.
        ChecksumAlgorithm: "SHA256",
      })
      try {
        await client.send(put)
      } catch (error) {
        if (!(error instanceof S3ServiceException && error.name === THERE_IS_ONE)) throw error
      }
    },
  }
}
