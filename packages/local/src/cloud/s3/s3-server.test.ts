import { createHash } from "node:crypto"
import {
  CopyObjectCommand,
  DeleteBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3"
import { expect, onTestFinished, test } from "vitest"
import { EMBEDDED_REGION, randomCredentials } from "../credentials.ts"
import { closeServer, listenOnLoopback } from "../loopback-server.ts"
import { signatureVerifier } from "../verify-signature.ts"
import { createObjectMemory } from "./object-memory.ts"
import { S3Error } from "./s3-error.ts"
import { createS3Server } from "./s3-server.ts"
import { startS3 } from "./start-s3.ts"

async function started() {
  const credentials = randomCredentials()
  const { endpoint, close } = await startS3(null, ["code"], signatureVerifier(credentials, ["s3"]))
  const client = new S3Client({ endpoint, credentials, region: EMBEDDED_REGION, forcePathStyle: true })
  onTestFinished(async () => {
    client.destroy()
    await close()
  })
  return { client, endpoint }
}

test("refuses what Sealway does not use with NotImplemented", async () => {
  const { client } = await started()
  const refused = { name: "NotImplemented" }
  const copy = new CopyObjectCommand({ Bucket: "code", Key: "b", CopySource: "code/a" })
  await expect(client.send(copy)).rejects.toMatchObject(refused)
  await expect(client.send(new ListObjectsV2Command({ Bucket: "code" }))).rejects.toMatchObject(refused)
  const once = new PutObjectCommand({ Bucket: "code", Key: "a", Body: "a", IfNoneMatch: "*" })
  await expect(client.send(once)).rejects.toMatchObject(refused)
})

test("refuses to delete a bucket with content with BucketNotEmpty", async () => {
  const { client } = await started()
  await client.send(new PutObjectCommand({ Bucket: "code", Key: "a", Body: "a" }))
  await expect(client.send(new DeleteBucketCommand({ Bucket: "code" }))).rejects.toMatchObject({
    name: "BucketNotEmpty",
  })
})

test.each(["..", "a", "CODE", "-code"])(
  "refuses a bucket named %o with InvalidBucketName",
  async (Bucket) => {
    const { client } = await started()
    client.middlewareStack.add(
      (next) => (args) => {
        const { request } = args
        if (typeof request === "object" && request !== null && "path" in request)
          request.path = `/${Bucket}/a`
        return next(args)
      },
      { step: "build" },
    )
    const get = client.send(new GetObjectCommand({ Bucket: "code", Key: "a" }))
    await expect(get).rejects.toMatchObject({ name: "InvalidBucketName" })
  },
)

test("refuses a body that is not the signed one with BadDigest", async () => {
  const { client } = await started()
  client.middlewareStack.add(
    (next) => (args) => {
      const { request } = args
      if (typeof request === "object" && request !== null && "body" in request) request.body = "b"
      return next(args)
    },
    { step: "finalizeRequest", priority: "low" },
  )
  const put = client.send(new PutObjectCommand({ Bucket: "code", Key: "a", Body: "a" }))
  await expect(put).rejects.toMatchObject({ name: "BadDigest" })
})

test("refuses an object when the disk is full with ServiceUnavailable, and reveals nothing of other faults", async () => {
  const faults = [new S3Error("ServiceUnavailable"), new Error("marker-7f3a")]
  const put = async () => {
    throw faults.shift()
  }
  const server = createS3Server({ ...createObjectMemory(), put })
  const endpoint = await listenOnLoopback(server)
  onTestFinished(() => closeServer(server))
  const request = {
    method: "PUT",
    body: "",
    headers: { "x-amz-content-sha256": createHash("sha256").digest("hex") },
  }
  const full = await fetch(`${endpoint}/code/a`, request)
  expect([full.status, await full.text()]).toEqual([503, expect.stringContaining("ServiceUnavailable")])
  const fault = await fetch(`${endpoint}/code/a`, request)
  expect([fault.status, await fault.text()]).toEqual([500, expect.not.stringContaining("marker-7f3a")])
})

test("refuses unsigned requests", async () => {
  const { endpoint } = await started()
  expect((await fetch(`${endpoint}/code/a`)).status).toBe(403)
})
