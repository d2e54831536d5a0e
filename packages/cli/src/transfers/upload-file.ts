import { createHash } from "node:crypto"
import { type FileHandle, open } from "node:fs/promises"
import { importStreamKey, sealPart, startStream } from "@sealway/tokens/portable"
import * as z from "zod"
import { reasonOf } from "../files/read-input.ts"
import { readAnswer } from "../service/answers.ts"
import { jsonBody } from "../service/json-body.ts"
import type { ServiceClient } from "../service/service-client.ts"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { discardBody } from "../terminal/send-request.ts"
import { askStorage, tryStorage } from "./storage-request.ts"
import { type StoredFile, storedFileSchema } from "./stored-file.ts"
import {
  type JournalHead,
  journalPathOf,
  resumeJournal,
  startJournal,
  type UploadJournal,
} from "./upload-journal.ts"

export interface Upload {
  readonly host: CliHost
  readonly service: ServiceClient
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

const keySchema = z.object({ ecdhP256KeyUncompressed: z.string() })
const fileKeySchema = z.object({ header: z.string(), key: z.string() })
const urlsSchema = z.object({ data: z.array(z.object({ url: z.string() })).length(1) })
const partsSchema = z.object({
  data: z.array(z.object({ number: z.number(), etag: z.string() })),
  hasMore: z.boolean(),
})

/**
 * Seals a file and sends it to the storage, one part after the other: nothing but a part is in memory. Parts that the
 * storage has from this upload are not sent again.
 *
 * @returns the JSON of the completed file
 * @throws UsageFailure when the file cannot be read, or has changed since an interrupted upload
 */
export async function uploadFile(
  upload: Upload,
): Promise<{ readonly text: string; readonly value: StoredFile }> {
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
      const call = {
        method: "POST",
        path: ["files", journal.fileId, "complete"],
        body: jsonBody({ etags }),
      } as const
      const completed = await readAnswer(await service.send(call), storedFileSchema)
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
  const body = jsonBody({ ...described, size: source.size })
  const { value: file } = await readAnswer(
    await service.send({ method: "POST", path: ["files"], body }),
    storedFileSchema,
  )
  return { ...source, fileId: file.id, ...(await keyOf(service, file, host.wallClock())) }
}

/** Makes the header and the key of a file with the app's public key, or gets them from the service. In base64. */
async function keyOf(
  service: ServiceClient,
  { id, role, upload }: StoredFile,
  nowMs: number,
): Promise<Pick<JournalHead, "header" | "key">> {
  if (upload === null) throw new Error("A new file is being uploaded")
  if (upload.sealing === "symmetric") {
    const answer = await service.send({ method: "POST", path: ["files", id, "key"], writes: false })
    return (await readAnswer(answer, fileKeySchema)).value
  }
  const answer = await service.send({ method: "GET", path: ["keys"] })
  const debug = answer.headers.get("x-service-debug-mode") === "true"
  const { value: keys } = await readAnswer(answer, keySchema)
  const { header, key } = await startStream({
    ...{ role, debug, chunkBytes: upload.chunkBytes, encryptedAt: Math.floor(nowMs / 1000) },
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
  const { value } = await readAnswer(
    await service.send({ method: "GET", path: ["files", fileId] }),
    storedFileSchema,
  )
  // An earlier call has completed it.
  if (value.upload === null) return []
  const { chunkBytes, partBytes, parts } = value.upload
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
  const call = {
    method: "POST",
    path: ["files", fileId, "part-urls"],
    body: jsonBody({ parts: [number] }),
    writes: false,
  } as const
  const { value } = await readAnswer(await service.send(call), urlsSchema)
  const headers = { "content-length": String(body.length) }
  const answer = await askStorage(host, value.data[0]?.url ?? "", { method: "PUT", headers, body })
  if (answer === null) return null
  await discardBody(answer)
  // It is quoted in headers.
  return answer.headers.get("etag")?.replaceAll('"', "") ?? null
}

/** Returns the ETags of the parts that the storage has, by number. */
async function uploadedParts(service: ServiceClient, fileId: string): Promise<ReadonlyMap<number, string>> {
  const etags = new Map<number, string>()
  for (let after = 0, hasMore = true; hasMore; ) {
    const query = { after: String(after) }
    const answer = await service.send({ method: "GET", path: ["files", fileId, "parts"], query })
    const { value } = await readAnswer(answer, partsSchema)
    for (const { number, etag } of value.data) etags.set(number, etag)
    after = value.data.at(-1)?.number ?? after
    hasMore = value.hasMore && value.data.length > 0
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
