import { createHash, randomUUID } from "node:crypto"
import { access, mkdir, readdir, readFile, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { createFolderDurably, draftOf, syncFolder, writeFileDurably } from "../write-file-durably.ts"
import {
  headSchema,
  isNamed,
  nameOf,
  type Piece,
  partsIn,
  readHead,
  readPieces,
  UPLOAD_FILE,
  uploadSchema,
  writeDraft,
} from "./object-files.ts"
import { chooseParts, type ObjectStore, type UploadName } from "./object-store.ts"
import { S3Error } from "./s3-error.ts"

const UNFINISHED = ".tmp"
/** Of the number of a part and the `-` after it. */
const NUMBER_LENGTH = 6
/** `<hash of the key>.<upload id>` */
const UPLOAD_FOLDER = /^(?<object>[0-9a-f]{64})\.(?<uploadId>[0-9a-f-]{36})$/
const DAY_MS = 24 * 60 * 60 * 1000
/** The lifecycle of the cloud's bucket aborts uploads after as many days. */
const MAX_UPLOAD_AGE_MS = 8 * DAY_MS

/**
 * Stores objects in a folder, created (mode 0700) if missing: one folder per bucket, with one file (mode 0600) per
 * object, named by the hash of its key. The parts of an upload are in a folder beside it, and stay there when they become
 * an object. Removes what a crash or an abandoned upload left.
 */
export async function openObjectFolder(
  folder: string,
  wallClock: () => number = Date.now,
): Promise<ObjectStore> {
  await createFolderDurably(folder)
  const openedAt = wallClock()
  for (const bucket of await readdir(folder)) {
    await removeUnfinished(join(folder, bucket), openedAt - MAX_UPLOAD_AGE_MS)
  }
  /** When abandoned uploads of a bucket were removed last. */
  const cleanedAt = new Map<string, number>()

  const pathOf = (bucket: string) => join(folder, bucket)
  const fileOf = (bucket: string, key: string) =>
    join(pathOf(bucket), createHash("sha256").update(key).digest("hex"))
  const folderOf = ({ bucket, key, uploadId }: UploadName) => {
    const path = `${fileOf(bucket, key)}.${uploadId}`
    // The id comes from the client, and must not lead elsewhere.
    if (!/^[0-9a-f-]{36}$/.test(uploadId)) throw new S3Error("NoSuchUpload")
    return path
  }

  let last: Promise<unknown> = Promise.resolve()
  /** Runs changes one after another: two that write the same object share a temporary file. */
  function inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = last.then(change)
    last = changed.catch(() => undefined)
    return changed
  }
  /** Once a day, as the lifecycle of a bucket does. */
  async function removeAbandonedUploads(bucket: string): Promise<void> {
    const now = wallClock()
    if (now - (cleanedAt.get(bucket) ?? openedAt) < DAY_MS) return
    cleanedAt.set(bucket, now)
    await removeAbandoned(pathOf(bucket), now - MAX_UPLOAD_AGE_MS)
  }
  async function requireBucket(bucket: string): Promise<void> {
    await access(pathOf(bucket)).catch((error) => {
      throw isNamed(error, "ENOENT") ? new S3Error("NoSuchBucket") : error
    })
  }
  async function requireUpload(upload: UploadName) {
    const text = await readFile(join(folderOf(upload), UPLOAD_FILE), "utf8").catch((error) => {
      throw isNamed(error, "ENOENT") ? new S3Error("NoSuchUpload") : error
    })
    return uploadSchema.parse(JSON.parse(text))
  }
  /** Writes an object's file, and removes what it replaces. */
  async function replaceObject(file: string, content: Uint8Array): Promise<void> {
    const previous = await readHead(file).catch(() => null)
    await writeFileDurably(file, content).catch((error) => removeDraft(draftOf(file), error))
    if (previous?.head.upload !== undefined) await removeFolder(`${file}.${previous.head.upload.id}`)
  }

  return {
    createBucket: (bucket) => inTurn(() => createFolderDurably(pathOf(bucket))),
    put: (bucket, key, bytes) =>
      inTurn(async () => {
        await requireBucket(bucket)
        const head = Buffer.from(`${JSON.stringify({ key })}\n`)
        await replaceObject(fileOf(bucket, key), Buffer.concat([head, bytes]))
      }),
    async open(bucket, key) {
      await requireBucket(bucket)
      const file = fileOf(bucket, key)
      const { head, headBytes, fileBytes } = await readHead(file)
      const { upload } = head
      const pieces: Piece[] = []
      let size = 0
      const add = (path: string, offset: number, bytes: number) => {
        pieces.push({ path, offset, start: size, size: bytes })
        size += bytes
      }
      if (upload === undefined) add(file, headBytes, fileBytes - headBytes)
      else for (const part of upload.parts) add(join(`${file}.${upload.id}`, part.file), 0, part.size)
      return { size, read: (start, end) => readPieces(pieces, start, end) }
    },
    remove: (bucket, key) =>
      inTurn(async () => {
        await requireBucket(bucket)
        const file = fileOf(bucket, key)
        const { head } = await readHead(file).catch(() => ({ head: null }))
        await rm(file, { force: true })
        await syncFolder(dirname(file))
        if (head?.upload !== undefined) await removeFolder(`${file}.${head.upload.id}`)
      }),
    createUpload: (bucket, key) =>
      inTurn(async () => {
        await requireBucket(bucket)
        await removeAbandonedUploads(bucket)
        const uploadId = randomUUID()
        const path = folderOf({ bucket, key, uploadId })
        await mkdir(path, { mode: 0o700 })
        const content = Buffer.from(JSON.stringify({ key, createdAt: wallClock() }))
        await writeFileDurably(join(path, UPLOAD_FILE), content).catch(async (error) => {
          await removeFolder(path)
          throw fullDiskOr(error)
        })
        await syncFolder(pathOf(bucket))
        return uploadId
      }),
    async putPart(upload, number, content) {
      await requireUpload(upload)
      const path = folderOf(upload)
      const draft = join(path, randomUUID() + UNFINISHED)
      const etag = await writeDraft(draft, content).catch((error) => removeDraft(draft, error))
      return inTurn(async () => {
        // It may have been completed or aborted meanwhile.
        await requireUpload(upload).catch((error) => removeDraft(draft, error))
        const file = nameOf({ number, etag })
        await rename(draft, join(path, file))
        await syncFolder(path)
        for (const name of await readdir(path)) {
          if (name !== file && name.startsWith(file.slice(0, NUMBER_LENGTH)))
            await rm(join(path, name), { force: true })
        }
        return etag
      })
    },
    async listParts(upload) {
      await requireUpload(upload)
      return partsIn(folderOf(upload))
    },
    completeUpload: (upload, wanted) =>
      inTurn(async () => {
        const { key } = await requireUpload(upload)
        const path = folderOf(upload)
        const stored = await partsIn(path)
        const parts = chooseParts(stored, wanted)
        const named = parts.map((part) => ({ file: nameOf(part), size: part.size }))
        const head = { key, upload: { id: upload.uploadId, parts: named } }
        const content = Buffer.from(`${JSON.stringify(headSchema.parse(head))}\n`)
        await replaceObject(fileOf(upload.bucket, upload.key), content)
        await rm(join(path, UPLOAD_FILE), { force: true })
        const chosen = new Set(parts)
        for (const left of stored) if (!chosen.has(left)) await rm(join(path, nameOf(left)), { force: true })
      }),
    abortUpload: (upload) =>
      inTurn(async () => {
        await requireUpload(upload)
        await removeFolder(folderOf(upload))
        await syncFolder(pathOf(upload.bucket))
      }),
  }
}

