import { apiKey, deletingEndpoint, readingEndpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { FileDependencies } from "../dependencies.ts"
import { deleteFile as remove, requireFileOrUpload } from "../management/manage-files.ts"
import { filePathSchema, fileSchema, showFile } from "./file-schema.ts"

export const getFile = readingEndpoint({
  id: "get-file",
  path: "/files/{file_id}",
  tag: "Files",
  summary: "Get a file",
  description: "Without its content.",
  auth: [apiKey("file:read")],
  request: { path: filePathSchema },
  schema: fileSchema,
  reply: "The file",
  grants: ["dynamodb:GetItem/config"],
  async read({ principal: { app }, path }, dependencies: FileDependencies) {
    return showFile(await requireFileOrUpload(dependencies, app, path.file_id), app)
  },
})

export const deleteFile = deletingEndpoint({
  id: "delete-file",
  path: "/files/{file_id}",
  tag: "Files",
  summary: "Delete a file",
  description:
    "Deletes the sealed file for good, or ends its upload. A download that is under way may still end; none can begin.",
  auth: [apiKey("file:delete")],
  request: { path: filePathSchema },
  reply: "The file is deleted",
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:DeleteItem/config",
    "s3:AbortMultipartUpload/files",
    "s3:DeleteObject/files",
    ...AUDIT_GRANTS,
  ],
  async remove({ principal: { app }, path, caller }, dependencies: FileDependencies) {
    await remove(dependencies, app, path.file_id, authorOf(caller))
  },
})
