import type { App } from "@sealway/accounts"
import type { SubjectLock } from "@sealway/keys"
import type { FunctionDependencies } from "../dependencies.ts"
import { findPending, removePending } from "../queue/pending-work.ts"
import { endRun } from "../records/run.ts"
import { createRunData, getOutcomeStatus, removeRunData } from "../records/run-data.ts"
import { type FunctionRun, runRecords } from "../records/run-table.ts"
import { type Outcome, outcomeMembers } from "../request/outcome.ts"

/** Both ids are created with the run, so the event id is as unique as the run id. */
const RUN_PREFIX = "func_run_"
const EVENT_PREFIX = "webhook_event_"

/** How a run ends. */
export interface RunEnd {
  /** The run as it is stored. */
  readonly run: FunctionRun
  /** Null for the outcome that the run's last attempt wrote. */
  readonly outcome: Outcome | null
  /** The keys of the data subjects whose values the run got; null for none. */
  readonly lock: SubjectLock | null
}

/**
 * Records how a run ended, once: the first outcome of an attempt stays, whoever comes later with a different one.
 *
 * @returns false when the run was changed first: then its record says what to do next
 */
export async function completeRun(
  { run, outcome, lock }: RunEnd,
  callbackUrl: string | null,
  app: App,
  dependencies: FunctionDependencies,
): Promise<boolean> {
  const { runsTable, wallClock } = dependencies
  const isWritten = outcome !== null && (await writeOutcome(run, outcome, lock, app, dependencies))
  const status = isWritten ? outcome.status : await writtenStatus(run, app, dependencies)
  if (status === null) throw new Error("The outcome of a run is gone")
  const ended = await runRecords.replace(runsTable, run.appId, endRun(run, status, callbackUrl, wallClock()))
  if (ended === null) return false
  await finishRun(ended, dependencies)
  return true
}

/** Returns false when the attempt already has an outcome. */
function writeOutcome(
  run: FunctionRun,
  outcome: Outcome,
  lock: SubjectLock | null,
  app: App,
  { runsTable, keyring }: FunctionDependencies,
): Promise<boolean> {
  const { status } = outcome
  const part = `outcome-${run.attempts}` as const
  return createRunData(runsTable, keyring, app, run, part, outcomeMembers(outcome), { lock, status })
}

/** Returns the status of the outcome that the last attempt wrote; null when it has not got that far. */
export function writtenStatus(
  run: FunctionRun,
  app: App,
  { runsTable, keyring }: FunctionDependencies,
): Promise<Outcome["status"] | null> {
  return getOutcomeStatus(runsTable, keyring, app, run, `outcome-${run.attempts}`)
}

/** Publishes the end of a run and removes its payload. Does nothing when that was already done. */
export async function finishRun(
  run: FunctionRun,
  { runsTable, events }: FunctionDependencies,
): Promise<void> {
  const { id, teamId, appId, functionName, status, callbackUrl, createdAt, completedAt } = run
  const named = await findPending(runsTable, id)
  if (named === null) return
  await events.publish({
    // One event id per run, so publishing twice delivers the same event.
    id: EVENT_PREFIX + id.slice(RUN_PREFIX.length),
    teamId,
    appId,
    type: "function.run.completed",
    data: { run: id, function: functionName, status, createdAt, completedAt },
    callbackUrl,
  })
  await removeRunData(runsTable, run, "payload")
  await removePending(runsTable, named)
}
