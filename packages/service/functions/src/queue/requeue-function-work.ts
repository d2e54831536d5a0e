import * as z from "zod"
import type { FunctionDependencies } from "../dependencies.ts"
import { forgetRunsInProgress } from "../records/run-slots.ts"
import { runRecords } from "../records/run-table.ts"
import { sendWork } from "./messages.ts"
import { PENDING_WORK_PARTITIONS, type PendingWork, pendingWork, readPendingWork } from "./pending-work.ts"

export interface RequeueOptions {
  /**
   * How long something must be overdue before its message counts as lost: longer than messages wait and workers take,
   * such as 1,800,000 (30 minutes). 0 when no message and no worker can exist, as when in-memory queues start empty.
   */
  readonly overdueMs: number
}

/**
 * Queues accepted runs and deployments again that are not finished. Safe at any time: an extra message does nothing. An
 * unreadable record is logged and skipped, so that all others are handled.
 */
export async function requeueFunctionWork(
  dependencies: Pick<FunctionDependencies, "runsTable" | "queues" | "wallClock" | "log">,
  { overdueMs }: RequeueOptions,
): Promise<void> {
  const { runsTable, queues, wallClock, log } = dependencies
  if (overdueMs === 0) await forgetRunsInProgress(runsTable)
  for (const partition of PENDING_WORK_PARTITIONS) {
    for await (const item of pendingWork(runsTable, partition)) {
      try {
        const pending = readPendingWork(item)
        const dueAt = await dueAtOf(pending, overdueMs, dependencies)
        if (dueAt !== null && wallClock() - dueAt >= overdueMs) await sendWork(queues, pending.work)
      } catch (error) {
        if (!(error instanceof z.ZodError)) throw error
        log.warn("could not read a function's queued work", { requestId: String(item.sk), error })
      }
    }
  }
}

/** Returns epoch milliseconds; null when there is nothing to do. */
async function dueAtOf(
  { work, namedAt }: PendingWork,
  overdueMs: number,
  { runsTable }: Pick<FunctionDependencies, "runsTable">,
): Promise<number | null> {
  if (work.kind === "function") return namedAt
  const run = await runRecords.find(runsTable, work.appId, work)
  // Either it is just being created, or it never was; then its entry expires as the run would have.
  if (run === null) return null
  const { claimedUntil } = run
  if (overdueMs > 0 || claimedUntil === null) return claimedUntil ?? namedAt
  await runRecords.replace(runsTable, run.appId, { ...run, claimedUntil: null })
  return namedAt
}
