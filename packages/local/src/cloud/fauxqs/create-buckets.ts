import { CreateBucketCommand, type S3Client } from "@aws-sdk/client-s3"

/** Creates S3 buckets. */
export async function createBuckets(client: S3Client, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((Bucket) => client.send(new CreateBucketCommand({ Bucket }))))
}
