import { apiKey, endpoint, listQuerySchema, listReplySchema, replyOf } from "@sealway/http"
import * as z from "zod"
import type { FileDependencies } from "../dependencies.ts"
import { type FileUpload, pageStoredFiles, type StoredFile, uploadRecords } from "../records/file-table.ts"
import { fileSchema, showFile } from "./file-schema.ts"

export const listFiles = endpoint({
  id: "list-files",
  method: "GET",
  path: "/files",
  tag: "Files",
  summary: "List the app's files",
  description: "Newest first: the files that are ready, or those that are being uploaded.",
  auth: [apiKey("file:list")],
  reveals: "nothing",
  request: {
    query: listQuerySchema("file").extend({
      status: z.enum(["uploading", "ready"]).default("ready").describe("Default: `ready`"),
    }),
  },
  status: 200,
  reply: { kind: "object", schema: listReplySchema(fileSchema, "FileList"), description: "A page of files" },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/config"],
  async answer({ principal: { app }, query }, { configTable }: FileDependencies) {
    const show = (file: StoredFile | FileUpload) => showFile(file, app)
    return {
      body:
        query.status === "ready"
          ? replyOf(await pageStoredFiles(configTable, app.id, query), show)
          : replyOf(await uploadRecords.page(configTable, app.id, query), show),
    }
  },
})
