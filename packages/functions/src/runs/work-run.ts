import { InvalidRequestError, processTurns } from "@sealway/kernel"
import type { App } from "@sealway/platform"
import { auditRefusal, DecryptionForbiddenError } from "@sealway/vault"
import type { FunctionDependencies } from "../dependencies.ts"
import type { Invocation } from "../host/host.ts"
import { sendDeadLetter, sendWork } from "../queue/messages.ts"
import {
  beginRun,
  MAX_SETBACKS,
  MAX_WAIT_MS,
  nextRunStep,
  releaseRun,
  workerLimitMs,
} from "../records/run.ts"
import { getRunData, MAX_KEPT_BYTES } from "../records/run-data.ts"
import type { RunSlot } from "../records/run-slots.ts"
import { type FunctionRun, runRecords } from "../records/run-table.ts"
import { isServing, type ServingFunction } from "../records/serving-functions.ts"
import { failure, keepable, type Outcome, outcomeInSteps } from "../request/outcome.ts"
import { callFunction } from "./call-function.ts"
import { completeRun, finishRun, writtenStatus } from "./complete-run.ts"
import { openPayload } from "./open-payload.ts"
import { workOf } from "./schedule-run.ts"

/** How long to wait for a function that is not ready or busy. The wait grows with how long a run has waited. */
const BUSY_WAIT_MS = { min: 5_000, max: 60_000, share: 0.25 }
/** The first wait after a service fault. Each further one is longer. */
const SETBACK_WAIT_MS = 5_000

/**
 * Processes a message about a run, as far as the run's record allows. However often it comes and wherever the process
 * dies, the run ends once. The code is only called again when it is unknown whether an earlier call finished.
 *
 * @throws Error when the message must be retried
 */
export async function workRun(
  place: Pick<FunctionRun, "id" | "appId" | "functionId">,
  dependencies: FunctionDependencies,
): Promise<void> {
  const { runsTable, queues, directory, functions, runSlots, wallClock } = dependencies
  const run = await runRecords.find(runsTable, place.appId, place)
  if (run === null) return
  const step = nextRunStep(run, wallClock())
  if (step.do === "wait") return sendWork(queues, workOf(run), step.waitMs)
  if (step.do === "finish") return finishRun(run, dependencies)

  const app = await directory.app(run.appId)
  if (app === null) throw new Error("The app of a run does not exist")
  const serving = await functions.find(run.appId, run.functionName)
  const callbackUrl = serving?.active?.callbackUrl ?? null
  const end = async (outcome: Outcome | null, current = run) => {
    if (!(await completeRun(current, outcome, callbackUrl, app, dependencies)))
      await workRun(place, dependencies)
  }
  // What an attempt wrote before its process died is the run's outcome.
  if ((await writtenStatus(run, app, dependencies)) !== null) return end(null)
  if (step.do === "give-up") {
    await sendDeadLetter(queues, workOf(run))
    return end(failure(`The run was begun ${run.attempts} times and never came to its end.`))
  }
  if (app.status === "disabled") return end(failure("The app is disabled."))
  if (serving === null || serving.id !== run.functionId || !isServing(serving)) {
    return end(failure("The function was deleted before the run began."))
  }

  // Before anything is written or opened, so that waiting runs cost little.
  const slot = await runSlots.take(app.id, serving.active.timeoutSeconds)
  if (slot === null) {
    const stopped = await leaveInQueue(run, dependencies)
    return stopped === null ? undefined : end(stopped)
  }
  const limitMs = workerLimitMs(serving.active.timeoutSeconds)
  let begun: FunctionRun | null
  let attempted: { readonly outcome: Outcome } | Postponed | null
  try {
    begun = await runRecords.replace(runsTable, run.appId, beginRun(run, limitMs, wallClock()))
    attempted = begun && (await attempt(begun, app, serving, slot, limitMs, dependencies))
  } finally {
    await slot.release()
  }
  if (begun === null || attempted === null) return workRun(place, dependencies)
  if ("outcome" in attempted) return end(attempted.outcome, begun)
  const stopped = await postpone(begun, attempted, dependencies)
  if (stopped !== null) return end(stopped, begun)
}

