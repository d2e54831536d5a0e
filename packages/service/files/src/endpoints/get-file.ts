import { apiKey, endpoint } from "@sealway/http"
import type { FileDependencies } from "../dependencies.ts"
import { requireFileOrUpload } from "../management/manage-files.ts"
import { filePathSchema, fileSchema, showFile } from "./file-schema.ts"

export const getFile = endpoint({
  id: "get-file",
  method: "GET",
  path: "/files/{file_id}",
  tag: "Files",
  summary: "Get a file",
  description: "Without its content.",
  auth: [apiKey("file:read")],
  reveals: "nothing",
  request: { path: filePathSchema },
  status: 200,
  reply: { kind: "object", schema: fileSchema, description: "The file" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config"],
  async answer({ principal: { app }, path }, dependencies: FileDependencies) {
    return { body: showFile(await requireFileOrUpload(dependencies, app, path.file_id), app) }
  },
})
