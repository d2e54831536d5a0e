import { apiKey, endpoint, timedKeyring } from "@sealway/http"
import { ConflictError } from "@sealway/kernel"
import type { FormatDependencies } from "../dependencies.ts"
import { requireFormatInUse } from "../management/manage-formats.ts"
import { FORMAT_KEY_GRANTS, openFormat } from "../values/format-versions.ts"
import { transformJson } from "../values/transform-json.ts"
import { formatPathSchema } from "./format-schema.ts"
import { stringsBody, tweakHeadersSchema, tweakIn } from "./value-requests.ts"

export const encryptFormat = endpoint({
  id: "encrypt-format",
  method: "POST",
  path: "/formats/{format_id}/encrypt",
  tag: "Formats",
  summary: "Encrypt values to tokens of their format",
  description:
    "Replaces every string with a token of the same format. Equal values have equal tokens: whoever may encrypt can find a value among few by trying them, so this needs a scope, as decrypting does.",
  auth: [apiKey("format:encrypt")],
  reveals: "equality",
  request: { path: formatPathSchema, headers: tweakHeadersSchema, body: stringsBody("values") },
  status: 200,
  reply: { kind: "document", formats: ["json"], description: "The same body, encrypted" },
  errors: ["not-found", "conflict"],
  grants: [...FORMAT_KEY_GRANTS, "dynamodb:GetItem/config", "dynamodb:Query/config"],
  async answer(
    { principal: { app }, path, headers, body, timing, allowance, task },
    dependencies: FormatDependencies,
  ) {
    const format = await requireFormatInUse(dependencies, app, path.format_id)
    const role = await dependencies.dataRoles.find(app, format.role)
    if (role === null || role.archived) {
      throw new ConflictError("The data role of the format is archived, and encrypts no more.")
    }
    const { encrypt } = await openFormat(timedKeyring(dependencies.keyring, timing), app, format)
    const tweak = tweakIn(headers)
    const { bytes, values } = await timing.measure("crypto", () =>
      transformJson(body.bytes, { task, allowance, transform: (texts) => encrypt(texts, tweak) }),
    )
    dependencies.stats.count(app.id, { encrypted: values }, { role: format.role })
    return { body: { format: body.format, bytes } }
  },
})
