import { S3Client } from "@aws-sdk/client-s3"
import { expect, test } from "vitest"
import { createS3Objects } from "./s3-objects.ts"

test.each([
  ["us-east-1", "files.s3.us-east-1.amazonaws.com"],
  ["us-gov-west-1", "files.s3.us-gov-west-1.amazonaws.com"],
  ["cn-north-1", "files.s3.cn-north-1.amazonaws.com.cn"],
  ["eusc-de-east-1", "files.s3.eusc-de-east-1.amazonaws.eu"],
])("URLs of files in %s lead to the storage of that partition", async (region, host) => {
  const client = new S3Client({ region, credentials: { accessKeyId: "id", secretAccessKey: "secret" } })
  const { url } = await createS3Objects(client, "files", () => 1_795_000_000_000).signDownload("app/file")
  expect(url.host).toBe(host)
})
