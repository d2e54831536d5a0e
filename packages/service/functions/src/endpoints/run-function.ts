import { type AuthScheme, apiKey, endpoint } from "@sealway/http"
import { reportRefusal } from "@sealway/vault"
import type { FunctionDependencies } from "../dependencies.ts"
import { outcomeMembers } from "../request/outcome.ts"
import { runToken } from "../request/run-token.ts"
import {
  authorizeRunReplay,
  RUN_ERRORS,
  RUN_GRANTS,
  type RunPrincipal,
  requestRun,
} from "../runs/request-run.ts"
import { functionPathSchema } from "./function-schema.ts"
import {
  runDocument,
  runReplySchema,
  runRequestSchema,
  scheduledDocument,
  scheduledSchema,
} from "./run-schema.ts"

const auth: readonly AuthScheme<RunPrincipal>[] = [apiKey("function:run"), runToken()]

export const runFunction = endpoint({
  id: "run-function",
  method: "POST",
  path: "/functions/{function_name}/runs",
  tag: "Functions",
  summary: "Run a function",
  description:
    "Decrypts every token in the payload and calls the function with it, if the policies of the values' data roles permit it for this function. The result is returned unchanged. A run that fails in the customer's code returns 200 with `failure`. With `async`, the run is queued: `Location` is the path of the run, and the function's `callbackUrl` and the event `function.run.completed` report when it has ended.",
  auth,
  reveals: "values",
  writes: "once",
  request: {
    path: functionPathSchema,
    body: {
      kind: "document",
      formats: ["json"],
      holdsTokens: true,
      description: "The payload, and whether to run asynchronously",
      schema: runRequestSchema,
    },
  },
  status: 200,
  reply: {
    kind: "document",
    formats: ["json"],
    description: "The run, after it has ended",
    schema: runReplySchema,
  },
  accepted: {
    schema: scheduledSchema,
    description: "With `async`: the run is queued",
    headers: { location: "The path of the run" },
  },
  errors: RUN_ERRORS,
  grants: RUN_GRANTS,
  async answer(
    { principal, caller, path, body: { bytes }, allowance, task },
    dependencies: FunctionDependencies,
    effect,
  ) {
    const wanted = { task, principal, caller, functionName: path.function_name, body: bytes, allowance }
    const result = await requestRun(wanted, dependencies, effect)
    if (result.kind === "scheduled") {
      return { status: 202, headers: { location: result.location }, body: scheduledDocument() }
    }
    const { id, outcome, createdAt } = result.run
    return { body: runDocument(id, outcomeMembers(outcome), { createdAt }) }
  },
  authorizeReplay: (
    { principal, caller, path, body: { bytes }, task },
    dependencies: FunctionDependencies,
    maskedAs,
  ) =>
    authorizeRunReplay(
      { task, principal, caller, functionName: path.function_name, body: bytes },
      dependencies,
      maskedAs,
    ),
  onForbidden: reportRefusal,
})
