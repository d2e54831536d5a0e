import {
  apiKey,
  deletingEndpoint,
  listQuerySchema,
  listReplySchema,
  readingEndpoint,
  replyOf,
} from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { FileDependencies } from "../dependencies.ts"
import { deleteFile as remove, requireFileOrUpload } from "../management/manage-files.ts"
import { type FileUpload, pageStoredFiles, type StoredFile, uploadRecords } from "../records/file-table.ts"
import { filePathSchema, fileSchema, showFile } from "./file-schema.ts"

export const listFiles = readingEndpoint({
  id: "list-files",
  path: "/files",
  tag: "Files",
  summary: "List the app's files",
  description: "Newest first: the files that are ready, or those that are being uploaded.",
  auth: [apiKey("file:list")],
  request: {
    query: listQuerySchema("file").extend({
      status: z.enum(["uploading", "ready"]).default("ready").describe("Default: `ready`"),
    }),
  },
  schema: listReplySchema(fileSchema, "FileList"),
  reply: "A page of files",
  grants: ["dynamodb:Query/config"],
  async read({ principal: { app }, query }, { configTable }: FileDependencies) {
    const show = (file: StoredFile | FileUpload) => showFile(file, app)
    return query.status === "ready"
      ? replyOf(await pageStoredFiles(configTable, app.id, query), show)
      : replyOf(await uploadRecords.page(configTable, app.id, query), show)
  },
})

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
