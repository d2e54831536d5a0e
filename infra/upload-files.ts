import type { BucketObjectv2 } from "@pulumi/aws/s3/index.js"
import type { Input, Resource } from "@pulumi/pulumi"
import type { BucketUpload } from "./assembly.ts"

/**
 * Uploads files into a bucket of a stack. They are deleted before the stack is: CloudFormation deletes no bucket that is
 * not empty.
 *
 * @param files the last one waits for all others, see `StackUploads`
 * @param stack the one that has the bucket
 */
export function uploadFiles(bucket: Input<string>, files: readonly BucketUpload[], stack: Resource): void {
  const uploaded: BucketObjectv2[] = []
  for (const { key, path, contentType, cacheControl } of files) {
    const source = new $util.asset.FileAsset(path)
    const isLast = uploaded.length === files.length - 1
    uploaded.push(
      new aws.s3.BucketObjectv2(
        `File-${key}`,
        { bucket, key, source, contentType, cacheControl },
        { dependsOn: isLast ? [stack, ...uploaded] : [stack] },
      ),
    )
  }
}
