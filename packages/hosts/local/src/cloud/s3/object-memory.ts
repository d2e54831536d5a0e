import { createHash, randomUUID } from "node:crypto"
import { chooseParts, type ObjectStore, type UploadName } from "./object-store.ts"
import { S3Error } from "./s3-error.ts"

interface Upload {
  readonly bucket: string
  readonly key: string
  readonly parts: Map<number, { readonly etag: string; readonly bytes: Uint8Array }>
}

/** Stores objects in memory. */
export function createObjectMemory(): ObjectStore {
  const buckets = new Map<string, Map<string, Uint8Array>>()
  const uploads = new Map<string, Upload>()
  const find = (bucket: string) => {
    const objects = buckets.get(bucket)
    if (objects === undefined) throw new S3Error("NoSuchBucket")
    return objects
  }
  const findUpload = ({ bucket, key, uploadId }: UploadName) => {
    const upload = uploads.get(uploadId)
    if (upload?.bucket !== bucket || upload.key !== key) throw new S3Error("NoSuchUpload")
    return upload
  }
  const partsOf = ({ parts }: Upload) =>
    [...parts].map(([number, { etag, bytes }]) => ({ number, etag, size: bytes.length }))
  return {
    async createBucket(bucket) {
      if (!buckets.has(bucket)) buckets.set(bucket, new Map())
    },
    put: async (bucket, key, bytes) => void find(bucket).set(key, bytes),
    async open(bucket, key) {
      const bytes = find(bucket).get(key)
      if (bytes === undefined) throw new S3Error("NoSuchKey")
      return { size: bytes.length, read: (start, end) => only(bytes.subarray(start, end)) }
    },
    remove: async (bucket, key) => void find(bucket).delete(key),
    async createUpload(bucket, key) {
      find(bucket)
      const uploadId = randomUUID()
      uploads.set(uploadId, { bucket, key, parts: new Map() })
      return uploadId
    },
    async putPart(name, number, content) {
      findUpload(name)
      const bytes = Buffer.concat(await Array.fromAsync(content))
      const etag = createHash("md5").update(bytes).digest("hex")
      findUpload(name).parts.set(number, { etag, bytes })
      return etag
    },
    listParts: async (name) => partsOf(findUpload(name)).sort((left, right) => left.number - right.number),
    async completeUpload(name, wanted) {
      const upload = findUpload(name)
      const chosen = chooseParts(partsOf(upload), wanted)
      const bytes = Buffer.concat(
        chosen.map(({ number }) => upload.parts.get(number)?.bytes ?? Buffer.alloc(0)),
      )
      find(name.bucket).set(name.key, bytes)
      uploads.delete(name.uploadId)
    },
    async abortUpload(name) {
      findUpload(name)
      uploads.delete(name.uploadId)
    },
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
