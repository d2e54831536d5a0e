import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation"
import { PutObjectCommand, type S3Client } from "@aws-sdk/client-s3"
import { buildDashboard } from "../../stacks/build-dashboard.ts"
import { stackName } from "../../stacks/names.ts"
import { dashboardUploads } from "../../stacks/uploads.ts"

const BUILT = "dashboard"

export interface UploadClients {
  readonly cloudFormation: CloudFormationClient
  readonly s3: S3Client
}

/**
 * Builds the dashboard and uploads its files into the bucket of a deployed stage, the page last. `sst deploy` does this itself.
 *
 * @returns how many files there are
 * @throws Error when the stage has no dashboard
 */
export async function uploadDashboard(stage: string, { cloudFormation, s3 }: UploadClients): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-dashboard-"))
  try {
    const stack = stackName({ stage }, "dashboard")
    const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName: stack }))
    await buildDashboard(join(folder, BUILT))
    const { bucketOutput, files } = await dashboardUploads(folder, BUILT, stack)
    const Bucket = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === bucketOutput)?.OutputValue
    if (Bucket === undefined) throw new Error(`The stack ${stack} has no output ${bucketOutput}.`)
    for (const { key: Key, path, contentType: ContentType, cacheControl: CacheControl } of files) {
      const Body = await readFile(join(folder, path))
      await s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType, CacheControl }))
    }
    return files.length
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
