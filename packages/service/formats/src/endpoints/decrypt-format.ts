import { apiKey, endpoint, timedKeyring } from "@sealway/http"
import { DECISION_GRANTS } from "@sealway/policies"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import {
  DECRYPTION_HEADERS,
  decryptionHeaders,
  openingHeaders,
  recordDecryption,
  reportRefusal,
} from "@sealway/vault"
import type { FormatDependencies } from "../dependencies.ts"
import { requireFormat } from "../management/manage-formats.ts"
import { decryptFormatJson } from "../values/decrypt-format-json.ts"
import { FORMAT_KEY_GRANTS, openFormat } from "../values/format-versions.ts"
import { formatPathSchema } from "./format-schema.ts"
import { stringsBody, tweakHeadersSchema, tweakIn, versionIn, versionQuerySchema } from "./value-requests.ts"

export const decryptFormat = endpoint({
  id: "decrypt-format",
  method: "POST",
  path: "/formats/{format_id}/decrypt",
  tag: "Formats",
  summary: "Decrypt tokens of a format",
  description:
    "Replaces every string with the value that it stands for, or a mask of it, as the policies of the format's role permit. A token of this kind has no mark of its own: any text of the format decrypts to something.",
  auth: [apiKey("format:decrypt")],
  reveals: "values",
  request: {
    path: formatPathSchema,
    query: versionQuerySchema,
    headers: tweakHeadersSchema.extend(openingHeaders),
    body: stringsBody("tokens"),
  },
  status: 200,
  reply: { kind: "document", formats: ["json"], description: "The same body, decrypted" },
  replyHeaders: DECRYPTION_HEADERS,
  errors: ["not-found", "decrypt/forbidden", "decrypt/masked-only", "decrypt/reason-required"],
  grants: [
    ...FORMAT_KEY_GRANTS,
    ...DECISION_GRANTS,
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    ...AUDIT_GRANTS,
  ],
  async answer(
    { principal, caller, path, query, headers, body, timing, allowance, task },
    dependencies: FormatDependencies,
  ) {
    const { app } = principal
    const format = await requireFormat(dependencies, app, path.format_id)
    const version = versionIn(query, format)
    const { decrypt } = await openFormat(timedKeyring(dependencies.keyring, timing), app, format)
    const tweak = tweakIn(headers)
    const reason = headers["x-service-reason"] ?? null
    const { apiKeyId } = principal
    const context = { source: "api", ip: caller.ip, apiKeyId, hasReason: reason !== null } as const
    const { bytes, values } = await timing.measure("crypto", () =>
      decryptFormatJson(body.bytes, {
        task,
        allowance,
        role: format.role,
        decide: (roles) => timing.measure("policy", () => dependencies.dataRoles.decide(app, roles, context)),
        reveal: headers["x-service-reveal"] ?? "any",
        transform: (tokens) => decrypt(tokens, tweak, version),
      }),
    )
    const author = authorOf(caller)
    await recordDecryption(dependencies, { app, author, source: context.source, apiKeyId, reason }, values)
    return { body: { format: body.format, bytes }, headers: decryptionHeaders(values) }
  },
  onForbidden: reportRefusal,
})
