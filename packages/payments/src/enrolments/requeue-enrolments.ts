import type { Item } from "@sealway/platform"
import * as z from "zod"
import type { EnrolmentDependencies } from "./enrolled-kind.ts"
import { findDueAt } from "./enrolled-table.ts"
import { sendEnrolmentWork } from "./messages.ts"
import {
  PENDING_ENROLMENT_PARTITIONS,
  type PendingEnrolment,
  pendingEnrolments,
  readPending,
} from "./pending-enrolments.ts"

export interface RequeueEnrolmentsOptions {
  /**
   * How long something must have been due before its message counts as lost. 0 where no message can be left, as when
   * queues in memory begin anew: then all that is not settled is looked at.
   */
  readonly overdueMs: number
}

type RequeueDependencies = Pick<EnrolmentDependencies, "paymentsTable" | "queues" | "wallClock" | "log">

/**
 * Queues again merchants and acquirers that are not settled and overdue. Safe at any time: a message too many does nothing.
 * A record that cannot be read is logged and passed over, so that all others are seen to.
 */
export async function requeueEnrolments(
  dependencies: RequeueDependencies,
  { overdueMs }: RequeueEnrolmentsOptions,
): Promise<void> {
  const { paymentsTable, queues, wallClock } = dependencies
  for (const partition of PENDING_ENROLMENT_PARTITIONS) {
    for await (const item of pendingEnrolments(paymentsTable, partition)) {
      const found = await readDue(item, dependencies)
      if (found === null) continue
      const isOverdue = overdueMs === 0 || wallClock() - found.dueAt >= overdueMs
      if (isOverdue) await sendEnrolmentWork(queues, found.pending.work)
    }
  }
}

/** Null: it cannot be read. */
async function readDue(item: Item, dependencies: RequeueDependencies) {
  try {
    const pending = readPending(item)
    return { pending, dueAt: await dueAtOf(pending, dependencies) }
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    dependencies.log.warn("an enrolment cannot be read", { requestId: String(item.sk), error })
    return null
  }
}

/** Of a record that is settled, or is not there, the name itself is what is to be seen to. */
async function dueAtOf(
  { work, namedAt }: PendingEnrolment,
  { paymentsTable }: Pick<EnrolmentDependencies, "paymentsTable">,
): Promise<number> {
  const found = await findDueAt(paymentsTable, work)
  return Math.max(found?.dueAt ?? namedAt, namedAt)
}
