import { CreateBucketCommand, DeleteBucketCommand, S3Client } from "@aws-sdk/client-s3"
import { createFileStorage, type FileStorage } from "@sealway/files"
import { afterAll, beforeAll, expect, test } from "vitest"
import {
  SET_UP_TIMEOUT_MS,
  type ServiceUnderTest,
  serviceUnderTest,
  uniqueName,
} from "./service-under-test.ts"

const bucket = uniqueName()
/** As in S3, only the last part may be smaller. */
const FULL = Buffer.alloc(5 * 1024 * 1024, "a")

let service: ServiceUnderTest
let client: S3Client
let storage: FileStorage

beforeAll(async () => {
  service = await serviceUnderTest("s3")
  const forcePathStyle = service.client.endpoint !== undefined
  client = new S3Client({ ...service.client, forcePathStyle, requestChecksumCalculation: "WHEN_REQUIRED" })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const config = { region: await client.config.region(), ...service.client, maxAttempts: 3 }
  const requestHandler = { connectionTimeout: 1_000, requestTimeout: 30_000, throwOnRequestTimeout: true }
  storage = createFileStorage(
    (_service, create) => create({ ...config, requestHandler }),
    { bucket, storagePath: null },
    Date.now,
  )
}, SET_UP_TIMEOUT_MS)

afterAll(async () => {
  await client.send(new DeleteBucketCommand({ Bucket: bucket }))
  client.destroy()
  await service.close()
}, SET_UP_TIMEOUT_MS)

async function send(upload: { key: string; uploadId: string }, number: number, bytes: Buffer) {
  const { url } = await storage.signPart(upload, { number, size: bytes.length })
  return (await fetch(url, { method: "PUT", body: new Uint8Array(bytes) })).status
}

test("makes an object of parts sent by presigned URLs, which serve it in ranges", async () => {
  const key = "app/file one"
  const upload = { key, uploadId: await storage.createUpload(key) }
  expect([await send(upload, 2, Buffer.from("end")), await send(upload, 1, FULL)]).toEqual([200, 200])
  const { parts = [] } = (await storage.listParts(upload)) ?? {}
  expect(parts.map(({ number, size }) => [number, size])).toEqual([
    [1, FULL.length],
    [2, 3],
  ])
  expect((await storage.listParts(upload, 1))?.parts).toHaveLength(1)
  expect(await storage.completeUpload(upload, parts)).toBe("completed")
  expect(await storage.listParts(upload)).toBeNull()
  expect(await storage.completeUpload(upload, parts)).toMatch(/^(?:gone|completed)$/)
  expect(await send(upload, 1, FULL)).toBe(404)
  const { start, size } = (await storage.readStart(key, 4)) ?? {}
  expect([Buffer.from(start ?? []).toString(), size]).toEqual(["aaaa", FULL.length + 3])
  const { url } = await storage.signDownload(key)
  const answer = await fetch(url, { headers: { range: `bytes=${FULL.length - 1}-` } })
  expect([answer.status, await answer.text()]).toEqual([206, "aend"])
  await storage.remove(key)
  expect(await storage.readStart(key, 4)).toBeNull()
})

test("refuses a part of another length, a replaced part, and parts of an upload that was aborted", async () => {
  const key = "app/other"
  const upload = { key, uploadId: await storage.createUpload(key) }
  const { url } = await storage.signPart(upload, { number: 1, size: 3 })
  expect((await fetch(url, { method: "PUT", body: "four" })).status).toBe(403)
  expect(await send(upload, 1, Buffer.from("old"))).toBe(200)
  const { parts = [] } = (await storage.listParts(upload)) ?? {}
  expect(await send(upload, 1, Buffer.from("new"))).toBe(200)
  expect(await storage.completeUpload(upload, parts)).toBe("changed")
  await storage.abortUpload(upload)
  await storage.abortUpload(upload)
  expect(await send(upload, 1, Buffer.from("new"))).toBe(404)
})
