import { apiKey, endpoint, MAX_SEALED_JSON_BYTES, payloadSchema } from "@sealway/http"
import type { FunctionDependencies } from "../dependencies.ts"
import { requireFunction } from "../deploy/manage-functions.ts"
import { issueRunToken } from "../request/run-token.ts"
import { functionPathSchema } from "./function-schema.ts"
import { runTokenSchema } from "./run-token-schema.ts"

const requestSchema = payloadSchema("The only payload that the token is valid for")

export const createRunTokenV2 = endpoint({
  id: "create-run-token-v2",
  method: "POST",
  path: "/v2/functions/{function_name}/run-token",
  tag: "Functions",
  summary: "Issue a run token (for older clients)",
  description:
    "Like `POST /functions/{function_name}/run-tokens`, with the payload itself as the body. An empty body is the payload `{}`.",
  auth: [apiKey("function:run")],
  reveals: "credentials",
  writes: true,
  request: {
    path: functionPathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_SEALED_JSON_BYTES, mayBeEmpty: true },
  },
  status: 200,
  reply: { kind: "object", schema: runTokenSchema, description: "The token" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/keys", "kms:Decrypt/secret"],
  async answer({ principal: { app, apiKeyId }, path, body, task }, dependencies: FunctionDependencies) {
    const { name: functionName } = await requireFunction(dependencies, app, path.function_name)
    const { wallClock } = dependencies
    const wanted = { functionName, turns: task, payload: body, apiKeyId }
    return { body: await issueRunToken(dependencies, app, wanted, wallClock()) }
  },
})
