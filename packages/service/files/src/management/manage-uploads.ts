import type { App } from "@sealway/accounts"
import { ConflictError, InvalidRequestError, isId, NotFoundError } from "@sealway/kernel"
import { requireUsableRole } from "@sealway/policies"
import type { StoredPart } from "@sealway/ports"
import { type AuditAuthor, type AuditEntry, appEntry, recordChanges } from "@sealway/records"
import { MAX_STREAM_HEADER_BYTES, streamHeaderBytes } from "@sealway/tokens"
import { createTokenOpener } from "@sealway/vault"
import type { FileDependencies } from "../dependencies.ts"
import { sealedFileBytes, sealedPartBytes, uploadPartsOf } from "../parts/part-sizes.ts"
import {
  type FileUpload,
  fileRecords,
  findStoredFile,
  isStored,
  type StoredFile,
  storageKeyOf,
  uploadRecords,
} from "../records/file-table.ts"
import { openFileHeader } from "./open-file-header.ts"

/** The maximum number of an app's files that are being uploaded. */
export const MAX_UPLOADS = 100

const DAY_MS = 24 * 60 * 60 * 1000
/** How long an upload accepts parts, and can be completed. The bucket's lifecycle ends it a day later. */
const UPLOAD_MS = 7 * DAY_MS
/** When an upload has ended for so long, no request that began before is still completing it. */
const REMOVED_AFTER_MS = DAY_MS
/** How many uploads that have ended a new one removes. */
const MAX_REMOVED = 5

export interface NewFile extends Pick<StoredFile, "name" | "contentType" | "role" | "size"> {}

const uploadChanges = recordChanges({
  records: uploadRecords,
  max: MAX_UPLOADS,
  tooMany: `An app has at most ${MAX_UPLOADS} files that are being uploaded. Complete or delete some.`,
  changedMeanwhile: "Another request has completed or deleted this upload.",
})

/**
 * Starts the upload of a file.
 *
 * @throws InvalidRequestError when there is no such role
 * @throws ConflictError when the app has the maximum number of uploads
 */
export async function createUpload(
  dependencies: FileDependencies,
  app: App,
  file: NewFile,
  author: AuditAuthor,
): Promise<FileUpload> {
  const { configTable, dataRoles, draws, storage, wallClock } = dependencies
  await requireUsableRole(dataRoles, app, "/role", file.role)
  const uploads = await uploadRecords.list(configTable, app.id)
  const createdAt = wallClock()
  const ended = uploads.filter(({ endsAt }) => endsAt + REMOVED_AFTER_MS < createdAt).slice(0, MAX_REMOVED)
  for (const each of ended) await removeEnded(dependencies, app, each)
  uploadChanges.requireRoom(uploads.filter((each) => !ended.includes(each)))
  const id = draws.newId("file", createdAt)
  const uploadId = await storage.createUpload(storageKeyOf(app.id, { id }))
  const upload = { ...file, id, uploadId, createdAt, endsAt: createdAt + UPLOAD_MS, revision: 1 }
  try {
    await uploadChanges.create(dependencies, entryOf(app, upload, "create", author), app.id, upload)
  } catch (error) {
    await storage.abortUpload({ key: storageKeyOf(app.id, upload), uploadId })
    throw error
  }
  const place = { ...file, id, createdAt, header: null, completedAt: null, revision: 1 }
  await fileRecords.create(configTable, app.id, place)
  // A repeated request may have created it before, and then with another upload of the storage.
  return requireUpload(dependencies, app, id)
}

/** Finds a file that is being uploaded. @throws NotFoundError when the app has no such upload */
export async function requireUpload(
  { configTable }: Pick<FileDependencies, "configTable">,
  app: App,
  id: string,
): Promise<FileUpload> {
  const found = isId("file", id) ? await uploadRecords.find(configTable, app.id, { id }) : null
  if (found === null) throw new NotFoundError("The upload")
  return found
}

/** @throws ConflictError when an upload accepts no parts any more */
export function requireOpen({ endsAt }: FileUpload, now: number): void {
  if (endsAt < now) throw hasEnded()
}

function hasEnded(): ConflictError {
  return new ConflictError("The upload has ended. Delete it, and upload the file again.")
}

/**
 * Completes an upload: makes a file of its parts, and opens the file's header. Each step can be repeated: whatever a
 * crash left undone is done by the next call.
 *
 * @param etags what the storage answered to the parts, in their order: only these become a file. Others have another key,
 * if two uploads have the same id (as those of one Idempotency-Key have), and nobody could read the mixture
 * @throws NotFoundError when the app has no such upload
 * @throws ConflictError when the upload has ended, or parts are missing or were replaced
 * @throws InvalidRequestError when what was uploaded is not a file that was sealed for the app with the role; it is
 * removed then
 */
export async function completeUpload(
  dependencies: FileDependencies,
  app: App,
  id: string,
  etags: readonly string[],
): Promise<StoredFile> {
  const { configTable, storage, wallClock } = dependencies
  const place = isId("file", id) ? await fileRecords.find(configTable, app.id, { id }) : null
  if (place === null) throw new NotFoundError("The upload")
  if (isStored(place)) {
    const left = await uploadRecords.find(configTable, app.id, { id })
    if (left !== null) await uploadRecords.remove(configTable, app.id, left)
    return place
  }
  const upload = await requireUpload(dependencies, app, id)
  requireOpen(upload, wallClock())
  const key = storageKeyOf(app.id, upload)
  await joinParts(dependencies, app, upload, etags)
  const object = await storage.readStart(key, MAX_STREAM_HEADER_BYTES)
  if (object === null) throw hasEnded()
  const header = await headerOf(dependencies, app, upload, object)
  if (header === null) {
    await removeUpload(dependencies, app, upload)
    throw new InvalidRequestError(
      "The parts are not a file that was sealed for this app with this role. They were removed: upload the file again.",
    )
  }
  const { name, contentType, role, size, createdAt } = upload
  const file: StoredFile = {
    id,
    name,
    contentType,
    role,
    size,
    createdAt,
    completedAt: wallClock(),
    header: Buffer.from(header).toString("base64"),
    revision: place.revision,
  }
  const isWritten = (await fileRecords.replace(configTable, app.id, file)) !== null
  // Another request may have completed it first, or deleted it.
  const stored = isWritten ? file : await findStoredFile(configTable, app.id, id)
  if (stored === null) throw new NotFoundError("The upload")
  await uploadRecords.remove(configTable, app.id, upload)
  return stored
}

