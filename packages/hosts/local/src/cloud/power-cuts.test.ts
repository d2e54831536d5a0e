import { open, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { describe, expect, test } from "vitest"
import { openFunctionStore } from "./functions/function-store.ts"
import { admitDataFolder } from "./parts/admit-data-folder.ts"
import { openObjectFolder } from "./s3/object-folder.ts"
import { startEmbeddedCloud } from "./start-embedded-cloud.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"
import { watchUnsynced } from "./testing/watch-unsynced.ts"
import { createFolderDurably, writeFileDurably } from "./write-file-durably.ts"

const CLOUD = {
  tables: [{ name: "config", partitionKey: "pk", sortKey: "sk", timeToLiveAttribute: null }],
  queues: [],
  buckets: ["files"],
}
const BYTES = Buffer.from("content")
const now = () => new Date(0)

async function watched() {
  const folder = join(await temporaryFolder(), "data")
  return { folder, watch: watchUnsynced(folder) }
}

// Windows cannot sync a folder.
describe.skipIf(process.platform === "win32")("a power cut undoes nothing", () => {
  test("of a new data folder once the cloud has started, of a new key, or of the stop", async () => {
    const { folder, watch } = await watched()
    const cloud = await startEmbeddedCloud({ ...CLOUD, dataFolder: folder })
    expect(watch.take()).toEqual([])
    await cloud.keyStore.ensureKey("alias/stage", "")
    expect(watch.take()).toEqual([])
    await cloud.close()
    expect(watch.take()).toEqual([])
  })

  test("of a data folder that was started over", async () => {
    const { folder, watch } = await watched()
    await createFolderDurably(folder)
    await admitDataFolder(folder, { acceptLoss: false, now })
    await rm(join(folder, "dynamodb"), { recursive: true })
    watch.take()
    expect((await admitDataFolder(folder, { acceptLoss: true, now })).lostTo).not.toBeNull()
    expect(watch.take()).toEqual([])
  })

  test("of an object that was put, replaced or removed", async () => {
    const { folder, watch } = await watched()
    const store = await openObjectFolder(folder)
    await store.createBucket("files")
    expect(watch.take()).toEqual([])
    for (const bytes of [BYTES, Buffer.from("other")]) {
      await store.put("files", "a", bytes)
      expect(watch.take()).toEqual([])
    }
    await store.remove("files", "a")
    expect(watch.take()).toEqual([])
  })

  test("of an upload, its parts, its end, or its removal", async () => {
    const { folder, watch } = await watched()
    const store = await openObjectFolder(folder)
    await store.createBucket("files")
    const begin = async () => {
      const upload = { bucket: "files", key: "a", uploadId: await store.createUpload("files", "a") }
      expect(watch.take()).toEqual([])
      const etag = await store.putPart(upload, 1, pieces(BYTES))
      expect(watch.take()).toEqual([])
      return { upload, etag }
    }
    const { upload, etag } = await begin()
    await store.completeUpload(upload, [{ number: 1, etag }])
    // The next start removes it, if it is still there.
    const leftover = expect.stringMatching(/upload\.json disappeared$/)
    expect(watch.take()).toEqual([leftover])
    await store.abortUpload((await begin()).upload)
    expect(watch.take()).toEqual([])
  })

  test("of a function's code in its folders, or of its removal", async () => {
    const { folder, watch } = await watched()
    const store = await openFunctionStore(folder, null)
    const packed = Buffer.from("export {}")
    const file = { method: 0, packed, bytes: packed.length, crc32: crc32(packed), executable: false } as const
    const stored = await store.add(
      { name: "echo", runtime: "nodejs24.x", handler: "index.handler", timeoutSeconds: 3, memoryMb: 128 },
      [
        { ...file, path: "index.mjs" },
        { ...file, path: "lib/a/b.mjs" },
      ],
    )
    expect(watch.take()).toEqual([])
    await store.forget(stored)
    expect(watch.take()).toEqual([])
  })

  test("is a claim that a missing sync refutes", async () => {
    const { folder, watch } = await watched()
    await openObjectFolder(folder)
    watch.take()
    const [draft, file] = [join(folder, "draft"), join(folder, "file")]
    await writeFile(draft, "content")
    await rename(draft, file)
    expect(watch.take()).toEqual(["data/file appeared", "data/file was named before it was synced"])
    await writeFileDurably(file, Buffer.from("other"))
    expect(watch.take()).toEqual([])
    const handle = await open(file, "a")
    await handle.sync()
    await handle.writeFile("more")
    await handle.close()
    expect(watch.take()).toEqual(["data/file is not synced"])
  })
})

async function* pieces(bytes: Uint8Array) {
  yield bytes
}
