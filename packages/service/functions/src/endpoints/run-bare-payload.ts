import { type AuthScheme, apiKey, endpoint } from "@sealway/http"
import { ApiError, type MaybePromise, type Turns } from "@sealway/kernel"
import { reportRefusal } from "@sealway/vault"
import * as z from "zod"
import type { FunctionDependencies } from "../dependencies.ts"
import { outcomeMembers } from "../request/outcome.ts"
import { wrapPayloadInSteps } from "../request/run-request.ts"
import { runToken } from "../request/run-token.ts"
import {
  authorizeRunReplay,
  RUN_ERRORS,
  RUN_GRANTS,
  type RunPrincipal,
  requestRun,
} from "../runs/request-run.ts"
import { functionPathSchema } from "./function-schema.ts"
import { runDocument, scheduledDocument, scheduledSchema, successfulRunSchema } from "./run-schema.ts"

const auth: readonly AuthScheme<RunPrincipal>[] = [apiKey("function:run"), runToken(["runtoken", "bearer"])]

export const runBarePayload = endpoint({
  id: "run-bare-payload",
  method: "POST",
  path: "/run/{function_name}",
  tag: "Functions",
  summary: "Run a function (for older clients)",
  description:
    "Like `POST /functions/{function_name}/runs`, with the payload itself as the body, for clients that are configured with the address of a run host: give them this API's address and `/run`. `x-async: true` queues the run. A run that fails in the customer's code returns 422 `functions/run-failed`, because these clients treat any 200 as a success. JSON Pointers in errors begin with `/payload`. A run token may be sent as `Bearer`.",
  auth,
  reveals: "values",
  writes: "once",
  request: {
    path: functionPathSchema,
    headers: z.object({
      "x-async": z.string().optional().describe("`true`: queue the run and respond at once"),
    }),
    body: {
      kind: "document",
      formats: ["json"],
      holdsTokens: true,
      description: "The payload",
      schema: z.record(z.string(), z.unknown()),
    },
  },
  status: 200,
  reply: {
    kind: "document",
    formats: ["json"],
    description: "The run, after it has succeeded",
    schema: successfulRunSchema
      .extend({ runId: z.string().describe("Same as `id`"), appUuid: z.string().describe("Id of the app") })
      .meta({ id: "BareFunctionRun" }),
  },
  accepted: {
    schema: scheduledSchema,
    description: "With `x-async: true`: the run is queued",
    headers: { location: "The path of the run" },
  },
  errors: [...RUN_ERRORS, "functions/run-failed"],
  grants: RUN_GRANTS,
  async answer(
    { principal, caller, path, headers, body: { bytes }, allowance, task },
    dependencies: FunctionDependencies,
    effect,
  ) {
    const body = await wrap(bytes, headers["x-async"], task)
    const wanted = { task, principal, caller, functionName: path.function_name, body, allowance }
    const result = await requestRun(wanted, dependencies, effect)
    if (result.kind === "scheduled") {
      return { status: 202, headers: { location: result.location }, body: scheduledDocument() }
    }
    const { id, outcome, createdAt } = result.run
    if (outcome.status === "failure") {
      throw new ApiError("functions/run-failed", "The function failed. See its logs for the reason.")
    }
    const names = { runId: id, appUuid: principal.app.id }
    return { body: runDocument(id, outcomeMembers(outcome), { createdAt, ...names }) }
  },
  async authorizeReplay(
    { principal, caller, path, headers, body: { bytes }, task },
    dependencies: FunctionDependencies,
    maskedAs,
  ) {
    const body = await wrap(bytes, headers["x-async"], task)
    return authorizeRunReplay(
      { task, principal, caller, functionName: path.function_name, body },
      dependencies,
      maskedAs,
    )
  },
  onForbidden: reportRefusal,
})

function wrap(payload: Buffer, isAsync: string | undefined, turns: Turns): MaybePromise<Buffer> {
  return turns.run(wrapPayloadInSteps(payload, isAsync?.toLowerCase() === "true"))
}
