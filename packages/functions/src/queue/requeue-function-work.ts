import * as z from "zod"
import type { FunctionDependencies } from "../dependencies.ts"
import { forgetRunsInProgress } from "../records/run-slots.ts"
import { runRecords } from "../records/run-table.ts"
import { sendWork } from "./messages.ts"
import { PENDING_WORK_PARTITIONS, type PendingWork, pendingWork, readPendingWork } from "./pending-work.ts"

export interface RequeueOptions {
  /**
   * How long something must have been due before its message counts as lost: longer than messages wait and workers
   * take, such as 1,800,000 (30 minutes). 0 where no message can be left and no worker be at work, as when queues in
   * memory start empty.
   */
  readonly overdueMs: number
}

/**
 * Queues again runs and deployments that were accepted and are not over. Safe at any time: a message too many does nothing.
 * A record that cannot be read is logged and passed over, so that all others are seen to.
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
        log.warn("the work of a function cannot be read", { requestId: String(item.sk), error })
      }
    }
  }
}

/** Epoch milliseconds; null when there is nothing to do. */
async function dueAtOf(
  { work, namedAt }: PendingWork,
  overdueMs: number,
  { runsTable }: Pick<FunctionDependencies, "runsTable">,
): Promise<number | null> {
  if (work.kind === "function") return namedAt
  const run = await runRecords.find(runsTable, work.appId, work)
  // Either it is just being made or it never was; then its name expires like it would have.
  if (run === null) return null
  const { claimedUntil } = run
  if (overdueMs > 0 || claimedUntil === null) return claimedUntil ?? namedAt
  await runRecords.replace(runsTable, run.appId, { ...run, claimedUntil: null })
  return namedAt
}
