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

/** Buckets and what is in them. @throws S3Error with `NoSuchBucket`, `NoSuchKey`, `BucketNotEmpty`, or `ServiceUnavailable` when the disk is full */
export interface ObjectStore {
  /** Nothing when there is one of this name. */
  createBucket(bucket: string): Promise<void>
  deleteBucket(bucket: string): Promise<void>
  /** The object can be read after a crash and a power cut once this resolves. */
  put(bucket: string, key: string, object: StoredObject): Promise<void>
  get(bucket: string, key: string): Promise<StoredObject>
  /** Nothing when there is none of this key. */
  remove(bucket: string, key: string): Promise<void>
}

const UNFINISHED = ".tmp"
const LINE_END = 0x0a
/** What the first line of an object's file tells. The key is there for whoever looks: nothing reads it. */
const headSchema = z.object({
  key: z.string(),
  contentType: z.string(),
  metadata: z.record(z.string(), z.string()),
})

/**
 * Keeps objects in a folder, made (mode 0700) where it is missing: a folder for each bucket, and in it a file (mode 0600) for
 * each object, named by the hash of its key. What a crash left unfinished is removed.
 */
export async function openObjectFolder(folder: string): Promise<ObjectStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const bucket of await readdir(folder)) await removeUnfinished(join(folder, bucket))

  const pathOf = (bucket: string) => join(folder, bucket)
  const fileOf = (bucket: string, key: string) =>
    join(pathOf(bucket), createHash("sha256").update(key).digest("hex"))

  let last: Promise<unknown> = Promise.resolve()
  /** Changes happen one after the other: two that write the same object share a temporary file. */
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
          // What was written so far takes room that others may need.
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

/** Keeps objects in memory. */
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
