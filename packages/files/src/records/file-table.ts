import { type RecordOf, recordsOf } from "@sealway/platform"
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

const fileSchema = z.object({
  ...described,
  /** The header of the sealed file, in base64. It is authentic: the app's keys have opened it. */
  header: z.string(),
  /** Epoch milliseconds. */
  completedAt: z.number(),
})

/** A file that is stored completely. It never changes. */
export type StoredFile = RecordOf<typeof fileSchema>

export const fileRecords = recordsOf<StoredFile, "id">({
  prefix: "file#",
  schema: fileSchema,
  nameOf: ({ id }) => id,
})

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
