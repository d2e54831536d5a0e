import { createHash, randomBytes } from "node:crypto"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { openObjectFolder } from "./object-folder.ts"
import { createObjectMemory } from "./object-memory.ts"
import type { ObjectStore, UploadName } from "./object-store.ts"

const FULL = randomBytes(5 * 1024 * 1024)
const DAY_MS = 24 * 60 * 60 * 1000

async function* pieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 1_000_000) yield bytes.subarray(at, at + 1_000_000)
}

const stores: [string, () => Promise<ObjectStore>][] = [
  ["in memory", async () => createObjectMemory()],
  ["in a folder", async () => openObjectFolder(join(await temporaryFolder(), "s3"))],
]

describe.each(stores)("an upload in parts, %s", (_, create) => {
  async function started() {
    const store = await create()
    await store.createBucket("files")
    const upload = { bucket: "files", key: "a", uploadId: await store.createUpload("files", "a") }
    const put = async (number: number, bytes: Uint8Array) => ({
      number,
      etag: await store.putPart(upload, number, pieces(bytes)),
    })
    return { store, upload, put }
  }

  test("becomes an object with the parts in order, which is read in any range", async () => {
    const { store, upload, put } = await started()
    const second = await put(2, Buffer.from("the end"))
    const first = await put(1, FULL)
    expect(first.etag).toBe(createHash("md5").update(FULL).digest("hex"))
    expect((await store.listParts(upload)).map(({ number, size }) => [number, size])).toEqual([
      [1, FULL.length],
      [2, 7],
    ])
    await store.completeUpload(upload, [first, second])
    const { size, read } = await store.open("files", "a")
    expect(size).toBe(FULL.length + 7)
    const content = Buffer.concat([FULL, Buffer.from("the end")])
    for (const [start, end] of [
      [0, size],
      [10, 20],
      [FULL.length - 3, FULL.length + 3],
      [FULL.length, size],
      [5, 5],
    ] as const) {
      const found = Buffer.concat(await Array.fromAsync(read(start, end)))
      expect(found.equals(content.subarray(start, end))).toBe(true)
    }
  })

  test("accepts no part once it is completed, and cannot be completed or aborted again", async () => {
    const { store, upload, put } = await started()
    const part = await put(1, Buffer.from("one"))
    await store.completeUpload(upload, [part])
    const none = { code: "NoSuchUpload" }
    await expect(put(1, Buffer.from("two"))).rejects.toMatchObject(none)
    await expect(store.completeUpload(upload, [part])).rejects.toMatchObject(none)
    await expect(store.abortUpload(upload)).rejects.toMatchObject(none)
    await expect(store.listParts(upload)).rejects.toMatchObject(none)
    const { read, size } = await store.open("files", "a")
    expect(Buffer.concat(await Array.fromAsync(read(0, size))).toString()).toBe("one")
  })

  test("is refused with parts that were replaced, are missing, are not in order or too small", async () => {
    const { store, upload, put } = await started()
    const old = await put(1, Buffer.from("old"))
    const part = await put(1, Buffer.from("new"))
    const last = await put(2, Buffer.from("last"))
    const complete = (...parts: (typeof part)[]) => store.completeUpload(upload, parts)
    await expect(complete(old)).rejects.toMatchObject({ code: "InvalidPart" })
    await expect(complete({ ...part, number: 3 })).rejects.toMatchObject({ code: "InvalidPart" })
    await expect(complete(last, part)).rejects.toMatchObject({
      code: expect.stringMatching(/InvalidPartOrder|EntityTooSmall/),
    })
    await expect(complete(part, last)).rejects.toMatchObject({ code: "EntityTooSmall" })
    await expect(complete()).rejects.toMatchObject({ code: "InvalidArgument" })
    await complete(part)
  })

  test("is known by its id, key and bucket together", async () => {
    const { store, upload } = await started()
    const others: UploadName[] = [
      { ...upload, key: "b" },
      { ...upload, uploadId: "../../../x" },
      { ...upload, uploadId: "00000000-0000-4000-8000-000000000000" },
    ]
    for (const other of others) {
      await expect(store.putPart(other, 1, pieces(FULL))).rejects.toMatchObject({ code: "NoSuchUpload" })
    }
  })
})

