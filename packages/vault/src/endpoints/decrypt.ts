import { apiKey, endpoint } from "@sealway/platform"
import * as z from "zod"
import { decryptJson } from "../decrypt-json.ts"
import type { VaultDependencies } from "../dependencies.ts"
import { openUploadedFile } from "../open-uploaded-file.ts"
import { createTokenOpener } from "../token-opener.ts"

export const decrypt = endpoint({
  id: "decrypt",
  method: "POST",
  path: "/decrypt",
  tag: "Core",
  summary: "Decrypt JSON or a file",
  description:
    "Replaces every token of a JSON value by what it holds, with its type and its digits; everything else comes back as it was sent. One value that may not be decrypted refuses the whole request.",
  auth: [apiKey("api:decrypt")],
  request: {
    path: z.object({}),
    headers: z.object({}),
    body: { kind: "document", formats: ["json", "bytes"], description: "What to decrypt" },
  },
  status: 200,
  reply: { kind: "document", formats: ["json", "bytes"], description: "The same, decrypted" },
  errors: ["decrypt/forbidden"],
  grants: ["dynamodb:Query/config", "kms:Decrypt"],
  async answer({ principal: { app }, body }, { keyring, dataRoles }: VaultDependencies) {
    const opener = createTokenOpener(keyring, app)
    const bytes =
      body.format === "json"
        ? await decryptJson(body.bytes, opener, (role) => dataRoles.decide(app, role))
        : await openUploadedFile(body.bytes, opener)
    return { body: { format: body.format, bytes } }
  },
})
