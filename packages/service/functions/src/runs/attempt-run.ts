import type { App } from "@sealway/accounts"
import {
  ApiError,
  type ApiErrorCode,
  InvalidRequestError,
  PayloadTooLargeError,
  processTask,
} from "@sealway/kernel"
import type { Invocation } from "@sealway/ports"
import { auditRefusal, DecryptionForbiddenError } from "@sealway/vault"
import type { FunctionDependencies } from "../dependencies.ts"
import { beginRun, workerLimitMs } from "../records/run.ts"
import { getRunData, MAX_KEPT_BYTES } from "../records/run-data.ts"
import type { RunSlot } from "../records/run-slots.ts"
import { type FunctionRun, runRecords } from "../records/run-table.ts"
import type { ServingFunction } from "../records/serving-functions.ts"
import { failure, keepable, type Outcome, outcomeInSteps } from "../request/outcome.ts"
import { callFunction, requireSilence } from "./call-function.ts"
import type { RunEnd } from "./complete-run.ts"
import { countRun } from "./count-run.ts"
import { leaveInQueue, type Postponed, postpone } from "./delay-run.ts"
import { type OpenedPayload, openPayload } from "./open-payload.ts"

/** The outcome of a call, and the keys of the data subjects whose values it got. */
type Attempted = Pick<RunEnd, "lock"> & { readonly outcome: Outcome }

/**
 * Calls the code once, or delays the run.
 *
 * @returns how the run ends; `waits` when a message about it is in the queue; `changed` when another process changed the
 * run first
 */
export async function attemptRun(
  run: FunctionRun,
  app: App,
  serving: ServingFunction,
  dependencies: FunctionDependencies,
): Promise<RunEnd | "waits" | "changed"> {
  const { runsTable, runSlots, wallClock } = dependencies
  const { timeoutSeconds } = serving.active
  // Before anything is written or opened, so that waiting runs cost little.
  const slot = await runSlots.take(app.id, timeoutSeconds)
  if (slot === null) return endOrWait(run, await leaveInQueue(run, dependencies))
  const limitMs = workerLimitMs(timeoutSeconds)
  let begun: FunctionRun | null
  let attempted: Attempted | Postponed
  try {
    begun = await runRecords.replace(runsTable, run.appId, beginRun(run, limitMs, wallClock()))
    if (begun === null) return "changed"
    attempted = await callOnce(begun, app, serving, slot, limitMs, dependencies)
  } finally {
    await slot.release()
  }
  if ("outcome" in attempted) return { run: begun, ...attempted }
  return endOrWait(begun, await postpone(begun, attempted, dependencies))
}

/** @param stopped the failure that ends a run that was delayed for too long; null when it was delayed again */
function endOrWait(run: FunctionRun, stopped: Outcome | null): RunEnd | "waits" {
  return stopped === null ? "waits" : { run, outcome: stopped, lock: null }
}

async function callOnce(
  run: FunctionRun,
  app: App,
  serving: ServingFunction,
  slot: RunSlot,
  limitMs: number,
  dependencies: FunctionDependencies,
): Promise<Attempted | Postponed> {
  let isCalled = false
  try {
    const opened = await payloadOf(run, app, serving, dependencies)
    if ("status" in opened) return { outcome: opened, lock: null }
    const { payload, lock } = opened
    isCalled = true
    const called = await callFunction(
      dependencies,
      app,
      serving,
      slot,
      { runId: run.id, trace: run.requester.trace ?? null, hasSubjects: lock !== null },
      payload,
      limitMs,
    )
    const result = await resultOf(called.invocation, called.deployment.memoryMb, limitMs)
    if (!("status" in result)) return result
    countRun(dependencies, app, serving.name, result.status, called)
    return { outcome: result, lock }
  } catch (error) {
    dependencies.log.warn("a run failed with a fault of the service", { requestId: run.id, error })
    return { reason: "setback", isCalled }
  }
}

async function resultOf(
  invocation: Invocation,
  memoryMb: number,
  limitMs: number,
): Promise<Outcome | Postponed> {
  const outcome = await processTask.run(outcomeInSteps(invocation, memoryMb))
  if (outcome !== null) return keepable(outcome, MAX_KEPT_BYTES)
  if (invocation.kind === "timed-out") {
    return failure(`The function did not end within its time limit, or within ${limitMs / 1000} seconds.`)
  }
  if (invocation.kind === "payload-too-large") {
    return failure("The payload is larger than 6 MB, the limit for a function.")
  }
  return { reason: "busy", isCalled: false }
}

/** Returns the payload with its tokens opened, or the failure that ends the run. */
async function payloadOf(
  run: FunctionRun,
  app: App,
  serving: ServingFunction,
  dependencies: FunctionDependencies,
): Promise<OpenedPayload | Outcome> {
  const { runsTable, keyring, audit } = dependencies
  const body = await getRunData(runsTable, keyring, app, run, "payload")
  if (body === null) return failure("The run's payload is no longer stored.")
  const { functionName, requester } = run
  const { actor, ip, requestId } = requester
  try {
    const opened = await openPayload(dependencies, app, body, functionName, requester, processTask)
    requireSilence(serving, opened.lock)
    return opened
  } catch (error) {
    if (error instanceof DecryptionForbiddenError) {
      await auditRefusal(audit, app, { actor, ip, requestId }, error, { function: functionName, run: run.id })
    } else if (!isAboutPayload(error)) throw error
    const [field] = error.fields
    return failure(field === undefined ? error.message : `${field.pointer}: ${field.reason}`)
  }
}

/** The errors of values of data subjects, besides those of any payload. */
const SUBJECT_ERRORS: readonly ApiErrorCode[] = ["data-subject/erased", "functions/function-not-ready"]

/** True for an error that is the same for each attempt. */
function isAboutPayload(error: unknown): error is ApiError {
  if (error instanceof InvalidRequestError || error instanceof PayloadTooLargeError) return true
  return error instanceof ApiError && SUBJECT_ERRORS.includes(error.code)
}