/** Why an attempt did not finish. */
interface Postponed {
  readonly reason: "busy" | "setback"
  /** Whether the code may have been called. */
  readonly isCalled: boolean
}

async function attempt(
  run: FunctionRun,
  app: App,
  serving: ServingFunction,
  slot: RunSlot,
  limitMs: number,
  dependencies: FunctionDependencies,
): Promise<{ readonly outcome: Outcome } | Postponed> {
  let isCalled = false
  try {
    const payload = await payloadOf(run, app, dependencies)
    if ("status" in payload) return { outcome: payload }
    isCalled = true
    const called = await callFunction(dependencies, app, serving, slot, run.id, payload, limitMs)
    return await resultOf(called.invocation, called.deployment.memoryMb, limitMs)
  } catch (error) {
    dependencies.log.warn("a run met a fault", { requestId: run.id, error })
    return { reason: "setback", isCalled }
  }
}

async function resultOf(
  invocation: Invocation,
  memoryMb: number,
  limitMs: number,
): Promise<{ readonly outcome: Outcome } | Postponed> {
  const outcome = await processTurns.run(outcomeInSteps(invocation, memoryMb))
  if (outcome !== null) return { outcome: keepable(outcome, MAX_KEPT_BYTES) }
  if (invocation.kind === "timed-out") {
    return {
      outcome: failure(
        `The function did not end within its time limit, or within ${limitMs / 1000} seconds.`,
      ),
    }
  }
  if (invocation.kind === "payload-too-large") {
    return { outcome: failure("The payload is larger than the 6 MB that a function can be given.") }
  }
  return { reason: "busy", isCalled: false }
}

/** Returns the payload with its tokens opened, or the failure that ends the run. */
async function payloadOf(
  run: FunctionRun,
  app: App,
  dependencies: FunctionDependencies,
): Promise<Buffer | Outcome> {
  const { runsTable, keyring, audit } = dependencies
  const body = await getRunData(runsTable, keyring, app, run, "payload")
  if (body === null) return failure("The run's payload is not kept any more.")
  const { functionName, requester } = run
  const { actor, ip, requestId } = requester
  try {
    return await openPayload(dependencies, app, body, functionName, requester)
  } catch (error) {
    if (error instanceof DecryptionForbiddenError) {
      await auditRefusal(audit, app, { actor, ip, requestId }, error, { function: functionName, run: run.id })
    } else if (!(error instanceof InvalidRequestError)) throw error
    const [field] = error.fields
    return failure(field === undefined ? error.message : `${field.pointer}: ${field.reason}`)
  }
}

/** Delays the run. @returns the failure that ends it when it was delayed too often */
async function postpone(
  run: FunctionRun,
  { reason, isCalled }: Postponed,
  dependencies: FunctionDependencies,
): Promise<Outcome | null> {
  const { runsTable, queues } = dependencies
  const setbacks = run.setbacks + (reason === "setback" ? 1 : 0)
  if (setbacks >= MAX_SETBACKS) {
    await sendDeadLetter(queues, workOf(run))
    return failure("The run met a fault of the service, several times.")
  }
  // Sent first: an extra message does nothing, but a missing one would delay the run.
  if (reason === "setback") await sendWork(queues, workOf(run), SETBACK_WAIT_MS * 4 ** (setbacks - 1))
  else {
    const stopped = await leaveInQueue(run, dependencies)
    if (stopped !== null) return stopped
  }
  await runRecords.replace(runsTable, run.appId, { ...releaseRun(run, isCalled), setbacks })
  return null
}

/** Delays a run that cannot start now. @returns the failure that ends it when it has waited too long */
async function leaveInQueue(
  run: FunctionRun,
  { queues, wallClock }: Pick<FunctionDependencies, "queues" | "wallClock">,
): Promise<Outcome | null> {
  const waitedMs = wallClock() - run.createdAt
  if (waitedMs >= MAX_WAIT_MS) {
    return failure("The function was not ready, or too many function runs were in progress, for an hour.")
  }
  const { min, max, share } = BUSY_WAIT_MS
  await sendWork(queues, workOf(run), Math.min(Math.max(waitedMs * share, min), max))
  return null
}
