import {
  appPartition,
  pagesOf,
  type RecordOf,
  type RecordPage,
  type RecordPageRequest,
  recordsOf,
  type Table,
} from "@sealway/ports"
import * as z from "zod"

const described = {
  /** `file_…` */
  id: z.string(),
  name: z.string().nullable(),
  contentType: z.string(),
  /** Slug of the data role; null for none. */
  role: z.string().nullable(),
  /** The length of the content in bytes. */
  size: z.number(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  revision: z.number(),
}

const PREFIX = "file#"

const fileSchema = z.object({
  ...described,
  /** The header of the sealed file, in base64. It is authentic: the app's keys have opened it. Null: not stored yet. */
  header: z.string().nullable(),
  /** Epoch milliseconds. Null: not stored yet. */
  completedAt: z.number().nullable(),
})

/**
 * A file, or the place that its upload has reserved for it. A place is there from the beginning, so that whoever completes
 * an upload changes a record: what was deleted meanwhile does not come back.
 */
type FileRecord = RecordOf<typeof fileSchema>

/** A file that is stored completely. It never changes. */
export interface StoredFile extends FileRecord {
  readonly header: string
  readonly completedAt: number
}

export const fileRecords = recordsOf<FileRecord, "id">({
  prefix: PREFIX,
  schema: fileSchema,
  nameOf: ({ id }) => id,
})

/** True for a file, false for the place of one. */
export function isStored(file: FileRecord): file is StoredFile {
  return file.header !== null && file.completedAt !== null
}

/** Returns a page of the files that are stored completely, newest first. */
export async function pageStoredFiles(
  table: Pick<Table, "page">,
  appId: string,
  { limit, startingAfter }: RecordPageRequest,
): Promise<RecordPage<StoredFile>> {
  const after = startingAfter && PREFIX + startingAfter
  const found: StoredFile[] = []
  for await (const items of pagesOf(table, appPartition(appId), PREFIX, { limit: limit + 1, after })) {
    found.push(...items.map(fileRecords.read).filter(isStored))
    if (found.length > limit) break
  }
  return { data: found.slice(0, limit), hasMore: found.length > limit }
}

/** Finds a file that is stored completely. */
export async function findStoredFile(
  table: Pick<Table, "get">,
  appId: string,
  id: string,
): Promise<StoredFile | null> {
  const found = await fileRecords.find(table, appId, { id })
  return found !== null && isStored(found) ? found : null
}

const uploadSchema = z.object({
  ...described,
  /** Of the storage. */
  uploadId: z.string(),
  /** Epoch milliseconds. From then on, it accepts no parts. */
  endsAt: z.number(),
})

/** A file that is being uploaded. It has the id that the file will have. */
export type FileUpload = RecordOf<typeof uploadSchema>

export const uploadRecords = recordsOf<FileUpload, "id">({
  prefix: "file-upload#",
  schema: uploadSchema,
  nameOf: ({ id }) => id,
})

/** Returns where a file is in the storage. */
export function storageKeyOf(appId: string, { id }: Pick<StoredFile, "id">): string {
  return `${appId}/${id}`
}
