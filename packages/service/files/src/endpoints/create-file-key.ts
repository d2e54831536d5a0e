import { apiKey, endpoint } from "@sealway/http"
import { ConflictError } from "@sealway/kernel"
import { SEALING_GRANTS } from "@sealway/keys"
import { startSymmetricStream } from "@sealway/tokens"
import * as z from "zod"
import type { FileDependencies } from "../dependencies.ts"
import { requireOpen, requireUpload } from "../management/manage-uploads.ts"
import { uploadPartsOf } from "../parts/part-sizes.ts"
import { filePathSchema } from "./file-schema.ts"

const fileKeySchema = z
  .object({
    header: z.string().describe("What the sealed file begins with, in base64"),
    key: z
      .string()
      .describe("The key of the file's chunks, 32 bytes in base64. It opens this file and nothing else"),
  })
  .meta({ id: "FileKey" })

export const createFileKey = endpoint({
  id: "create-file-key",
  method: "POST",
  path: "/files/{file_id}/key",
  tag: "Files",
  summary: "Create a header and a key to seal a file with",
  description:
    'For apps with `sealing: "symmetric"`, whose files are not sealed to a public key. Each answer has another header and key, and nothing of it is stored: use one for all parts of the file, and never for another content.',
  auth: [apiKey("file:create")],
  reveals: "credentials",
  request: { path: filePathSchema },
  status: 200,
  reply: { kind: "object", schema: fileKeySchema, description: "The header and the key" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", ...SEALING_GRANTS],
  async answer({ principal: { app }, path }, dependencies: FileDependencies) {
    const { keyring, wallClock } = dependencies
    const upload = await requireUpload(dependencies, app, path.file_id)
    const now = wallClock()
    requireOpen(upload, now)
    if (app.sealing !== "symmetric") {
      throw new ConflictError("The app's files are sealed to its public key: take it from GET /keys.")
    }
    const { symmetric } = await keyring.newest(app, "value")
    const { header, key } = startSymmetricStream(symmetric, {
      role: upload.role,
      chunkBytes: uploadPartsOf(upload).chunkBytes,
      encryptedAt: Math.floor(now / 1000),
    })
    return {
      body: { header: Buffer.from(header).toString("base64"), key: Buffer.from(key).toString("base64") },
    }
  },
})
