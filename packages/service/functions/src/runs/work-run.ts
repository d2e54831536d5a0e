import type { App } from "@sealway/accounts"
import type { FunctionDependencies } from "../dependencies.ts"
import { sendDeadLetter, sendWork } from "../queue/messages.ts"
import type { FunctionRecord } from "../records/function-table.ts"
import { nextRunStep } from "../records/run.ts"
import { type FunctionRun, runRecords } from "../records/run-table.ts"
import { isServing } from "../records/serving-functions.ts"
import { failure } from "../request/outcome.ts"
import { attemptRun } from "./attempt-run.ts"
import { completeRun, finishRun, type RunEnd, writtenStatus } from "./complete-run.ts"
import { workOf } from "./schedule-run.ts"

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
  const { runsTable, queues, directory, functions, wallClock } = dependencies
  const run = await runRecords.find(runsTable, place.appId, place)
  if (run === null) return
  const step = nextRunStep(run, wallClock())
  if (step.do === "wait") return sendWork(queues, workOf(run), step.waitMs)
  if (step.do === "finish") return finishRun(run, dependencies)

  const app = await directory.app(run.appId)
  if (app === null) throw new Error("The app of a run does not exist")
  const serving = await functions.find(run.appId, run.functionName)
  const result = await bringForward(run, step.do, app, serving, dependencies)
  if (result === "waits") return
  const callbackUrl = serving?.active?.callbackUrl ?? null
  const isCompleted = result !== "changed" && (await completeRun(result, callbackUrl, app, dependencies))
  // Another process changed the run first: its record says what to do next.
  if (!isCompleted) await workRun(place, dependencies)
}

async function bringForward(
  run: FunctionRun,
  step: "attempt" | "give-up",
  app: App,
  serving: FunctionRecord | null,
  dependencies: FunctionDependencies,
): Promise<RunEnd | "waits" | "changed"> {
  const fail = (reason: string): RunEnd => ({ run, outcome: failure(reason), lock: null })
  // What an attempt wrote before its process died is the run's outcome.
  if ((await writtenStatus(run, app, dependencies)) !== null) return { run, outcome: null, lock: null }
  if (step === "give-up") {
    await sendDeadLetter(dependencies.queues, workOf(run))
    return fail(`The run was started ${run.attempts} times and never finished.`)
  }
  if (app.status === "disabled") return fail("The app is disabled.")
  if (serving === null || serving.id !== run.functionId || !isServing(serving)) {
    return fail("The function was deleted before the run began.")
  }
  return attemptRun(run, app, serving, dependencies)
}
