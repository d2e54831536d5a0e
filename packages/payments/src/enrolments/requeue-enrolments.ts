import type { EnrolmentDependencies } from "./enrolled-kind.ts"
import { findDueAt } from "./enrolled-table.ts"
import { sendEnrolmentWork } from "./messages.ts"
import {
  PENDING_ENROLMENT_PARTITIONS,
  type PendingEnrolment,
  pendingEnrolments,
} from "./pending-enrolments.ts"

export interface RequeueEnrolmentsOptions {
  /**
   * How long something must have been due before its message counts as lost. 0 where no message can be left, as when
   * queues in memory begin anew: then all that is not settled is looked at.
   */
  readonly overdueMs: number
}

/** Queues again merchants and acquirers that are not settled and overdue. Safe at any time: a message too many does nothing. */
export async function requeueEnrolments(
  dependencies: Pick<EnrolmentDependencies, "paymentsTable" | "queues" | "wallClock">,
  { overdueMs }: RequeueEnrolmentsOptions,
): Promise<void> {
  const { paymentsTable, queues, wallClock } = dependencies
  for (const partition of PENDING_ENROLMENT_PARTITIONS) {
    for await (const pending of pendingEnrolments(paymentsTable, partition)) {
      const dueAt = await dueAtOf(pending, dependencies)
      if (overdueMs === 0 || wallClock() - dueAt >= overdueMs) await sendEnrolmentWork(queues, pending.work)
    }
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
