import { apiKey, endpoint } from "@sealway/http"
import { invalidField, KB, MB } from "@sealway/kernel"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { FunctionDependencies } from "../dependencies.ts"
import { deployFunction as deploy } from "../deploy/deploy-function.ts"
import { MAX_ZIP_BYTES } from "../deploy/source-zip.ts"
import { functionSchema, nameSchema, settingsFields, showFunction } from "./function-schema.ts"

/** Base64 of the largest zip. */
const MAX_CODE_CHARACTERS = Math.ceil(MAX_ZIP_BYTES / 3) * 4
const MAX_BODY_BYTES = MAX_CODE_CHARACTERS + 16 * KB

const requestSchema = z.strictObject({
  name: nameSchema,
  ...settingsFields,
  code: z
    .string()
    .min(1)
    .describe(`A zip of the function's files and dependencies, up to ${MAX_ZIP_BYTES / MB} MB, in base64`),
})

export const deployFunction = endpoint({
  id: "deploy-function",
  method: "POST",
  path: "/functions",
  tag: "Functions",
  summary: "Deploy a function",
  description:
    "Creates a function, or a new deployment of the function with this name. The deployment continues after the response: `GET /functions/{function_name}` shows when it is `ready` or `failed`. Until it is ready, and after a failure, the previous deployment serves.",
  auth: [apiKey("function:create")],
  reveals: "nothing",
  writes: true,
  request: { body: { kind: "object", schema: requestSchema, maxBytes: MAX_BODY_BYTES } },
  status: 202,
  reply: { kind: "object", schema: functionSchema, description: "The function, deploying" },
  errors: ["conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    "dynamodb:PutItem/runs",
    "s3:PutObject",
    "s3:DeleteObject",
    "sqs:SendMessage/function-runs",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, body, caller }, dependencies: FunctionDependencies) {
    const { name, code, ...settings } = body
    return {
      body: showFunction(await deploy(dependencies, app, name, settings, decodeCode(code), authorOf(caller))),
    }
  },
})

/** Node.js decodes base64 leniently. Only valid base64 is the same when encoded again. */
function decodeCode(code: string): Buffer {
  const zip = Buffer.from(code, "base64")
  if (zip.toString("base64") === code) return zip
  throw invalidField("/code", "The code is not base64.")
}
