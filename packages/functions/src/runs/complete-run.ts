import type { App } from "@sealway/platform"
import type { FunctionDependencies } from "../dependencies.ts"
import { findPending, removePending } from "../queue/pending-work.ts"
import { endRun } from "../records/run.ts"
import { createRunData, getRunData, removeRunData } from "../records/run-data.ts"
import { type FunctionRun, runRecords } from "../records/run-table.ts"
import { type Outcome, outcomeMembers, statusOfMembers } from "../request/outcome.ts"

/** Both are made when a run is, so that each is of its time and nobody else's. */
const RUN_PREFIX = "func_run_"
const EVENT_PREFIX = "webhook_event_"

/**
 * Writes down how a run ended, once: the first outcome of an attempt stays, whoever comes later with another.
 *
 * @param run as it is stored
 * @param outcome null for the one that its last attempt has written down
 * @returns false when the run was changed meanwhile: then its record tells what is to be done
 */
export async function completeRun(
  run: FunctionRun,
  outcome: Outcome | null,
  callbackUrl: string | null,
  app: App,
  dependencies: FunctionDependencies,
): Promise<boolean> {
  const { runsTable, wallClock } = dependencies
  const isWritten = outcome !== null && (await writeOutcome(run, outcome, app, dependencies))
  const status = isWritten ? outcome.status : await writtenStatus(run, app, dependencies)
  if (status === null) throw new Error("The outcome of a run is gone")
  const ended = await runRecords.replace(runsTable, run.appId, endRun(run, status, callbackUrl, wallClock()))
  if (ended === null) return false
  await finishRun(ended, dependencies)
  return true
}

/** False: the attempt has an outcome. */
function writeOutcome(
  run: FunctionRun,
  outcome: Outcome,
  app: App,
  { runsTable, keyring }: FunctionDependencies,
): Promise<boolean> {
  return createRunData(runsTable, keyring, app, run, `outcome-${run.attempts}`, outcomeMembers(outcome))
}

/** The status of what the last attempt of a run has written down; null when it has not come as far. */
export async function writtenStatus(
  run: FunctionRun,
  app: App,
  { runsTable, keyring }: FunctionDependencies,
): Promise<Outcome["status"] | null> {
  const members = await getRunData(runsTable, keyring, app, run, `outcome-${run.attempts}`)
  return members && statusOfMembers(members)
}

/** Tells of a run that has ended, and forgets what it was given. Nothing when that was done. */
export async function finishRun(
  run: FunctionRun,
  { runsTable, events }: FunctionDependencies,
): Promise<void> {
  const { id, teamId, appId, functionName, status, callbackUrl, createdAt, completedAt } = run
  const named = await findPending(runsTable, id)
  if (named === null) return
  await events.publish({
    // One id a run: what is published twice arrives as the same event.
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
