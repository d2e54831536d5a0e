import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startEmbeddedCloud } from "@sealway/local"
import { expect, onTestFinished, test } from "vitest"
import { describeObjects, type ObjectsUnderTest, startS3 } from "./objects.ts"

const { SEALWAY_CONTRACT_S3_ENDPOINT: endpoint, AWS_REGION: region = "us-east-1" } = process.env

async function startLocal(dataFolder: string | null): Promise<ObjectsUnderTest> {
  const cloud = await startEmbeddedCloud({ dataFolder, tables: [], queues: [], buckets: ["files"] })
  return {
    objects: cloud.openObjects("files", Date.now),
    async close() {
      await cloud.close()
      if (dataFolder !== null) await rm(dataFolder, { recursive: true })
    },
  }
}

describeObjects("in memory", () => startLocal(null))
describeObjects("in a folder", async () => startLocal(await mkdtemp(join(tmpdir(), "sealway-objects-"))))

/** S3 only where `SEALWAY_CONTRACT_S3_ENDPOINT` says where it is; `aws`: AWS itself. */
if (endpoint !== undefined)
  describeObjects("in S3", () => startS3({ region, ...(endpoint !== "aws" && { endpoint }) }))

test("signed URLs accept no part of another length, no other object, and nothing once they are expired", async () => {
  const { openObjects, close } = await startEmbeddedCloud({
    dataFolder: null,
    tables: [],
    queues: [],
    buckets: ["files"],
  })
  onTestFinished(() => close())
  const objects = openObjects("files", Date.now)
  const upload = { key: "a", uploadId: await objects.createUpload("a") }
  const { url } = await objects.signPart(upload, { number: 1, size: 3 })
  const put = async (target: URL, body: string) => (await fetch(target, { method: "PUT", body })).status
  expect(await put(url, "four")).toBe(403)
  expect(await put(new URL(url.href.replace("/a?", "/b?")), "abc")).toBe(403)
  expect(await put(new URL(url.pathname, url), "abc")).toBe(403)
  const old = await openObjects("files", () => Date.now() - 3_601_000).signPart(upload, {
    number: 1,
    size: 3,
  })
  expect(await put(old.url, "abc")).toBe(403)
  expect(await put(url, "abc")).toBe(200)
})
