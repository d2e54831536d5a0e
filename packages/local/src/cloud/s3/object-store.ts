import { createHash } from "node:crypto"
import { access, mkdir, readdir, readFile, rm, rmdir } from "node:fs/promises"
import { join } from "node:path"
import { errorCodeOf } from "@sealway/kernel"
import * as z from "zod"
import { syncFolder, writeFileDurably } from "../write-file-durably.ts"
import { S3Error } from "./s3-error.ts"

export interface StoredObject {
  readonly contentType: string
  /** By lower-case name. */
  readonly metadata: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/**
 * Buckets and their objects.
 *
 * @throws S3Error with `NoSuchBucket`, `NoSuchKey`, `BucketNotEmpty`, or `ServiceUnavailable` when the disk is full
 */
export interface ObjectStore {
  /** Does nothing when the bucket exists. */
  createBucket(bucket: string): Promise<void>
  deleteBucket(bucket: string): Promise<void>
  /** Once this resolves, the object can be read even after a crash or a power cut. */
  put(bucket: string, key: string, object: StoredObject): Promise<void>
  get(bucket: string, key: string): Promise<StoredObject>
  /** Does nothing when there is none with this key. */
  remove(bucket: string, key: string): Promise<void>
}

const UNFINISHED = ".tmp"
const LINE_END = 0x0a
/** The first line of an object's file. The key is there for people: nothing reads it. */
const headSchema = z.object({
  key: z.string(),
  contentType: z.string(),
  metadata: z.record(z.string(), z.string()),
})

/**
 * Stores objects in a folder, created (mode 0700) if missing: one folder per bucket, with one file (mode 0600) per
 * object, named by the hash of its key. Removes what a crash left incomplete.
 */
export async function openObjectFolder(folder: string): Promise<ObjectStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const bucket of await readdir(folder)) await removeUnfinished(join(folder, bucket))

  const pathOf = (bucket: string) => join(folder, bucket)
  const fileOf = (bucket: string, key: string) =>
    join(pathOf(bucket), createHash("sha256").update(key).digest("hex"))

  let last: Promise<unknown> = Promise.resolve()
  /** Runs changes one after another: two that write the same object share a temporary file. */
  function inTurn(change: () => Promise<void>): Promise<void> {
    const changed = last.then(change)
    last = changed.catch(() => undefined)
    return changed
  }
  async function requireBucket(bucket: string): Promise<void> {
    await access(pathOf(bucket)).catch((error) => {
      throw isNamed(error, "ENOENT") ? new S3Error("NoSuchBucket") : error
    })
  }

  return {
    createBucket: (bucket) =>
      inTurn(async () => {
        await mkdir(pathOf(bucket), { recursive: true, mode: 0o700 })
        await syncFolder(folder)
      }),
    deleteBucket: (bucket) =>
      inTurn(async () => {
        await requireBucket(bucket)
        await rmdir(pathOf(bucket)).catch((error) => {
          throw isNamed(error, "ENOTEMPTY", "EEXIST") ? new S3Error("BucketNotEmpty") : error
        })
      }),
    put: (bucket, key, { bytes, ...described }) =>
      inTurn(async () => {
        await requireBucket(bucket)
        const head = Buffer.from(`${JSON.stringify({ key, ...described })}\n`)
        const file = fileOf(bucket, key)
        await writeFileDurably(file, Buffer.concat([head, bytes])).catch(async (error) => {
          // The incomplete file takes space that others may need.
          await rm(file + UNFINISHED, { force: true })
          throw isNamed(error, "ENOSPC", "EDQUOT")
            ? new S3Error("ServiceUnavailable", { cause: error })
            : error
        })
      }),
    async get(bucket, key) {
      await requireBucket(bucket)
      const content = await readFile(fileOf(bucket, key)).catch((error) => {
        throw isNamed(error, "ENOENT") ? new S3Error("NoSuchKey") : error
      })
      const headEnd = content.indexOf(LINE_END)
      const { contentType, metadata } = headSchema.parse(JSON.parse(content.toString("utf8", 0, headEnd)))
      return { contentType, metadata, bytes: content.subarray(headEnd + 1) }
    },
    remove: (bucket, key) =>
      inTurn(async () => {
        await requireBucket(bucket)
        await rm(fileOf(bucket, key), { force: true })
      }),
  }
}

/** Stores objects in memory. */
export function createObjectMemory(): ObjectStore {
  const buckets = new Map<string, Map<string, StoredObject>>()
  const find = (bucket: string) => {
    const objects = buckets.get(bucket)
    if (objects === undefined) throw new S3Error("NoSuchBucket")
    return objects
  }
  return {
    async createBucket(bucket) {
      if (!buckets.has(bucket)) buckets.set(bucket, new Map())
    },
    async deleteBucket(bucket) {
      if (find(bucket).size > 0) throw new S3Error("BucketNotEmpty")
      buckets.delete(bucket)
    },
    put: async (bucket, key, object) => void find(bucket).set(key, object),
    async get(bucket, key) {
      const object = find(bucket).get(key)
      if (object === undefined) throw new S3Error("NoSuchKey")
      return object
    },
    remove: async (bucket, key) => void find(bucket).delete(key),
  }
}

async function removeUnfinished(bucketFolder: string): Promise<void> {
  for (const name of await readdir(bucketFolder)) {
    if (name.endsWith(UNFINISHED)) await rm(join(bucketFolder, name), { force: true })
  }
}

function isNamed(error: unknown, ...codes: string[]): boolean {
  return codes.includes(errorCodeOf(error))
}
