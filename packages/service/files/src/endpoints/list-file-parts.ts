import { apiKey, readingEndpoint } from "@sealway/http"
import * as z from "zod"
import type { FileDependencies } from "../dependencies.ts"
import { requireUpload } from "../management/manage-uploads.ts"
import { storageKeyOf } from "../records/file-table.ts"
import { filePathSchema } from "./file-schema.ts"

const numberSchema = z.stringFormat("number of a part", /^[0-9]{1,5}$/).transform(Number)

export const listFileParts = readingEndpoint({
  id: "list-file-parts",
  path: "/files/{file_id}/parts",
  tag: "Files",
  summary: "List the uploaded parts of a file",
  description:
    "In ascending order, 1,000 at a time: to resume an upload, send those that are missing, or are not yours.",
  auth: [apiKey("file:create")],
  request: {
    path: filePathSchema,
    query: z.strictObject({
      after: numberSchema.optional().describe("The last number of the previous page"),
    }),
  },
  schema: z
    .object({
      data: z.array(
        z.object({
          number: z.int(),
          size: z.int().describe("The length of the sealed part"),
          etag: z.string().describe("Changes when the part is sent again. What completing asks for"),
        }),
      ),
      hasMore: z.boolean().describe("Whether there are parts with higher numbers"),
    })
    .meta({ id: "FilePartList" }),
  reply: "A page of parts",
  grants: ["dynamodb:GetItem/config", "s3:ListMultipartUploadParts/files"],
  async read({ principal: { app }, path, query }, dependencies: FileDependencies) {
    const upload = await requireUpload(dependencies, app, path.file_id)
    const stored = { key: storageKeyOf(app.id, upload), uploadId: upload.uploadId }
    // Without an upload in the storage, it was completed or has ended: completing it tells which.
    const { parts, hasMore } = (await dependencies.storage.listParts(stored, query.after)) ?? {
      parts: [],
      hasMore: false,
    }
    return { data: parts, hasMore }
  },
})
