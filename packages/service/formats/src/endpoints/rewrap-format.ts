import { apiKey, endpoint, timedKeyring } from "@sealway/http"
import { invalidField } from "@sealway/kernel"
import type { FormatDependencies } from "../dependencies.ts"
import { requireFormatInUse } from "../management/manage-formats.ts"
import { FORMAT_KEY_GRANTS, openFormat } from "../values/format-versions.ts"
import { transformJson } from "../values/transform-json.ts"
import { formatPathSchema } from "./format-schema.ts"
import { stringsBody, tweakHeadersSchema, tweakIn, versionIn, versionQuerySchema } from "./value-requests.ts"

export const rewrapFormat = endpoint({
  id: "rewrap-format",
  method: "POST",
  path: "/formats/{format_id}/rewrap",
  tag: "Formats",
  summary: "Re-encrypt tokens with the newest version of their format",
  description:
    "Decrypts with the version that the tokens are of, and encrypts with the newest. No plaintext is returned, and no permission to decrypt is needed.",
  auth: [apiKey("format:rewrap")],
  reveals: "resealed",
  request: {
    path: formatPathSchema,
    query: versionQuerySchema,
    headers: tweakHeadersSchema,
    body: stringsBody("tokens"),
  },
  status: 200,
  reply: { kind: "document", formats: ["json"], description: "The same body, re-encrypted" },
  errors: ["not-found", "conflict"],
  grants: [...FORMAT_KEY_GRANTS, "dynamodb:GetItem/config", "dynamodb:Query/config"],
  async answer(
    { principal: { app }, path, query, headers, body, timing, allowance, task },
    dependencies: FormatDependencies,
  ) {
    const format = await requireFormatInUse(dependencies, app, path.format_id)
    const version = versionIn(query, format)
    if (version === null && !format.versioned) {
      throw invalidField("/query/version", "Nothing in these tokens says which version they are of. Pass it.")
    }
    const versions = await openFormat(timedKeyring(dependencies.keyring, timing), app, format)
    const tweak = tweakIn(headers)
    const { bytes } = await timing.measure("crypto", () =>
      transformJson(body.bytes, {
        task,
        allowance,
        transform: (tokens) => versions.encrypt(versions.decrypt(tokens, tweak, version), tweak),
      }),
    )
    return { body: { format: body.format, bytes } }
  },
})
