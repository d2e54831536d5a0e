import { createHash, randomUUID } from "node:crypto"
import type { FileStorage } from "@sealway/files"
import { type Reach, WRITE } from "@sealway/ports/testing"

interface Upload {
  readonly key: string
  readonly parts: ReadonlyMap<number, Uint8Array>
}

/** The objects of a bucket, and the uploads in progress. */
export interface Bucket {
  readonly objects: Map<string, Uint8Array>
  readonly uploads: Map<string, Upload>
}

export const createBucket = (): Bucket => ({ objects: new Map(), uploads: new Map() })

/** S3 lists 1,000 at a time. Here two parts are two pages. */
const PARTS_PER_PAGE = 1

const etagOf = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex")

/** Uploads a part, as a client does with a presigned URL. @returns its ETag; null when the upload is over */
export function putPart({ uploads }: Bucket, uploadId: string, number: number, bytes: Uint8Array) {
  const upload = uploads.get(uploadId)
  if (upload === undefined) return null
  uploads.set(uploadId, { ...upload, parts: new Map([...upload.parts, [number, bytes]]) })
  return etagOf(bytes)
}

/** The storage of files, in memory. Behaves like S3: an upload is over when it is completed or aborted. */
export function createMemoryStorage({ objects, uploads }: Bucket, reach: Reach): FileStorage {
  const on = (key: string, isWrite: boolean) => ({ space: "bucket", name: key, isPrefix: false, isWrite })
  const reading = <Result>(text: string, key: string, act: () => Result) =>
    reach({ text: `s3.${text} ${key}`, access: on(key, false), faults: [] }, act)
  const writing = <Result>(text: string, key: string, act: () => Result) =>
    reach({ text: `s3.${text} ${key}`, access: on(key, true), faults: WRITE }, act)
  return {
    createUpload: (key) =>
      writing("createUpload", key, () => {
        const uploadId = randomUUID()
        uploads.set(uploadId, { key, parts: new Map() })
        return uploadId
      }),
    listParts: ({ key, uploadId }, after = 0) =>
      reading("listParts", key, () => {
        const upload = uploads.get(uploadId)
        if (upload === undefined) return null
        const parts = [...upload.parts]
          .filter(([number]) => number > after)
          .map(([number, bytes]) => ({ number, size: bytes.length, etag: etagOf(bytes) }))
        return { parts: parts.slice(0, PARTS_PER_PAGE), hasMore: parts.length > PARTS_PER_PAGE }
      }),
    completeUpload: ({ key, uploadId }, parts) =>
      writing("completeUpload", key, () => {
        const upload = uploads.get(uploadId)
        if (upload === undefined) return "gone"
        const stored = parts.map(({ number, etag }) => ({ bytes: upload.parts.get(number), etag }))
        const bytes = stored.flatMap((part) =>
          part.bytes !== undefined && etagOf(part.bytes) === part.etag ? [part.bytes] : [],
        )
        if (bytes.length < parts.length) return "changed"
        objects.set(key, Buffer.concat(bytes))
        uploads.delete(uploadId)
        return "completed"
      }),
    abortUpload: ({ key, uploadId }) => writing("abortUpload", key, () => void uploads.delete(uploadId)),
    readStart: (key, bytes) =>
      reading("readStart", key, () => {
        const object = objects.get(key)
        return object === undefined ? null : { start: object.subarray(0, bytes), size: object.length }
      }),
    remove: (key) => writing("remove", key, () => void objects.delete(key)),
    signPart: async ({ uploadId }) => ({ url: new URL(`https://storage.example/${uploadId}`), expiresAt: 0 }),
    signDownload: async (key) => ({ url: new URL(`https://storage.example/${key}`), expiresAt: 0 }),
  }
}
