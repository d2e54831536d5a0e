import { apiKey, endpoint } from "@sealway/http"
import { OPENING_GRANTS } from "@sealway/ports"
import * as z from "zod"
import type { FileDependencies } from "../dependencies.ts"
import { completeUpload } from "../management/manage-uploads.ts"
import { filePathSchema, fileSchema, showFile } from "./file-schema.ts"

const MAX_PARTS = 10_000
const MAX_BODY_BYTES = 1024 * 1024

export const completeFile = endpoint({
  id: "complete-file",
  method: "POST",
  path: "/files/{file_id}/complete",
  tag: "Files",
  summary: "Complete the upload of a file",
  description:
    "Makes a file of the uploaded parts, if they are those that `etags` names: parts of two uploads at once are never mixed. The file must have the announced length and role, and its header must open with the app's keys; otherwise the parts are removed. Completing a file again returns it, whatever `etags` names. From then on, nothing of it can change.",
  auth: [apiKey("file:create")],
  reveals: "resealed",
  writes: true,
  request: {
    path: filePathSchema,
    body: {
      kind: "object",
      schema: z
        .strictObject({
          etags: z
            .array(z.string().min(1).max(64))
            .max(MAX_PARTS)
            .describe("The `ETag` header that the storage answered to each part, in the order of the parts"),
        })
        .meta({ id: "FileCompletionInput" }),
      maxBytes: MAX_BODY_BYTES,
    },
  },
  status: 200,
  reply: { kind: "object", schema: fileSchema, description: "The file" },
  errors: ["not-found", "conflict", "invalid-request"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    "s3:ListMultipartUploadParts/files",
    "s3:PutObject/files",
    "s3:GetObject/files",
    "s3:ListBucket/files",
    "s3:AbortMultipartUpload/files",
    "s3:DeleteObject/files",
    ...OPENING_GRANTS,
  ],
  async answer({ principal: { app }, path, body }, dependencies: FileDependencies) {
    return { body: showFile(await completeUpload(dependencies, app, path.file_id, body.etags), app) }
  },
})
