import { apiKey, endpoint, timedKeyring } from "@sealway/http"
import { MAX_JSON_DEPTH, pointerAtOffset } from "@sealway/kernel"
import { DECISION_GRANTS, type DecisionContext } from "@sealway/policies"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import { DecryptionForbiddenError, recordDecryption, reportRefusal } from "@sealway/vault"
import type { FormatDependencies } from "../dependencies.ts"
import { requireFormat } from "../management/manage-formats.ts"
import { FORMAT_KEY_GRANTS, openFormat } from "../values/format-versions.ts"
import { transformJson } from "../values/transform-json.ts"
import { formatPathSchema } from "./format-schema.ts"
import { stringsBody, tweakHeadersSchema, tweakIn, versionIn, versionQuerySchema } from "./value-requests.ts"

export const decryptFormat = endpoint({
  id: "decrypt-format",
  method: "POST",
  path: "/formats/{format_id}/decrypt",
  tag: "Formats",
  summary: "Decrypt tokens of a format",
  description:
    "Replaces every string with the value that it stands for, if the policies of the format's role permit it. A token of this kind has no mark of its own: any text of the format decrypts to something.",
  auth: [apiKey("format:decrypt")],
  reveals: "values",
  request: {
    path: formatPathSchema,
    query: versionQuerySchema,
    headers: tweakHeadersSchema,
    body: stringsBody("tokens"),
  },
  status: 200,
  reply: { kind: "document", formats: ["json"], description: "The same body, decrypted" },
  replyHeaders: { "x-service-decrypted-values": "Number of values decrypted" },
  errors: ["not-found", "decrypt/forbidden"],
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
    const { role } = format
    const context: DecisionContext = { source: "api", ip: caller.ip, apiKeyId: principal.apiKeyId }
    let isStrict = false
    const { bytes, values } = await timing.measure("crypto", () =>
      transformJson(body.bytes, {
        task,
        allowance,
        async admit(count, first) {
          const decisions = await dependencies.dataRoles.decide(app, [{ role, values: count }], context)
          const { decision, reason, policyIds, accessLog } = decisions.get(role) ?? NO_DECISION
          if (decision !== "permit") {
            const pointer = pointerAtOffset(body.bytes, first, MAX_JSON_DEPTH)
            throw new DecryptionForbiddenError(pointer, { role, reason, policyIds })
          }
          isStrict = accessLog === "strict"
        },
        transform: (tokens) => decrypt(tokens, tweak, version),
      }),
    )
    await recordDecryption(
      dependencies,
      { app, author: authorOf(caller), source: context.source, apiKeyId: context.apiKeyId },
      { roles: new Map(values === 0 ? [] : [[role, values]]), withoutRole: 0, isStrict, masked: new Map() },
    )
    return { body: { format: body.format, bytes }, headers: { "x-service-decrypted-values": String(values) } }
  },
  onForbidden: reportRefusal,
})

const NO_DECISION = { decision: "deny", reason: "no-decision", policyIds: [], accessLog: "standard" } as const
