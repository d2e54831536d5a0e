import type { App } from "@sealway/accounts"
import { ApiError, NotFoundError } from "@sealway/kernel"
import type { SubjectLock } from "@sealway/keys"
import type { Invocation } from "@sealway/ports"
import type { FunctionDependencies } from "../dependencies.ts"
import type { Deployment, FunctionRecord } from "../records/function-table.ts"
import type { RunSlot } from "../records/run-slots.ts"
import { isServing, type ServingFunction } from "../records/serving-functions.ts"
import { type InvokedRun, invocationEvent } from "./invocation-event.ts"

type CallDependencies = Pick<FunctionDependencies, "functions" | "host" | "keyring" | "now">

/**
 * Finds a function that can be called now.
 *
 * @throws NotFoundError when the app has none with this name
 * @throws ApiError `functions/function-not-ready` when none of its deployments serves
 */
export async function requireServing(
  { functions }: Pick<FunctionDependencies, "functions">,
  app: App,
  name: string,
): Promise<ServingFunction> {
  const record = await functions.find(app.id, name)
  if (record === null) throw new NotFoundError("The function")
  if (!isServing(record)) throw notReady(record)
  return record
}

/** Returns the answer for a function that does not serve: `functions/function-not-ready`. */
export function notReady(record: FunctionRecord | null): ApiError {
  return record?.status === "failed"
    ? new ApiError("functions/function-not-ready", "The function's deployment has failed.")
    : new ApiError("functions/function-not-ready", "The function is not ready. Try again shortly.", {
        headers: { "retry-after": "1" },
      })
}

const OUTDATED =
  "An earlier release has deployed the function: it would log values of data subjects. Deploy it again."

/**
 * Checks that a function logs nothing of what it gets.
 *
 * @param lock of the payload; null when it has no value of a data subject
 * @throws ApiError `functions/function-not-ready` when it would log values of data subjects
 */
export function requireSilence({ active }: ServingFunction, lock: SubjectLock | null): void {
  if (lock !== null && !active.canBeSilent) throw new ApiError("functions/function-not-ready", OUTDATED)
}

/** The outcome of a call, and the deployment that was called. */
export interface CallOutcome {
  readonly invocation: Invocation
  readonly deployment: Deployment
  readonly durationMs: number
}

/**
 * Calls a function's active deployment once.
 *
 * @param slot the slot of the run
 * @param payload JSON, with tokens opened
 * @param limitMs how long to wait at most
 * @param signal ends the wait earlier
 */
export async function callFunction(
  { functions, host, keyring, now }: CallDependencies,
  app: App,
  serving: ServingFunction,
  slot: RunSlot,
  run: Omit<InvokedRun, "functionName">,
  payload: Uint8Array,
  limitMs: number,
  signal?: AbortSignal,
): Promise<CallOutcome> {
  const { name: functionName } = serving
  const event = invocationEvent(app, await keyring.newest(app, "public"), { functionName, ...run }, payload)
  const call = async (deployment: Deployment): Promise<CallOutcome> => {
    const startedMs = now()
    const invocation = await slot.during(() => host.invoke(deployment.programName, event, limitMs, signal))
    return { invocation, deployment, durationMs: now() - startedMs }
  }
  const first = await call(serving.active)
  if (first.invocation.kind !== "absent") return first
  // Another deployment serves, or none does any more: the cached function is outdated.
  functions.forget(app.id, functionName)
  const changed = await functions.find(app.id, functionName)
  return changed === null || !isServing(changed) || changed.active.programName === serving.active.programName
    ? first
    : call(changed.active)
}
