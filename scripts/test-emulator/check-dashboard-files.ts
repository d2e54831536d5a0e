import assert from "node:assert/strict"
import { CloudFormationClient } from "@aws-sdk/client-cloudformation"
import { DeleteObjectCommand, HeadObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3"
import { uploadDashboard } from "../../infra/stage/upload-dashboard.ts"
import { DASHBOARD_BUCKET_OUTPUT } from "../../stacks/dashboard.ts"
import type { EmulatedStage, EmulatorConfig } from "./deploy-assembly.ts"

/**
 * Uploads the dashboard as `npm run stage -- upload-dashboard` does, and reads how its page is stored. The bucket is empty again
 * afterwards, so that CloudFormation can delete it.
 */
export async function checkDashboardFiles(
  stage: string,
  { outputs }: EmulatedStage,
  config: EmulatorConfig,
): Promise<void> {
  const s3 = new S3Client({ ...config, forcePathStyle: true })
  const count = await uploadDashboard(stage, { cloudFormation: new CloudFormationClient(config), s3 })
  assert.ok(count > 2)
  const Bucket = outputs.get(DASHBOARD_BUCKET_OUTPUT)
  const page = await s3.send(new HeadObjectCommand({ Bucket, Key: "dashboard/index.html" }))
  assert.deepEqual([page.ContentType, page.CacheControl], ["text/html; charset=utf-8", "no-cache"])
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }))
  assert.equal(Contents.length, count)
  for (const { Key } of Contents) await s3.send(new DeleteObjectCommand({ Bucket, Key }))
}
