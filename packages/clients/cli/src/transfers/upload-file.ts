import { createHash } from "node:crypto"
import { type FileHandle, open } from "node:fs/promises"
import {
  completeFile,
  createFile,
  createFileKey,
  createFilePartUrls,
  getFile,
  getKeys,
  listFileParts,
  type File as StoredFile,
  type Transport,
  type UploadingFile,
} from "@sealway/sdk/api"
import { importStreamKey, sealPart, startStream } from "@sealway/tokens/portable"
import { reasonOf } from "../files/read-input.ts"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { discardBody } from "../terminal/send-request.ts"
import { askStorage, tryStorage } from "./storage-request.ts"
import {
  type JournalHead,
  journalPathOf,
  resumeJournal,
  startJournal,
  type UploadJournal,
} from "./upload-journal.ts"

export interface Upload {
  readonly host: CliHost
  readonly service: Transport
  /** The file's absolute path. */
  readonly path: string
  /** What the service is told about the file. */
  readonly described: { readonly name: string; readonly role: string | null; readonly contentType?: string }
  /** The file that an interrupted upload was making; null for a new one. */
  readonly resumed: string | null
  readonly onProgress: (bytes: number, size: number) => void
  /** Frees memory: each part leaves some megabytes of garbage. */
  readonly collect: () => void
  /** Called once the upload can be resumed. */
  readonly onStarted: (fileId: string) => void
}

/**
 * Seals a file and sends it to the storage, one part after the other: nothing but a part is in memory. Parts that the
 * storage has from this upload are not sent again.
 *
 * @returns the completed file
 * @throws UsageFailure when the file cannot be read, or has changed since an interrupted upload
 */
export async function uploadFile(upload: Upload): Promise<StoredFile> {
  const { service, path } = upload
  const file = await open(path, "r").catch((error) => {
    throw new UsageFailure(`The file cannot be read${reasonOf(error)}.`, { cause: error })
  })
  try {
    if (!(await file.stat()).isFile())
      throw new UsageFailure("Only regular files can be uploaded: their length must be known.")
    const source = await sourceOf(file)
    const journal = upload.resumed !== null ? await resume(upload, source) : await start(upload, source)
    upload.onStarted(journal.fileId)
    try {
      const etags = await sendParts(upload, file, journal)
      const { size, modifiedAtMs } = await sourceOf(file)
      // Its parts may be of different contents.
      if (size !== journal.size || modifiedAtMs !== journal.modifiedAtMs) throw hasChanged(path)
      const completed = await completeFile(service, { fileId: journal.fileId, body: { etags } })
      await journal.remove()
      return completed
    } finally {
      await journal.close()
    }
  } finally {
    await file.close()
  }
}

type Source = Pick<JournalHead, "size" | "modifiedAtMs">

async function sourceOf(file: FileHandle): Promise<Source> {
  const { size, mtimeMs } = await file.stat()
  return { size, modifiedAtMs: mtimeMs }
}

function start(upload: Upload, source: Source): Promise<UploadJournal> {
  return startJournal(journalPathOf(upload.path), () => announce(upload, source))
}

/** Announces a new file to the service, and makes its key. */
async function announce({ host, service, described }: Upload, source: Source): Promise<JournalHead> {
  const file = await createFile(service, { body: { ...described, size: source.size } })
  if (file.upload === null) throw new TypeError("A new file is being uploaded")
  return { ...source, fileId: file.id, ...(await keyOf(service, file, host.wallClock())) }
}

/** Makes the header and the key of a file with the app's public key, or gets them from the service. In base64. */
async function keyOf(
  service: Transport,
  { id: fileId, role, upload }: UploadingFile,
  nowMs: number,
): Promise<Pick<JournalHead, "header" | "key">> {
  if (upload.sealing === "symmetric") return createFileKey(service, { fileId })
  const { data: keys, headers } = await getKeys(service).withResponse()
  const debug = headers.get("x-service-debug-mode") === "true"
  const { header, key } = await startStream({
    role,
    debug,
    chunkBytes: upload.chunkBytes,
    encryptedAt: Math.floor(nowMs / 1000),
    appPublicKey: Buffer.from(keys.ecdhP256KeyUncompressed, "base64"),
  })
  return { header: Buffer.from(header).toString("base64"), key: Buffer.from(key).toString("base64") }
}

