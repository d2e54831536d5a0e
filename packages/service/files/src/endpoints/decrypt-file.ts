import { apiKey, endpoint, timedKeyring } from "@sealway/http"
import { DECISION_GRANTS } from "@sealway/policies"
import { AUDIT_GRANTS, OPENING_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import { auditRefusal, createTokenOpener, openingHeaders, RoleTally, recordDecryption } from "@sealway/vault"
import * as z from "zod"
import type { FileDependencies } from "../dependencies.ts"
import { requireFile } from "../management/manage-files.ts"
import { openFileHeader } from "../management/open-file-header.ts"
import { storageKeyOf } from "../records/file-table.ts"
import { clientUrlOf } from "./client-url.ts"
import { filePathSchema } from "./file-schema.ts"

const grantSchema = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    contentType: z.string(),
    size: z.int().describe("The length of the content in bytes"),
    key: z
      .string()
      .describe("The key of the file's chunks, 32 bytes in base64. It opens this file and nothing else"),
    headerBytes: z.int().describe("Where the first chunk begins in the sealed file"),
    chunkBytes: z.int().describe("The content of a chunk. Each is followed by a tag of 16 bytes"),
    url: z.string().describe("Where to read the sealed file, in any range, with GET and without credentials"),
    expiresAt: z.int().describe("Until when reading must have begun, in epoch milliseconds"),
  })
  .meta({ id: "FileGrant" })

export const decryptFile = endpoint({
  id: "decrypt-file",
  method: "POST",
  path: "/files/{file_id}/decrypt",
  tag: "Files",
  summary: "Get what decrypts a file",
  description:
    "Returns the key of the file, and a URL of the sealed file for 15 minutes. The policies of the file's data role decide; the access log records every success as one value, and the audit log every refusal. Whoever has the answer can decrypt the file from then on.",
  auth: [apiKey("api:decrypt")],
  reveals: "values",
  request: {
    path: filePathSchema,
    headers: z.object({ "x-service-reason": openingHeaders["x-service-reason"] }),
  },
  status: 200,
  reply: { kind: "object", schema: grantSchema, description: "The key and the URL" },
  errors: ["not-found", "decrypt/forbidden", "decrypt/reason-required"],
  grants: [
    "dynamodb:GetItem/config",
    "s3:GetObject/files",
    ...OPENING_GRANTS,
    ...DECISION_GRANTS,
    ...AUDIT_GRANTS,
  ],
  async answer({ principal, caller, path, headers, serviceOrigin, timing }, dependencies: FileDependencies) {
    const { dataRoles, keyring, storage, storagePath } = dependencies
    const { app, apiKeyId } = principal
    const file = await requireFile(dependencies, app, path.file_id)
    const { id, name, contentType, size } = file
    const opener = createTokenOpener(timedKeyring(keyring, timing), app)
    const opened = await openFileHeader(opener, Buffer.from(file.header, "base64"))
    if (opened === null) throw new Error("The header of a stored file does not open")
    const { header, key } = opened
    const tally = new RoleTally<string>()
    tally.add({ role: header.role, value: key }, "")
    const reason = headers["x-service-reason"] ?? null
    const decision = { source: "api", ip: caller.ip, apiKeyId, hasReason: reason !== null } as const
    const judgement = await tally.judge(
      async (roles) => timing.measure("policy", () => dataRoles.decide(app, roles, decision)),
      { takesReason: true },
    )
    if (judgement.refused !== null) throw judgement.refused.error("")
    const { url, expiresAt } = await storage.signDownload(storageKeyOf(app.id, file))
    const context = { app, author: authorOf(caller), source: "api", apiKeyId, reason } as const
    await recordDecryption(dependencies, context, judgement.values)
    return {
      body: {
        id,
        name,
        contentType,
        size,
        key: key.toString("base64"),
        expiresAt,
        headerBytes: header.bytes.length,
        chunkBytes: header.chunkBytes,
        url: clientUrlOf(url, storagePath, serviceOrigin),
      },
    }
  },
  async onForbidden({ principal: { app }, caller, endpointId }, error, { audit }: FileDependencies) {
    await auditRefusal(audit, app, authorOf(caller), error, { endpoint: endpointId })
  },
})
