import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { FormatDependencies } from "../dependencies.ts"
import { addVersion } from "../management/manage-formats.ts"
import { FORMAT_KEY_GRANTS } from "../values/format-versions.ts"
import { formatPathSchema, formatSchema, showFormat } from "./format-schema.ts"

export const rotateFormat = endpoint({
  id: "rotate-format",
  method: "POST",
  path: "/formats/{format_id}/versions",
  tag: "Formats",
  summary: "Add a version to a format",
  description:
    "Its key encrypts from now on, and is derived from the app's newest key version. Tokens of earlier versions decrypt with `version`, or by the character that names it; `POST /formats/{format_id}/rewrap` makes them tokens of the newest one.",
  auth: [apiKey("format:rotate")],
  reveals: "nothing",
  writes: true,
  request: { path: formatPathSchema },
  status: 201,
  reply: { kind: "object", schema: formatSchema, description: "The format" },
  errors: ["not-found", "conflict"],
  grants: [...FORMAT_KEY_GRANTS, "dynamodb:Query/config", "dynamodb:PutItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: FormatDependencies) {
    return { body: showFormat(await addVersion(dependencies, app, path.format_id, authorOf(caller))) }
  },
})
