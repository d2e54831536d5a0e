import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { openObjectFolder } from "./object-folder.ts"
import type { ObjectStore } from "./object-store.ts"

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)

async function contentOf(store: ObjectStore, bucket: string, key: string): Promise<Uint8Array> {
  const { size, read } = await store.open(bucket, key)
  return new Uint8Array(Buffer.concat(await Array.fromAsync(read(0, size))))
}

async function opened() {
  const folder = join(await temporaryFolder(), "s3")
  const store = await openObjectFolder(folder)
  await store.createBucket("code")
  const files = async () => (await readdir(join(folder, "code"))).map((name) => join(folder, "code", name))
  return { folder, store, files }
}

describe("objects in a folder", () => {
  test.each([0, 1, 256, 100_000])("exist after the store is reopened: %i bytes", async (length) => {
    const { folder, store } = await opened()
    const bytes = Uint8Array.from({ length }, (_, index) => ALL_BYTES[index % 256] ?? 0)
    await store.put("code", "../a b/é.zip", bytes)
    const again = await openObjectFolder(folder)
    expect(await contentOf(again, "code", "../a b/é.zip")).toEqual(bytes)
  })

  test("are served as they are when an earlier version stored a type and metadata with them", async () => {
    const { store, files } = await opened()
    await store.put("code", "a", ALL_BYTES)
    const [path = ""] = await files()
    const head = { key: "a", contentType: "application/octet-stream", metadata: {} }
    await writeFile(path, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ALL_BYTES]))
    expect(await contentOf(store, "code", "a")).toEqual(ALL_BYTES)
  })

  test("are in one bucket's folder for any key, and readable by their owner only", async () => {
    const { folder, store, files } = await opened()
    for (const key of ["../../x", "/", "a/b", "..", "x".repeat(1024)]) await store.put("code", key, ALL_BYTES)
    expect(await readdir(folder)).toEqual(["code"])
    expect(await files()).toHaveLength(5)
    if (process.platform === "win32") return
    const modes = await Promise.all(
      [folder, join(folder, "code"), ...(await files())].map((path) => stat(path)),
    )
    expect(modes.map(({ mode }) => (mode & 0o777).toString(8))).toEqual([
      ...["700", "700"],
      ...["600", "600", "600", "600", "600"],
    ])
  })

  test("are complete when several are put under one key at the same time", async () => {
    const { store, files } = await opened()
    const puts = Array.from({ length: 20 }, (_, n) => new Uint8Array(10_000 * (n + 1)).fill(n))
    await Promise.all(puts.map((each) => store.put("code", "a", each)))
    const bytes = await contentOf(store, "code", "a")
    expect(bytes.every((byte) => byte === 19)).toBe(true)
    expect(bytes).toHaveLength(200_000)
    expect(await files()).toHaveLength(1)
  })

  test("are gone once removed, and the next start removes what a crash left incomplete", async () => {
    const { folder, store, files } = await opened()
    await store.put("code", "a", ALL_BYTES)
    await store.put("code", "b", ALL_BYTES)
    await store.remove("code", "a")
    await store.remove("code", "a")
    const [path = ""] = await files()
    await writeFile(`${path}.tmp`, "half")
    const again = await openObjectFolder(folder)
    expect(await files()).toEqual([path])
    await expect(again.open("code", "a")).rejects.toMatchObject({ code: "NoSuchKey" })
    expect((await readFile(path)).includes(Buffer.from(ALL_BYTES))).toBe(true)
  })

  test("are refused with NoSuchBucket when the bucket does not exist, and stay when it is created again", async () => {
    const { store } = await opened()
    const none = { code: "NoSuchBucket" }
    await expect(store.put("other", "a", ALL_BYTES)).rejects.toMatchObject(none)
    await expect(store.open("other", "a")).rejects.toMatchObject(none)
    await expect(store.remove("other", "a")).rejects.toMatchObject(none)
    await store.put("code", "a", ALL_BYTES)
    await store.createBucket("code")
    await store.open("code", "a")
  })
})