/** Removes drafts, uploads that were abandoned before a time, and parts that belong neither to an upload nor an object. */
async function removeUnfinished(bucketFolder: string, abandonedBefore: number): Promise<void> {
  for (const name of await readdir(bucketFolder)) {
    const path = join(bucketFolder, name)
    if (name.endsWith(UNFINISHED)) await rm(path, { force: true })
    const { object, uploadId } = UPLOAD_FOLDER.exec(name)?.groups ?? {}
    if (object === undefined) continue
    const found = await findHead(join(bucketFolder, object))
    if (found === "unreadable") continue
    const isObject = found?.upload?.id === uploadId
    // A crash may have left it: the parts of an object must not be replaced.
    if (isObject) await rm(join(path, UPLOAD_FILE), { force: true })
    else if ((await startedAt(path)) < abandonedBefore) await removeFolder(path)
    else await removeDrafts(path)
  }
}

/** Removes uploads that were created before a time, while others are under way. */
async function removeAbandoned(bucketFolder: string, abandonedBefore: number): Promise<void> {
  for (const name of await readdir(bucketFolder)) {
    const { object, uploadId } = UPLOAD_FOLDER.exec(name)?.groups ?? {}
    if (object === undefined) continue
    const path = join(bucketFolder, name)
    const createdAt = await startedAt(path)
    // The parts of an object have no such time.
    if (createdAt === 0 || createdAt >= abandonedBefore) continue
    const found = await findHead(join(bucketFolder, object))
    // A crash may have left the time of an object's parts.
    if (found !== "unreadable" && found?.upload?.id !== uploadId) await removeFolder(path)
  }
}

/** Finds the head of an object's file. One that cannot be read may have parts that must not be removed. */
async function findHead(file: string) {
  try {
    return (await readHead(file)).head
  } catch (error) {
    return error instanceof S3Error ? null : "unreadable"
  }
}

/** Returns when an upload was created; 0 when it accepts no parts. */
async function startedAt(path: string): Promise<number> {
  const text = await readFile(join(path, UPLOAD_FILE), "utf8").catch(() => null)
  return text === null ? 0 : uploadSchema.parse(JSON.parse(text)).createdAt
}

async function removeDrafts(path: string): Promise<void> {
  for (const name of await readdir(path)) {
    if (name.endsWith(UNFINISHED)) await rm(join(path, name), { force: true })
  }
}

async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

/** An incomplete file takes space that others may need. */
async function removeDraft(draft: string, error: unknown): Promise<never> {
  await rm(draft, { force: true })
  throw fullDiskOr(error)
}

function fullDiskOr(error: unknown): unknown {
  return isNamed(error, "ENOSPC", "EDQUOT") ? new S3Error("ServiceUnavailable", { cause: error }) : error
}
