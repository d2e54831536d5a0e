import { ForbiddenError } from "@sealway/kernel"
import {
  type AppPrincipal,
  AUDIT_GRANTS,
  type AuthScheme,
  apiKey,
  authorOf,
  endpoint,
} from "@sealway/platform"
import { DECISION_GRANTS } from "@sealway/policies"
import { auditRefusal, requireBoundPayload } from "@sealway/vault"
import * as z from "zod"
import { requireServing } from "../call-function.ts"
import type { FunctionDependencies } from "../dependencies.ts"
import { requireOpenable } from "../open-payload.ts"
import { outcomeMembers } from "../outcome.ts"
import type { RunRequester } from "../run.ts"
import { runFunction as run } from "../run-function.ts"
import { readRunRequest } from "../run-request.ts"
import { type RunTokenPrincipal, runToken, useRunToken } from "../run-token.ts"
import { scheduleRun } from "../schedule-run.ts"
import { functionPathSchema } from "./function-schema.ts"
import { runDocument, runReplySchema, runRequestSchema, scheduledSchema } from "./run-schema.ts"

type RunPrincipal = AppPrincipal | RunTokenPrincipal

const auth: readonly AuthScheme<RunPrincipal>[] = [apiKey("function:run"), runToken()]

export const runFunction = endpoint({
  id: "run-function",
  method: "POST",
  path: "/functions/{function_name}/runs",
  tag: "Functions",
  summary: "Run a function",
  description:
    "The function is given the payload with every token replaced by what it holds, as far as the policies of the values' data roles permit a function of this name. What it gives back is answered as it is. A run that fails in the customer's code is answered with 200 and `failure`. With `async`, the run is put in a queue, `Location` tells where it can be read, and the function's `callbackUrl` and the event `function.run.completed` tell when it has ended.",
  auth,
  writes: "once",
  decrypts: true,
  request: {
    path: functionPathSchema,
    headers: z.object({}),
    body: {
      kind: "document",
      formats: ["json"],
      holdsTokens: true,
      description: "The payload, and whether to wait",
      schema: runRequestSchema,
    },
  },
  status: 200,
  reply: {
    kind: "document",
    formats: ["json"],
    description: "The run, once it has ended",
    schema: runReplySchema,
  },
  accepted: {
    schema: scheduledSchema,
    description: "With `async`: the run will be run",
    headers: { location: "The path of the run" },
  },
  errors: [
    "not-found",
    "decrypt/forbidden",
    "functions/request-timeout",
    "functions/function-not-ready",
    "too-many-requests",
  ],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:PutItem/runs",
    "dynamodb:UpdateItem/runs",
    "dynamodb:GetItem/runs",
    "kms:Decrypt",
    "lambda:InvokeFunction",
    "sqs:SendMessage/function-runs",
    ...DECISION_GRANTS,
    ...AUDIT_GRANTS,
  ],
  async answer({ principal, caller, path, body: { bytes } }, dependencies: FunctionDependencies, effect) {
    const { app, apiKeyId } = principal
    const { payload, isAsync } = readRunRequest(bytes)
    const name = path.function_name
    if ("tokenId" in principal) requireBound(principal, name, bytes.subarray(payload.start, payload.end))
    const serving = await requireServing(dependencies, app, name)
    if ("tokenId" in principal) await useRunToken(dependencies.runsTable, principal)

    const requester: RunRequester = { ...requesterOf(authorOf(caller)), ip: caller.ip, apiKeyId }
    if (isAsync) {
      const { id } = await scheduleRun(dependencies, app, serving, bytes, requester, effect)
      const location = `/functions/${name}/runs/${id}`
      const scheduled = Buffer.from(JSON.stringify({ status: "scheduled" }))
      return { status: 202, headers: { location }, body: { format: "json", bytes: scheduled } }
    }
    const { id, outcome, createdAt } = await run(dependencies, app, serving, bytes, requester, effect)
    return { body: runDocument(id, outcomeMembers(outcome), { createdAt }) }
  },
  async authorizeReplay({ principal, caller, path, body: { bytes } }, dependencies: FunctionDependencies) {
    // What is answered of a run that is still to be done shows nothing of its payload.
    if (readRunRequest(bytes).isAsync) return
    const { app, apiKeyId } = principal
    const context = { functionName: path.function_name, ip: caller.ip, apiKeyId }
    await requireOpenable(dependencies, app, bytes, context)
  },
  async onForbidden({ principal: { app }, caller }, error, { audit }: FunctionDependencies) {
    await auditRefusal(audit, app, authorOf(caller), error)
  },
})

function requesterOf({ actor, requestId }: ReturnType<typeof authorOf>) {
  return { actor, requestId: requestId ?? "" }
}

function requireBound(principal: RunTokenPrincipal, name: string, payload: Buffer): void {
  if (principal.functionName !== name) throw new ForbiddenError("The run token is for another function.")
  requireBoundPayload(principal, payload, "run token")
}
