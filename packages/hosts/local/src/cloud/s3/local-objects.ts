import { type OpenObjects, UnavailableError } from "@sealway/ports"
import { createUrlSigner } from "@sealway/ports/sign-url"
import { EMBEDDED_REGION, type EmbeddedCredentials } from "../credentials.ts"
import type { ObjectStore } from "./object-store.ts"
import { S3Error, type S3ErrorCode } from "./s3-error.ts"

/** As S3 does. */
const MAX_LISTED_PARTS = 1_000

const NO_OBJECT = new Map([["NoSuchKey", null]] as const)
const NO_UPLOAD = new Map([["NoSuchUpload", null]] as const)
const NOT_COMPLETED = new Map<S3ErrorCode, "changed" | "gone">([
  ["InvalidPart", "changed"],
  ["NoSuchUpload", "gone"],
])

/**
 * Opens buckets of a store of this process.
 *
 * @param endpoint where the store takes signed URLs: `http://127.0.0.1:<port>`
 */
export function openLocalObjects(
  store: ObjectStore,
  endpoint: string,
  credentials: EmbeddedCredentials,
): OpenObjects {
  return (bucket, wallClock) => {
    async function read(key: string, bytes: number) {
      const { size, read } = await store.open(bucket, key)
      return { start: Buffer.concat(await Array.fromAsync(read(0, Math.min(bytes, size)))), size }
    }
    return {
      ...createUrlSigner({
        credentials,
        region: EMBEDDED_REGION,
        bucketUrl: async () => `${endpoint}/${bucket}`,
        wallClock,
      }),

      put: (key, bytes) => resultOf(store.put(bucket, key, bytes)),

      async get(key) {
        const found = await resultOf(read(key, Number.POSITIVE_INFINITY), NO_OBJECT)
        return found?.start ?? null
      },

      readStart: (key, bytes) => resultOf(read(key, bytes), NO_OBJECT),

      remove: (key) => resultOf(store.remove(bucket, key)),

      createUpload: (key) => resultOf(store.createUpload(bucket, key)),

      async listParts(upload, after = 0) {
        const stored = await resultOf(store.listParts({ bucket, ...upload }), NO_UPLOAD)
        if (stored === null) return null
        const parts = stored.filter(({ number }) => number > after)
        return { parts: parts.slice(0, MAX_LISTED_PARTS), hasMore: parts.length > MAX_LISTED_PARTS }
      },

      async completeUpload(upload, parts) {
        const failure = await resultOf(store.completeUpload({ bucket, ...upload }, parts), NOT_COMPLETED)
        return failure ?? "completed"
      },

      async abortUpload(upload) {
        await resultOf(store.abortUpload({ bucket, ...upload }), NO_UPLOAD)
      },
    }
  }
}

/** Returns the result of work, or what an error of the store means. */
async function resultOf<Result, Meaning>(
  work: Promise<Result>,
  meanings: ReadonlyMap<S3ErrorCode, Meaning> = new Map(),
): Promise<Result | Meaning> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof S3Error)) throw error
    const meaning = meanings.get(error.code)
    if (meaning !== undefined) return meaning
    throw error.code === "ServiceUnavailable" ? new UnavailableError(error.message, { cause: error }) : error
  }
}
