import type { Allowance, App } from "@sealway/accounts"
import type { Effect } from "@sealway/http"
import {
  ApiError,
  CancelledError,
  KB,
  NotFoundError,
  PayloadTooLargeError,
  processTurns,
  type Task,
} from "@sealway/kernel"
import type { FunctionHost, Invocation } from "@sealway/ports"
import type { FunctionDependencies } from "../dependencies.ts"
import type { RunRequester } from "../records/run-table.ts"
import type { ServingFunction } from "../records/serving-functions.ts"
import { type Outcome, outcomeInSteps } from "../request/outcome.ts"
import { type CallOutcome, callFunction, notReady, requireSilence } from "./call-function.ts"
import { countRun } from "./count-run.ts"
import { openPayload } from "./open-payload.ts"

/** API Gateway waits for 30 seconds. */
const MAX_SYNC_MS = 29_000
/** The host counts a function's time; starting its process takes extra time. */
const START_MS = 10_000
/** A result as the host wrote it, and in the answer. */
const RESULT_COPIES = 2
/** Results up to this size are counted even if there is no room for them: together, they have no more than bodies do. */
const SMALL_RESULT_BYTES = 256 * KB

/** A synchronous run. Nothing of it is stored. */
export interface SyncRun {
  readonly id: string
  readonly outcome: Outcome
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/**
 * Runs a function while its caller waits. When the caller has left, or the request's time is over, nobody waits for the
 * result any more; but the code goes on until its own time limit, because nobody knows what it has begun. A request that
 * can be repeated is waited for although its client has left.
 *
 * @param body the request body
 * @param allowance what the values of the payload count for
 * @param effect begins when the function is called, and is undone when the host reports that it did not run
 * @throws ApiError `functions/request-timeout` past the function's time limit, or 29 seconds
 * @throws ApiError `functions/function-not-ready`, `too-many-requests`, `service-unavailable`
 * @throws DecryptionForbiddenError, InvalidRequestError, PayloadTooLargeError
 */
export async function runFunction(
  dependencies: FunctionDependencies,
  app: App,
  serving: ServingFunction,
  body: Buffer,
  requester: RunRequester,
  effect: Effect,
  allowance: Pick<Allowance, "addValues">,
  task: Task,
): Promise<SyncRun> {
  const createdAt = dependencies.wallClock()
  const id = dependencies.draws.newId("func_run", createdAt)
  const limitMs = Math.min(serving.active.timeoutSeconds * 1000 + START_MS, MAX_SYNC_MS)
  const { functions, keyring, now } = dependencies
  const needs = { functions, keyring, now, host: markingCalls(dependencies.host, effect) }
  // Before the payload is opened, which spends budgets.
  const slot = await dependencies.runSlots.take(app.id, serving.active.timeoutSeconds)
  if (slot === null) throw tooManyRuns()
  let called: CallOutcome
  try {
    const { payload, lock, maskedAs } = await openPayload(
      dependencies,
      app,
      body,
      serving.name,
      requester,
      task,
      allowance,
    )
    requireSilence(serving, lock)
    effect.lockAnswer(lock, maskedAs)
    const run = { runId: id, trace: requester.trace ?? null, hasSubjects: lock !== null }
    called = await callFunction(needs, app, serving, slot, run, payload, limitMs, endOf(task, effect))
  } finally {
    await slot.release()
  }
  const { invocation, deployment } = called
  if (invocation.kind === "answered") countResult(invocation.answer, task)
  switch (invocation.kind) {
    case "timed-out":
      if (isUnwanted(task.cancelled, effect)) throw task.cancelled
      countRun(dependencies, app, serving.name, "failure", called)
      throw new ApiError(
        "functions/request-timeout",
        "The function did not end within its time limit, or within the 29 seconds of a synchronous run. Use `async` for longer work.",
      )
    case "payload-too-large":
      throw new PayloadTooLargeError("The payload is larger than 6 MB, the limit for a function.")
    case "no-sandbox":
      throw new ApiError(
        "service-unavailable",
        "This machine cannot isolate functions from its other programs and files. Start Sealway with --unconfined-functions if you trust the code, or see docs/running-locally.md.",
      )
    case "busy":
      throw tooManyRuns()
  }
  // It has run, so this goes on when its client has left: a repeated request gets the same outcome.
  const outcome = await processTurns.run(outcomeInSteps(invocation, deployment.memoryMb))
  if (outcome !== null) {
    countRun(dependencies, app, serving.name, outcome.status, called)
    return { id, outcome, createdAt }
  }
  if ((await dependencies.functions.find(app.id, serving.name)) === null)
    throw new NotFoundError("The function")
  throw notReady(serving)
}

/**
 * Counts a result. Nothing was reserved for it before: results may have 6 MB, and nearly all have a few hundred bytes.
 *
 * @throws OverloadedError when a large one does not fit
 */
function countResult({ length }: Buffer, task: Task): void {
  if (length > SMALL_RESULT_BYTES) task.take(RESULT_COPIES * length)
  else task.add(RESULT_COPIES * length)
}

/** Returns a signal for the moment from which nobody wants the answer. */
function endOf(task: Task, effect: Effect): AbortSignal {
  const ending = new AbortController()
  const { signal } = task
  const end = () => {
    if (isUnwanted(task.cancelled, effect)) ending.abort(task.cancelled)
  }
  if (signal.aborted) end()
  else signal.addEventListener("abort", end, { once: true })
  return ending.signal
}

function isUnwanted(cancelled: Error | null, { isRepeatable }: Effect): cancelled is Error {
  if (cancelled === null) return false
  return !isRepeatable || !(cancelled instanceof CancelledError) || cancelled.by !== "client"
}

/** The host's answers for a program that did not run. */
const NOT_RUN: ReadonlySet<Invocation["kind"]> = new Set([
  "payload-too-large",
  "not-ready",
  "busy",
  "no-sandbox",
  "absent",
])

function markingCalls(host: FunctionHost, effect: Effect): FunctionHost {
  return {
    ...host,
    async invoke(...call) {
      effect.begin()
      const invocation = await host.invoke(...call)
      if (NOT_RUN.has(invocation.kind)) effect.undo()
      return invocation
    },
  }
}

function tooManyRuns(): ApiError {
  return new ApiError("too-many-requests", "Too many function runs are in progress. Try again shortly.", {
    headers: { "retry-after": "1" },
  })
}
