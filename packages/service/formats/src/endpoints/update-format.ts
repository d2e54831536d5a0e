import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { FormatDependencies } from "../dependencies.ts"
import { changeFormat } from "../management/manage-formats.ts"
import {
  descriptionSchema,
  formatPathSchema,
  formatSchema,
  MAX_FORMAT_BYTES,
  showFormat,
} from "./format-schema.ts"

const requestSchema = z
  .strictObject({
    description: descriptionSchema.exactOptional(),
    archived: z.boolean().exactOptional().describe("`true`: it encrypts no more. `false` restores it"),
  })
  .refine((changes) => Object.keys(changes).length > 0, "At least one field is required")

export const updateFormat = endpoint({
  id: "update-format",
  method: "PATCH",
  path: "/formats/{format_id}",
  tag: "Formats",
  summary: "Change the description of a format, or archive it",
  description: "An archived format encrypts no more. Its tokens still decrypt, so it is never deleted.",
  auth: [apiKey("format:update")],
  reveals: "nothing",
  writes: true,
  request: {
    path: formatPathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_FORMAT_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: formatSchema, description: "The format" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/config", "dynamodb:PutItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, body, caller }, dependencies: FormatDependencies) {
    return { body: showFormat(await changeFormat(dependencies, app, path.format_id, body, authorOf(caller))) }
  },
})
