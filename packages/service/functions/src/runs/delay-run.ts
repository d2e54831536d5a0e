import type { FunctionDependencies } from "../dependencies.ts"
import { sendDeadLetter, sendWork } from "../queue/messages.ts"
import { MAX_SETBACKS, MAX_WAIT_MS, releaseRun } from "../records/run.ts"
import { type FunctionRun, runRecords } from "../records/run-table.ts"
import { failure, type Outcome } from "../request/outcome.ts"
import { workOf } from "./schedule-run.ts"

/** How long to wait for a function that is not ready or busy. The wait grows with how long a run has waited. */
const BUSY_WAIT_MS = { min: 5_000, max: 60_000, share: 0.25 }
/** The first wait after a service fault. Each further one is longer. */
const SETBACK_WAIT_MS = 5_000

/** Why an attempt did not finish. */
export interface Postponed {
  readonly reason: "busy" | "setback"
  /** Whether the code may have been called. */
  readonly isCalled: boolean
}

/** Delays the run. @returns the failure that ends it when it was delayed too often */
export async function postpone(
  run: FunctionRun,
  { reason, isCalled }: Postponed,
  dependencies: FunctionDependencies,
): Promise<Outcome | null> {
  const { runsTable, queues } = dependencies
  const setbacks = run.setbacks + (reason === "setback" ? 1 : 0)
  if (setbacks >= MAX_SETBACKS) {
    await sendDeadLetter(queues, workOf(run))
    return failure("The run failed several times because of a fault in the service.")
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
export async function leaveInQueue(
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
