import { apiKey, endpoint } from "@sealway/http"
import { USE_GRANTS } from "@sealway/policies"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { FileDependencies } from "../dependencies.ts"
import { createUpload } from "../management/manage-uploads.ts"
import { fileInputSchema, fileSchema, showFile } from "./file-schema.ts"

const MAX_BODY_BYTES = 16 * 1024

export const createFile = endpoint({
  id: "create-file",
  method: "POST",
  path: "/files",
  tag: "Files",
  summary: "Start the upload of a file",
  description:
    "The file is sealed by its sender and sent to the storage in parts: ask for their URLs, send them, then complete the upload. The SDK and the CLI do all of this. An upload ends after 7 days; an app has at most 100 at a time.",
  auth: [apiKey("file:create")],
  reveals: "nothing",
  writes: true,
  request: { body: { kind: "object", schema: fileInputSchema, maxBytes: MAX_BODY_BYTES } },
  status: 201,
  reply: { kind: "object", schema: fileSchema, description: "The file, without its content" },
  errors: ["conflict"],
  grants: [
    ...USE_GRANTS,
    ...AUDIT_GRANTS,
    "dynamodb:DeleteItem/config",
    "s3:PutObject/files",
    "s3:AbortMultipartUpload/files",
    "s3:DeleteObject/files",
  ],
  async answer({ principal: { app }, body, caller }, dependencies: FileDependencies) {
    const { name = null, contentType = "application/octet-stream", role = null, size } = body
    const upload = await createUpload(dependencies, app, { name, contentType, role, size }, authorOf(caller))
    return { body: showFile(upload, app) }
  },
})
