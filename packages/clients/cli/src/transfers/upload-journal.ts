import { constants, type FileHandle, open, readFile, rm } from "node:fs/promises"
import { errorCodeOf } from "@sealway/kernel"
import * as z from "zod"
import { openOwn } from "../files/open-own.ts"
import { reasonOf } from "../files/read-input.ts"
import { UsageFailure } from "../terminal/failures.ts"

/** What an upload needs to be resumed. The key opens this file only, which is beside it in the clear. */
const headSchema = z.object({
  fileId: z.string(),
  /** In base64. */
  header: z.string(),
  key: z.string(),
  size: z.number(),
  modifiedAtMs: z.number(),
})
export type JournalHead = z.infer<typeof headSchema>

const PART = /^(?<number>\d+) (?<hash>[0-9a-f]{64})$/
const SENT = /^sent (?<number>\d+) (?<etag>[\w-]{1,64})$/
const LINE_END = 0x0a

/**
 * Notes the hash of each part before it is sent. The same part is always sealed with the same nonces, so it must never be
 * sealed with other content: then two contents of one nonce would tell much about each other. That holds for several
 * processes too: of what they note of a part, the first line counts.
 */
export interface UploadJournal extends JournalHead {
  /** @throws UsageFailure when the part had another content before */
  note(number: number, hash: string): Promise<void>
  /** Notes what the storage answered to a part. A process that resumes the upload knows by it that the part is this file's. */
  noteSent(number: number, etag: string): Promise<void>
  /** Whether a process with this journal has sent the part. */
  hasSent(number: number, etag: string): Promise<boolean>
  close(): Promise<void>
  /** Removes the journal of a completed upload. */
  remove(): Promise<void>
}

export function journalPathOf(path: string): string {
  return `${path}.sealway-upload`
}

/**
 * Creates a journal. One without a complete head is replaced: its process died before it sent anything.
 *
 * @param announce is called once nothing but the head is missing
 * @throws UsageFailure when there is a journal already, or it cannot be written
 */
export async function startJournal(
  path: string,
  announce: () => Promise<JournalHead>,
): Promise<UploadJournal> {
  const create = () => open(path, "ax+", 0o600)
  const createAgain = async (error: unknown) => {
    if (errorCodeOf(error) !== "EEXIST" || (await hasHead(path))) throw error
    await rm(path)
    return create()
  }
  const file = await create()
    .catch(createAgain)
    .catch((error) => {
      throw new UsageFailure(
        errorCodeOf(error) === "EEXIST"
          ? `An upload of this file was interrupted. Resume it, or remove ${path}.`
          : `${path} cannot be written${reasonOf(error)}.`,
        { cause: error },
      )
    })
  try {
    const head = await announce()
    const line = Buffer.from(`${JSON.stringify(head)}\n`)
    await append(path, file, line)
    return journalOf(path, file, head, line.length)
  } catch (error) {
    await file.close()
    await rm(path, { force: true })
    throw error
  }
}

/**
 * Opens the journal of an interrupted upload. It must be this user's: whoever wrote it knows the key of the file.
 *
 * @param userId null when files have no owners
 * @throws UsageFailure when there is none, it is another user's, or it has no head
 */
export async function resumeJournal(path: string, userId: number | null): Promise<UploadJournal> {
  const file = await openOwn(path, constants.O_RDWR | constants.O_APPEND, userId).catch((error) => {
    if (error instanceof UsageFailure) throw error
    throw new UsageFailure(`There is no interrupted upload of this file: ${path} cannot be read.`, {
      cause: error,
    })
  })
  try {
    const bytes = await readFrom(file, 0)
    const end = bytes.indexOf(LINE_END)
    const head = headSchema.parse(JSON.parse(bytes.toString("utf8", 0, end)))
    return journalOf(path, file, head, end + 1)
  } catch (error) {
    await file.close()
    throw new UsageFailure(`${path} is damaged. Remove it, and upload the file again.`, { cause: error })
  }
}

/** Whether a journal may have been used. It counts as used if it cannot be read. */
async function hasHead(path: string): Promise<boolean> {
  const bytes = await readFile(path).catch(() => null)
  return bytes === null || bytes.includes(LINE_END)
}

/** @param notesAt where the head ends, in bytes */
function journalOf(path: string, file: FileHandle, head: JournalHead, notesAt: number): UploadJournal {
  const hashes = new Map<number, string>()
  const sent = new Set<string>()
  let position = notesAt
  /** Reads what was noted meanwhile, by others too. */
  async function readNotes(): Promise<void> {
    const bytes = await readFrom(file, position)
    position += bytes.length
    for (const line of bytes.toString().split("\n")) {
      if (SENT.test(line)) sent.add(line)
      const { number, hash } = PART.exec(line)?.groups ?? {}
      // A crash may have left a part of a line: what it would say was never sent.
      if (number === undefined || hash === undefined || hashes.has(Number(number))) continue
      hashes.set(Number(number), hash)
    }
  }
  return {
    ...head,
    async note(number, hash) {
      await readNotes()
      if (!hashes.has(number)) {
        await append(path, file, Buffer.from(`\n${number} ${hash}\n`))
        await readNotes()
      }
      if (hashes.get(number) !== hash)
        throw new UsageFailure("The file has changed since its upload began. Upload it again.")
    },
    async noteSent(number, etag) {
      await append(path, file, Buffer.from(`\n${sentLine(number, etag)}\n`))
    },
    async hasSent(number, etag) {
      await readNotes()
      return sent.has(sentLine(number, etag))
    },
    close: () => file.close(),
    remove: () => rm(path, { force: true }),
  }
}

function sentLine(number: number, etag: string): string {
  return `sent ${number} ${etag}`
}

/** Lines of several processes do not mix: each is one write to a file that is open for appending. */
async function append(path: string, file: FileHandle, line: Uint8Array): Promise<void> {
  try {
    await file.appendFile(line)
    await file.sync()
  } catch (error) {
    throw new UsageFailure(`${path} cannot be written${reasonOf(error)}.`, { cause: error })
  }
}

async function readFrom(file: FileHandle, position: number): Promise<Buffer> {
  const { size } = await file.stat()
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - position), { position })
  return buffer.subarray(0, bytesRead)
}
