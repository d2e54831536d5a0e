import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3"
import { afterAll, beforeAll, expect, test } from "vitest"
import {
  SET_UP_TIMEOUT_MS,
  type ServiceUnderTest,
  serviceUnderTest,
  uniqueName,
} from "./service-under-test.ts"

const Bucket = uniqueName()
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)

let service: ServiceUnderTest
let client: S3Client

beforeAll(async () => {
  service = await serviceUnderTest("s3")
  client = new S3Client({ ...service.client, forcePathStyle: service.client.endpoint !== undefined })
  await client.send(new CreateBucketCommand({ Bucket }))
}, SET_UP_TIMEOUT_MS)

afterAll(async () => {
  await client.send(new DeleteBucketCommand({ Bucket }))
  client.destroy()
  await service.close()
}, SET_UP_TIMEOUT_MS)

test.each(["plain", "a folder/with space", "é+&=?#%25\u{1f600}"])(
  "returns an object's bytes, type and metadata by the key %o",
  async (Key) => {
    await client.send(
      new PutObjectCommand({
        Bucket,
        Key,
        Body: BYTES,
        ContentType: "application/zip",
        Metadata: { app: "a" },
      }),
    )

    const { Body, ContentLength, ContentType, Metadata } = await client.send(
      new GetObjectCommand({ Bucket, Key }),
    )

    expect(await Body?.transformToByteArray()).toEqual(BYTES)
    expect({ ContentLength, ContentType, Metadata }).toEqual({
      ContentLength: 256,
      ContentType: "application/zip",
      Metadata: { app: "a" },
    })
    await client.send(new DeleteObjectCommand({ Bucket, Key }))
  },
)

test("keeps an empty object", async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: "empty", Body: new Uint8Array() }))

  const { Body, ContentLength } = await client.send(new GetObjectCommand({ Bucket, Key: "empty" }))

  expect(await Body?.transformToString()).toBe("")
  expect(ContentLength).toBe(0)
  await client.send(new DeleteObjectCommand({ Bucket, Key: "empty" }))
})

test("replaces an object that is put again", async () => {
  for (const Body of ["first", "second"])
    await client.send(new PutObjectCommand({ Bucket, Key: "twice", Body }))

  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: "twice" }))

  expect(await Body?.transformToString()).toBe("second")
  await client.send(new DeleteObjectCommand({ Bucket, Key: "twice" }))
})

test("refuses with NoSuchKey an object that was deleted, and accepts a second deletion", async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: "gone", Body: BYTES }))
  for (let times = 0; times < 2; times++) await client.send(new DeleteObjectCommand({ Bucket, Key: "gone" }))

  await expect(client.send(new GetObjectCommand({ Bucket, Key: "gone" }))).rejects.toMatchObject({
    name: "NoSuchKey",
  })
})

test("refuses with NoSuchBucket when the bucket does not exist", async () => {
  await expect(
    client.send(new PutObjectCommand({ Bucket: uniqueName(), Key: "a", Body: BYTES })),
  ).rejects.toMatchObject({ name: "NoSuchBucket" })
})
