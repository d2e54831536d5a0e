import { type AuthScheme, apiKey, authorOf, endpoint } from "@sealway/platform"
import { auditRefusal } from "@sealway/vault"
import * as z from "zod"
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
  errors: RUN_ERRORS,
  grants: RUN_GRANTS,
  async answer({ principal, caller, path, body: { bytes } }, dependencies: FunctionDependencies, effect) {
    const wanted = { principal, caller, functionName: path.function_name, body: bytes }
    const result = await requestRun(wanted, dependencies, effect)
    if (result.kind === "scheduled") {
      return { status: 202, headers: { location: result.location }, body: scheduledDocument() }
    }
    const { id, outcome, createdAt } = result.run
    return { body: runDocument(id, outcomeMembers(outcome), { createdAt }) }
  },
  authorizeReplay: ({ principal, caller, path, body: { bytes } }, dependencies: FunctionDependencies) =>
    authorizeRunReplay({ principal, caller, functionName: path.function_name, body: bytes }, dependencies),
  async onForbidden({ principal: { app }, caller }, error, { audit }: FunctionDependencies) {
    await auditRefusal(audit, app, authorOf(caller), error)
  },
})
