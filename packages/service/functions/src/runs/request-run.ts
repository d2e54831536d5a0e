import type { Allowance, Caller } from "@sealway/accounts"
import type { AppPrincipal, Effect } from "@sealway/http"
import { ForbiddenError, type Task } from "@sealway/kernel"
import type { SubjectLock } from "@sealway/keys"
import { DECISION_GRANTS } from "@sealway/policies"
import { AUDIT_GRANTS, type Grant, OPENING_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import { countLikelyTokens, requireBoundPayload } from "@sealway/vault"
import type { FunctionDependencies } from "../dependencies.ts"
import type { RunRequester } from "../records/run-table.ts"
import { readRunRequestInSteps } from "../request/run-request.ts"
import { type RunTokenPrincipal, useRunToken } from "../request/run-token.ts"
import { requireServing } from "./call-function.ts"
import { requireOpenable, VALUES_PER_RUN } from "./open-payload.ts"
import { runFunction, type SyncRun } from "./run-function.ts"
import { scheduleRun } from "./schedule-run.ts"

export type RunPrincipal = AppPrincipal | RunTokenPrincipal

/** An authenticated request to run a function. */
export interface RequestedRun {
  readonly task: Task
  readonly principal: RunPrincipal
  readonly caller: Caller
  readonly functionName: string
  /** `{payload, async}`, see `readRunRequest`. */
  readonly body: Buffer
}

interface NewRun extends RequestedRun {
  /** What the values of its payload count for. */
  readonly allowance: Allowance
}

/** The result of the request. `location` is the path of a run that executes later. */
export type RunResult =
  | { readonly kind: "ended"; readonly run: SyncRun }
  | { readonly kind: "scheduled"; readonly location: string }

/** The AWS permissions that `requestRun` and `authorizeRunReplay` need. */
export const RUN_GRANTS: readonly Grant[] = [
  "dynamodb:GetItem/config",
  "dynamodb:PutItem/runs",
  "dynamodb:UpdateItem/runs",
  "dynamodb:GetItem/runs",
  ...OPENING_GRANTS,
  "lambda:InvokeFunction",
  "sqs:SendMessage/function-runs",
  ...DECISION_GRANTS,
  ...AUDIT_GRANTS,
]

/** The error codes of `requestRun`. */
export const RUN_ERRORS = [
  "not-found",
  "decrypt/forbidden",
  "functions/request-timeout",
  "functions/function-not-ready",
  "too-many-requests",
] as const

/**
 * Runs a function, or schedules its run with `async`. A run token is used up.
 *
 * @throws ForbiddenError when the run token is for another function or payload, or was already used
 * @throws as `runFunction` and `scheduleRun` do
 */
export async function requestRun(
  { task, principal, caller, functionName, body, allowance }: NewRun,
  dependencies: FunctionDependencies,
  effect: Effect,
): Promise<RunResult> {
  const { app, apiKeyId } = principal
  const { payload, isAsync } = await task.run(readRunRequestInSteps(body))
  if ("tokenId" in principal) {
    await requireBound(principal, functionName, body.subarray(payload.start, payload.end), task)
  }
  const serving = await requireServing(dependencies, app, functionName)
  // A later run opens its values when no caller is there any more to count them for.
  const values = isAsync ? await task.run(countLikelyTokens(body)) : 0
  allowance.takeValues(Math.max(values, VALUES_PER_RUN))
  if ("tokenId" in principal) await useRunToken(dependencies.runsTable, principal)

  const { actor, requestId } = authorOf(caller)
  const { ip, trace } = caller
  const requester: RunRequester = { actor, requestId: requestId ?? "", ip, apiKeyId, trace }
  if (isAsync) {
    const { id } = await scheduleRun(dependencies, app, serving, body, requester, effect)
    return { kind: "scheduled", location: `/functions/${functionName}/runs/${id}` }
  }
  const run = await runFunction(dependencies, app, serving, body, requester, effect, allowance, task)
  return { kind: "ended", run }
}

/**
 * @param maskedAs how the stored answer's values were masked
 * @returns the lock of the stored answer; null when it has none
 * @throws DecryptionForbiddenError, InvalidRequestError when it may not be returned again
 */
export async function authorizeRunReplay(
  { task, principal: { app, apiKeyId }, caller, functionName, body }: RequestedRun,
  dependencies: FunctionDependencies,
  maskedAs: string | null,
): Promise<SubjectLock | null> {
  // The answer to an asynchronous run shows nothing of its payload.
  if ((await task.run(readRunRequestInSteps(body))).isAsync) return null
  return requireOpenable(dependencies, app, body, { functionName, ip: caller.ip, apiKeyId }, maskedAs, task)
}

async function requireBound(
  principal: RunTokenPrincipal,
  name: string,
  payload: Buffer,
  task: Task,
): Promise<void> {
  if (principal.functionName !== name) throw new ForbiddenError("The run token is for another function.")
  await requireBoundPayload(principal, payload, "run token", task)
}
