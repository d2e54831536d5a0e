import { apiKey, endpoint, MAX_SEALED_JSON_BYTES, payloadSchema } from "@sealway/http"
import * as z from "zod"
import type { FunctionDependencies } from "../dependencies.ts"
import { requireFunction } from "../deploy/manage-functions.ts"
import { issueRunToken } from "../request/run-token.ts"
import { functionPathSchema } from "./function-schema.ts"
import { runTokenSchema } from "./run-token-schema.ts"

const requestSchema = z.strictObject({
  payload: payloadSchema("The only payload that the token is valid for"),
})

export const createRunToken = endpoint({
  id: "create-run-token",
  method: "POST",
  path: "/functions/{function_name}/run-tokens",
  tag: "Functions",
  summary: "Issue a token that lets a frontend run a function once",
  description:
    "The token is valid for one `POST /functions/{function_name}/runs` with this payload, within 5 minutes. Payloads are compared as canonical JSON (RFC 8785), so white space, field order and number formats do not matter. The token stops working earlier if the API key that issued it is revoked or loses the scope `function:run`, or if the app is disabled.",
  auth: [apiKey("function:run")],
  reveals: "credentials",
  writes: true,
  request: {
    path: functionPathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_SEALED_JSON_BYTES },
  },
  status: 201,
  reply: { kind: "object", schema: runTokenSchema, description: "The token" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/keys", "kms:Decrypt/secret"],
  async answer({ principal: { app, apiKeyId }, path, body, task }, dependencies: FunctionDependencies) {
    const { name: functionName } = await requireFunction(dependencies, app, path.function_name)
    const { wallClock } = dependencies
    const wanted = { functionName, turns: task, payload: body.payload, apiKeyId }
    return { body: await issueRunToken(dependencies, app, wanted, wallClock()) }
  },
})
