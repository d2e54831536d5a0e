import { apiKey, endpoint } from "@sealway/http"
import { invalidField } from "@sealway/kernel"
import * as z from "zod"
import type { FileDependencies } from "../dependencies.ts"
import { requireOpen, requireUpload } from "../management/manage-uploads.ts"
import { sealedPartBytes, uploadPartsOf } from "../parts/part-sizes.ts"
import { storageKeyOf } from "../records/file-table.ts"
import { clientUrlOf } from "./client-url.ts"
import { filePathSchema, partNumberSchema } from "./file-schema.ts"

const MAX_URLS = 100
const MAX_BODY_BYTES = 16 * 1024

const partUrlSchema = z
  .object({
    number: z.int(),
    size: z.int().describe("The length of the sealed part in bytes. The storage accepts no other"),
    url: z.string().describe("Where to send the part, with PUT and without credentials"),
    expiresAt: z.int().describe("Until when it must have begun, in epoch milliseconds"),
  })
  .meta({ id: "FilePartUrl" })

export const createFilePartUrls = endpoint({
  id: "create-file-part-urls",
  method: "POST",
  path: "/files/{file_id}/part-urls",
  tag: "Files",
  summary: "Get the URLs of parts to upload",
  description:
    "Each URL accepts one sealed part, of exactly its length, for an hour. A part that is sent again replaces the one before, until the upload is completed. Changes nothing itself.",
  auth: [apiKey("file:create")],
  reveals: "nothing",
  request: {
    path: filePathSchema,
    body: {
      kind: "object",
      schema: z
        .strictObject({
          parts: z
            .array(partNumberSchema)
            .min(1)
            .max(MAX_URLS)
            .describe("Numbers of parts, from 1. At most 100"),
        })
        .meta({ id: "FilePartUrlsInput" }),
      maxBytes: MAX_BODY_BYTES,
    },
  },
  status: 200,
  reply: {
    kind: "object",
    schema: z.object({ data: z.array(partUrlSchema) }).meta({ id: "FilePartUrls" }),
    description: "A URL for each part",
  },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "s3:PutObject/files"],
  async answer({ principal: { app }, path, body, serviceOrigin }, dependencies: FileDependencies) {
    const { storage, storagePath, wallClock } = dependencies
    const upload = await requireUpload(dependencies, app, path.file_id)
    requireOpen(upload, wallClock())
    const { parts } = uploadPartsOf(upload)
    const index = body.parts.findIndex((number) => number > parts)
    if (index !== -1) throw invalidField(`/parts/${index}`, `The file has ${parts} parts.`)
    const stored = { key: storageKeyOf(app.id, upload), uploadId: upload.uploadId }
    const signing = body.parts.map(async (number) => {
      const size = sealedPartBytes(upload, number)
      const { url, expiresAt } = await storage.signPart(stored, { number, size })
      return { number, size, url: clientUrlOf(url, storagePath, serviceOrigin), expiresAt }
    })
    return { body: { data: await Promise.all(signing) } }
  },
})
