import type { App } from "@sealway/accounts"
import { idParameter } from "@sealway/http"
import { ONE_LINE, ONE_LINE_RULE } from "@sealway/kernel"
import { ROLE_SLUG } from "@sealway/tokens"
import * as z from "zod"
import { MAX_FILE_BYTES, uploadPartsOf } from "../parts/part-sizes.ts"
import type { FileUpload, StoredFile } from "../records/file-table.ts"

const MEDIA_TYPE =
  /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:; ?[\w!#$&^.+-]{1,100}="?[\w!#$&^.+ -]{0,100}"?){0,3}$/

/** A number of a part. S3 has at most 10,000. */
export const partNumberSchema = z.int().min(1).max(10_000)

export const fileInputSchema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(255)
      .regex(ONE_LINE, ONE_LINE_RULE)
      .nullish()
      .describe("What people read in lists. It is stored in the clear. Default: none"),
    contentType: z
      .string()
      .regex(MEDIA_TYPE, "This must be a media type, such as application/pdf")
      .optional()
      .describe("Stored in the clear. Default: `application/octet-stream`"),
    role: z.string().regex(ROLE_SLUG).nullish().describe("Slug of the data role. Default: none"),
    size: z
      .int()
      .min(0)
      .max(MAX_FILE_BYTES)
      .describe("The length of the content in bytes, before it is sealed. At most 256 GiB"),
  })
  .meta({ id: "FileInput" })

const fileFields = {
  id: z.string(),
  name: z.string().nullable(),
  contentType: z.string(),
  role: z.string().nullable().describe("Slug of the data role"),
  size: z.int().describe("The length of the content in bytes"),
  createdAt: z.int().describe("Epoch milliseconds"),
}

const uploadSchema = z
  .object({
    chunkBytes: z.int().describe("The content of a chunk of the sealed file"),
    partBytes: z
      .int()
      .describe(
        "The content of a part, before it is sealed; the last one may have less. The first begins with the header",
      ),
    parts: z.int().describe("How many parts there are"),
    sealing: z
      .enum(["public-key", "symmetric"])
      .describe(
        "Where its header and key come from: made with the app's public key, or from `POST /files/{file_id}/key`",
      ),
    endsAt: z.int().describe("Until when parts are accepted, in epoch milliseconds"),
  })
  .describe("How to upload it")

export const fileSchema = z
  .discriminatedUnion("status", [
    z
      .object({ ...fileFields, status: z.literal("uploading"), upload: uploadSchema, completedAt: z.null() })
      .meta({ id: "UploadingFile" }),
    z
      .object({
        ...fileFields,
        status: z.literal("ready"),
        upload: z.null(),
        completedAt: z.int().describe("Epoch milliseconds"),
      })
      .meta({ id: "ReadyFile" }),
  ])
  .meta({ id: "File" })

export const filePathSchema = z.object({ file_id: idParameter("file", "Id of the file") })

/** Returns a file, or its upload, as callers see it. */
export function showFile(file: StoredFile | FileUpload, { sealing }: App): z.infer<typeof fileSchema> {
  const { id, name, contentType, role, size, createdAt } = file
  const shown = { id, name, contentType, role, size, createdAt }
  return "header" in file
    ? { ...shown, status: "ready", upload: null, completedAt: file.completedAt }
    : {
        ...shown,
        status: "uploading",
        upload: { ...uploadPartsOf(file), sealing, endsAt: file.endsAt },
        completedAt: null,
      }
}