async function resume(
  { host, path, resumed }: Upload,
  { size, modifiedAtMs }: Source,
): Promise<UploadJournal> {
  const journal = await resumeJournal(journalPathOf(path), host.userId)
  if (journal.fileId !== resumed) {
    await journal.close()
    throw new UsageFailure(`The upload of this file that was interrupted is ${journal.fileId}.`)
  }
  if (journal.size === size && journal.modifiedAtMs === modifiedAtMs) return journal
  await journal.close()
  throw hasChanged(path)
}

function hasChanged(path: string): UsageFailure {
  return new UsageFailure(
    `The file has changed since its upload began. Remove ${journalPathOf(path)}, and upload the file again.`,
  )
}

/** Returns the ETags of the parts; none when the file is complete. */
async function sendParts(
  upload: Upload,
  file: FileHandle,
  journal: UploadJournal,
): Promise<readonly string[]> {
  const { service, host, onProgress, collect } = upload
  const { fileId, size } = journal
  const { upload: announced } = await getFile(service, { fileId })
  // An earlier call has completed it.
  if (announced === null) return []
  const { chunkBytes, partBytes, parts } = announced
  const header = Buffer.from(journal.header, "base64")
  const key = await importStreamKey(Buffer.from(journal.key, "base64"))
  const uploaded = upload.resumed !== null ? await uploadedParts(service, fileId) : new Map<number, string>()
  const etags: string[] = []
  const buffer = Buffer.alloc(Math.min(partBytes, size))
  for (let number = 1; number <= parts; number++) {
    const start = (number - 1) * partBytes
    const plaintext = buffer.subarray(0, Math.min(partBytes, size - start))
    await readExactly(file, plaintext, start)
    await journal.note(number, createHash("sha256").update(plaintext).digest("hex"))
    const stored = uploaded.get(number)
    if (stored !== undefined && (await journal.hasSent(number, stored))) etags.push(stored)
    else {
      const body = await sealPart(key, { header, chunkBytes, plaintextBytes: size, start, plaintext })
      const etag = await tryStorage(
        host,
        () => sendPart(upload, fileId, number, body),
        "The storage does not accept the file.",
      )
      await journal.noteSent(number, etag)
      etags.push(etag)
    }
    collect()
    onProgress(start + plaintext.length, size)
  }
  return etags
}

/** Asks for the URL each time: one that failed may have expired. Returns the ETag. */
async function sendPart(
  { host, service }: Upload,
  fileId: string,
  number: number,
  body: Uint8Array<ArrayBuffer>,
): Promise<string | null> {
  const { data } = await createFilePartUrls(service, { fileId, body: { parts: [number] } })
  const headers = { "content-length": String(body.length) }
  const answer = await askStorage(host, data[0]?.url ?? "", { method: "PUT", headers, body })
  if (answer === null) return null
  await discardBody(answer)
  // It is quoted in headers.
  return answer.headers.get("etag")?.replaceAll('"', "") ?? null
}

/** Returns the ETags of the parts that the storage has, by number. */
async function uploadedParts(service: Transport, fileId: string): Promise<ReadonlyMap<number, string>> {
  const etags = new Map<number, string>()
  for (let after = 0, hasMore = true; hasMore; ) {
    const page = await listFileParts(service, { fileId, after })
    for (const { number, etag } of page.data) etags.set(number, etag)
    after = page.data.at(-1)?.number ?? after
    hasMore = page.hasMore && page.data.length > 0
  }
  return etags
}

async function readExactly(file: FileHandle, bytes: Buffer, start: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at)
    if (bytesRead === 0) throw new UsageFailure("The file became shorter while it was being read.")
    at += bytesRead
  }
}