/** Removes an upload that has ended. Of a file that a crash left beside it, only the record of the upload is removed. */
async function removeEnded(dependencies: FileDependencies, app: App, upload: FileUpload): Promise<void> {
  const file = await findStoredFile(dependencies.configTable, app.id, upload.id)
  if (file === null) await removeUpload(dependencies, app, upload)
  else await uploadRecords.remove(dependencies.configTable, app.id, upload)
}

/**
 * Removes an upload and its parts, or the file that was made of them. The record of the upload is removed last, so that a call
 * that was interrupted can be repeated.
 */
export async function removeUpload(
  dependencies: Pick<FileDependencies, "configTable" | "storage">,
  app: App,
  upload: FileUpload,
): Promise<void> {
  const { configTable, storage } = dependencies
  const key = storageKeyOf(app.id, upload)
  await storage.abortUpload({ key, uploadId: upload.uploadId })
  await removeFile(dependencies, app, upload.id)
  await storage.remove(key)
  await uploadRecords.remove(configTable, app.id, upload)
}

/**
 * Removes a file, its bytes first, or the place of one: then nobody completes it any more. If somebody has just done so, it
 * is a file to remove.
 */
export async function removeFile(
  { configTable, storage }: Pick<FileDependencies, "configTable" | "storage">,
  app: App,
  id: string,
): Promise<void> {
  for (let isGone = false; !isGone; ) {
    const file = await fileRecords.find(configTable, app.id, { id })
    if (file !== null && isStored(file)) await storage.remove(storageKeyOf(app.id, file))
    isGone = file === null || (await fileRecords.remove(configTable, app.id, file))
  }
}

/** Makes an object of the parts, unless an earlier call has. */
async function joinParts(
  { storage }: FileDependencies,
  app: App,
  upload: FileUpload,
  etags: readonly string[],
): Promise<void> {
  const stored = { key: storageKeyOf(app.id, upload), uploadId: upload.uploadId }
  const parts: StoredPart[] = []
  for (let hasMore = true; hasMore; ) {
    const page = await storage.listParts(stored, parts.at(-1)?.number ?? 0)
    if (page === null) return
    parts.push(...page.parts)
    hasMore = page.hasMore
  }
  requireAllParts(upload, parts)
  requireSentParts(parts, etags)
  if ((await storage.completeUpload(stored, parts)) === "changed") throw wasReplaced("A part")
}

/** @throws ConflictError naming how many parts are missing, and the first of them */
function requireAllParts(upload: FileUpload, parts: readonly StoredPart[]): void {
  const { parts: count } = uploadPartsOf(upload)
  const sizes = new Map(parts.map(({ number, size }) => [number, size]))
  const missing = Array.from({ length: count }, (_, index) => index + 1).filter(
    (number) => sizes.get(number) !== sealedPartBytes(upload, number),
  )
  const [first] = missing
  if (first !== undefined) {
    throw new ConflictError(
      `${missing.length} of ${count} parts are missing, the first is ${first}. Upload them, then complete the upload again.`,
    )
  }
}

/** @throws ConflictError naming the first part that is not the one that the caller has sent */
function requireSentParts(parts: readonly StoredPart[], etags: readonly string[]): void {
  const other = parts.find(({ etag }, index) => etag !== unquoted(etags[index] ?? ""))
  if (other !== undefined) throw wasReplaced(`Part ${other.number}`)
}

function wasReplaced(part: string): ConflictError {
  return new ConflictError(
    `${part} is not the one that \`etags\` names: another upload of this file has replaced it. Send it again, then complete the upload with its new ETag.`,
  )
}

/** An ETag is quoted in headers. */
function unquoted(etag: string): string {
  return etag.replaceAll('"', "")
}

/** Returns the authentic header of the stored object; null when it is not the file that was announced. */
async function headerOf(
  { keyring }: FileDependencies,
  app: App,
  upload: FileUpload,
  { start, size }: { readonly start: Uint8Array; readonly size: number },
): Promise<Uint8Array | null> {
  if (size !== sealedFileBytes(upload)) return null
  const opened = await openFileHeader(createTokenOpener(keyring, app), start)
  if (opened === null) return null
  const { bytes, role, chunkBytes } = opened.header
  const isAnnounced = role === upload.role && chunkBytes === uploadPartsOf(upload).chunkBytes
  // A longer header would leave less of the announced length to the content.
  return isAnnounced && bytes.length === streamHeaderBytes(upload.role) ? bytes : null
}

/** The name of a file may say much about its content: the audit log does not have it. */
export function entryOf(
  app: App,
  { id, role, size }: Pick<FileUpload, "id" | "role" | "size">,
  verb: "create" | "delete",
  author: AuditAuthor,
): AuditEntry {
  return appEntry(app, { type: "file", id }, verb, author, { role, size })
}
