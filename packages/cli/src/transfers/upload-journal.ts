import { type FileHandle, open, readFile, rm } from "node:fs/promises"
import { errorCodeOf } from "@sealway/kernel"
import * as z from "zod"
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
type JournalHead = z.infer<typeof headSchema>

const PART = /^(?<number>\d+) (?<hash>[0-9a-f]{64})$/

/**
 * Notes the hash of each part before it is sent. The same part is always sealed with the same nonces, so it must never be
 * sealed with other content: then two contents of one nonce would tell much about each other.
 */
export interface UploadJournal extends JournalHead {
  /** @throws UsageFailure when the part had another content before */
  note(number: number, hash: string): Promise<void>
  close(): Promise<void>
  /** Removes the journal of a completed upload. */
  remove(): Promise<void>
}

export function journalPathOf(path: string): string {
  return `${path}.sealway-upload`
}

/** @throws UsageFailure when there is a journal already, or it cannot be written */
export async function startJournal(path: string, head: JournalHead): Promise<UploadJournal> {
  const file = await open(path, "wx", 0o600).catch((error) => {
    throw new UsageFailure(
      errorCodeOf(error) === "EEXIST"
        ? `An upload of this file was interrupted. Resume it, or remove ${path}.`
        : `${path} cannot be written.`,
      { cause: error },
    )
  })
  await file.appendFile(`${JSON.stringify(head)}\n`)
  await file.sync()
  return journalOf(path, file, head, new Map())
}

/** @throws UsageFailure when there is none */
export async function resumeJournal(path: string): Promise<UploadJournal> {
  const text = await readFile(path, "utf8").catch((error) => {
    throw new UsageFailure(`There is no interrupted upload of this file: ${path} cannot be read.`, {
      cause: error,
    })
  })
  const [first = "", ...lines] = text.split("\n")
  const hashes = new Map<number, string>()
  for (const line of lines) {
    const { number, hash } = PART.exec(line)?.groups ?? {}
    // Of the last line, a crash may have left a part: what it would say was never sent.
    if (number !== undefined && hash !== undefined) hashes.set(Number(number), hash)
  }
  const file = await open(path, "a", 0o600)
  await file.appendFile("\n")
  return journalOf(path, file, headSchema.parse(JSON.parse(first)), hashes)
}

function journalOf(
  path: string,
  file: FileHandle,
  head: JournalHead,
  hashes: Map<number, string>,
): UploadJournal {
  return {
    ...head,
    async note(number, hash) {
      const known = hashes.get(number)
      if (known === hash) return
      if (known !== undefined)
        throw new UsageFailure("The file has changed since its upload began. Upload it anew.")
      hashes.set(number, hash)
      await file.appendFile(`${number} ${hash}\n`)
      await file.sync()
    },
    close: () => file.close(),
    remove: () => rm(path, { force: true }),
  }
}
