import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { FileDependencies } from "../dependencies.ts"
import { deleteFile as remove } from "../management/manage-files.ts"
import { filePathSchema } from "./file-schema.ts"

export const deleteFile = endpoint({
  id: "delete-file",
  method: "DELETE",
  path: "/files/{file_id}",
  tag: "Files",
  summary: "Delete a file",
  description:
    "Deletes the sealed file for good, or ends its upload. A download that is under way may still end; none can begin.",
  auth: [apiKey("file:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: filePathSchema },
  status: 204,
  reply: { kind: "none", description: "The file is deleted" },
  errors: ["not-found", "conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:DeleteItem/config",
    "s3:AbortMultipartUpload/files",
    "s3:DeleteObject/files",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, path, caller }, dependencies: FileDependencies) {
    await remove(dependencies, app, path.file_id, authorOf(caller))
    return { body: null }
  },
})
