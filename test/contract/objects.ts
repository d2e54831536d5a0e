import { CreateBucketCommand, DeleteBucketCommand, S3Client } from "@aws-sdk/client-s3"
import type { Objects } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type AwsUnderTest, SET_UP_TIMEOUT_MS, uniqueName } from "./service-under-test.ts"

export interface ObjectsUnderTest {
  /** Of an empty bucket. */
  readonly objects: Objects
  close(): unknown
}

/** As in S3, only the last part may be smaller. */
const FULL = Buffer.alloc(5 * 1024 * 1024, "a")
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)

/** Creates a bucket in S3. */
export async function startS3(config: AwsUnderTest): Promise<ObjectsUnderTest> {
  const { region, endpoint, ...options } = config
  const bucket = uniqueName()
  const client = new S3Client({ ...config, forcePathStyle: endpoint !== undefined })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const { openObjects, destroy } = createAwsClients({ region, endpoints: { s3: endpoint } }, options)
  return {
    objects: openObjects(bucket, Date.now),
    async close() {
      await client.send(new DeleteBucketCommand({ Bucket: bucket }))
      client.destroy()
      destroy()
    },
  }
}

/**
 * What objects promise, wherever they are.
 *
 * @param place `in S3`
 */
export function describeObjects(place: string, start: () => Promise<ObjectsUnderTest>): void {
  describe(`objects ${place}`, () => {
    let under: ObjectsUnderTest
    let objects: Objects
    beforeAll(async () => {
      under = await start()
      objects = under.objects
    }, SET_UP_TIMEOUT_MS)
    afterAll(() => under.close(), SET_UP_TIMEOUT_MS)

    const send = async (upload: { key: string; uploadId: string }, number: number, bytes: Buffer) => {
      const { url } = await objects.signPart(upload, { number, size: bytes.length })
      return (await fetch(url, { method: "PUT", body: new Uint8Array(bytes) })).status
    }
    const textOf = async (key: string) => Buffer.from((await objects.get(key)) ?? []).toString()

    test.each(["plain", "a folder/with space", "é+&=?#%25\u{1f600}"])(
      "keep bytes by the key %o",
      async (key) => {
        await objects.put(key, BYTES)
        expect(new Uint8Array((await objects.get(key)) ?? [])).toEqual(BYTES)
        await objects.remove(key)
      },
    )

    test("keep an empty object, and the last of two with one key", async () => {
      await objects.put("twice", new Uint8Array())
      expect(await objects.get("twice")).toHaveLength(0)
      expect(await objects.readStart("twice", 4)).toMatchObject({ start: { length: 0 }, size: 0 })
      await objects.put("twice", Buffer.from("second"))
      expect(await textOf("twice")).toBe("second")
      await objects.remove("twice")
    })

    test("have none with a key that was removed, or never put", async () => {
      await objects.put("gone", BYTES)
      await objects.remove("gone")
      await objects.remove("gone")
      expect([await objects.get("gone"), await objects.readStart("never", 4)]).toEqual([null, null])
    })

    test("are made of parts sent by signed URLs, which serve them in ranges", async () => {
      const key = "app/file one"
      const upload = { key, uploadId: await objects.createUpload(key) }
      expect([await send(upload, 2, Buffer.from("end")), await send(upload, 1, FULL)]).toEqual([200, 200])
      const { parts = [], hasMore } = (await objects.listParts(upload)) ?? {}
      expect([parts.map(({ number, size }) => [number, size]), hasMore]).toEqual([
        [
          [1, FULL.length],
          [2, 3],
        ],
        false,
      ])
      expect((await objects.listParts(upload, 1))?.parts).toHaveLength(1)
      expect(await objects.completeUpload(upload, parts)).toBe("completed")
      expect(await objects.listParts(upload)).toBeNull()
      expect(await objects.completeUpload(upload, parts)).toMatch(/^(?:gone|completed)$/)
      expect(await send(upload, 1, FULL)).toBe(404)
      const { start, size } = (await objects.readStart(key, 4)) ?? {}
      expect([Buffer.from(start ?? []).toString(), size]).toEqual(["aaaa", FULL.length + 3])
      const { url } = await objects.signDownload(key)
      const answer = await fetch(url, { headers: { range: `bytes=${FULL.length - 1}-` } })
      expect([answer.status, await answer.text()]).toEqual([206, "aend"])
      await objects.remove(key)
      expect(await objects.readStart(key, 4)).toBeNull()
    })

    test("are not made of a replaced part, nor of an upload that was aborted", async () => {
      const key = "app/other"
      const upload = { key, uploadId: await objects.createUpload(key) }
      expect(await send(upload, 1, Buffer.from("old"))).toBe(200)
      const { parts = [] } = (await objects.listParts(upload)) ?? {}
      expect(await send(upload, 1, Buffer.from("new"))).toBe(200)
      expect(await objects.completeUpload(upload, parts)).toBe("changed")
      await objects.abortUpload(upload)
      await objects.abortUpload(upload)
      expect(await send(upload, 1, Buffer.from("new"))).toBe(404)
    })
  })
}