describe("a folder of uploads", () => {
  async function started(now = Date.now()) {
    const folder = join(await temporaryFolder(), "s3")
    const store = await openObjectFolder(folder, () => now)
    await store.createBucket("files")
    const upload = { bucket: "files", key: "a", uploadId: await store.createUpload("files", "a") }
    return { folder, store, upload }
  }

  test("keeps parts and completed objects when it is opened again", async () => {
    const { folder, store, upload } = await started()
    const etag = await store.putPart(upload, 1, pieces(FULL))
    const again = await openObjectFolder(folder)
    expect(await again.listParts(upload)).toEqual([{ number: 1, etag, size: FULL.length }])
    await again.completeUpload(upload, [{ number: 1, etag }])
    const { size, read } = await (await openObjectFolder(folder)).open("files", "a")
    expect(Buffer.concat(await Array.fromAsync(read(0, size))).equals(FULL)).toBe(true)
  })

  test("forgets an upload after eight days, when it is opened again", async () => {
    const { folder, store, upload } = await started()
    await store.putPart(upload, 1, pieces(FULL))
    const early = await openObjectFolder(folder, () => Date.now() + 7 * DAY_MS)
    expect(await early.listParts(upload)).toHaveLength(1)
    const late = await openObjectFolder(folder, () => Date.now() + 9 * DAY_MS)
    await expect(late.listParts(upload)).rejects.toMatchObject({ code: "NoSuchUpload" })
    expect(await readdir(join(folder, "files"))).toEqual([])
  })

  test("forgets uploads after eight days while it is open, and keeps objects and younger uploads", async () => {
    let now = Date.now()
    const store = await openObjectFolder(join(await temporaryFolder(), "s3"), () => now)
    await store.createBucket("files")
    const create = async (key: string) => {
      const upload = { bucket: "files", key, uploadId: await store.createUpload("files", key) }
      return { upload, etag: await store.putPart(upload, 1, pieces(Buffer.from(key))) }
    }
    const [abandoned, completed] = [await create("abandoned"), await create("completed")]
    await store.completeUpload(completed.upload, [{ number: 1, etag: completed.etag }])
    now += 7 * DAY_MS
    const young = await create("young")
    expect(await store.listParts(abandoned.upload)).toHaveLength(1)
    now += 2 * DAY_MS
    await create("another")
    await expect(store.listParts(abandoned.upload)).rejects.toMatchObject({ code: "NoSuchUpload" })
    expect(await store.listParts(young.upload)).toHaveLength(1)
    const { size, read } = await store.open("files", "completed")
    expect(Buffer.concat(await Array.fromAsync(read(0, size))).toString()).toBe("completed")
  })

  test("keeps the parts of an object whose head cannot be read", async () => {
    const { folder, store, upload } = await started()
    const etag = await store.putPart(upload, 1, pieces(FULL))
    await store.completeUpload(upload, [{ number: 1, etag }])
    const names = await readdir(join(folder, "files"))
    const [head = ""] = names.filter((name) => !name.includes("."))
    const intact = await readFile(join(folder, "files", head))
    await writeFile(join(folder, "files", head), "damaged")
    await openObjectFolder(folder)
    await writeFile(join(folder, "files", head), intact)
    const { size, read } = await (await openObjectFolder(folder)).open("files", "a")
    expect(Buffer.concat(await Array.fromAsync(read(0, size))).equals(FULL)).toBe(true)
  })

  test("has no file of an object that was removed, and none of a part that failed", async () => {
    const { folder, store, upload } = await started()
    const failing = async function* () {
      yield FULL
      throw new Error("The connection broke")
    }
    await expect(store.putPart(upload, 1, failing())).rejects.toThrow("The connection broke")
    const etag = await store.putPart(upload, 1, pieces(FULL))
    await store.completeUpload(upload, [{ number: 1, etag }])
    expect(await readdir(join(folder, "files"))).toHaveLength(2)
    await store.remove("files", "a")
    expect(await readdir(join(folder, "files"))).toEqual([])
  })
})
